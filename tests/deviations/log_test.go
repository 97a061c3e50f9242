package deviations

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestLogged holds that a compile that simplifies logs what it knows to get another value, once and with its place.
func TestLogged(t *testing.T) {
	var lines bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	found, err := native.Find(native.PJRTPlugin)
	check.NoError(t, err)
	for _, d := range deviations {
		place := map[string]string{
			"integer-square": ":3:8", "integer-magnitude": ":5:8", "quotient-of-quotient": ":3:8",
			"sums-with-constants": ":5:8",
			"square-root":         ":3:8", "magnitude-of-nan": ":4:8", "logarithm-of-power": ":3:8",
		}[d.module]
		if inChild(d.says[native.PJRTPlugin]) {
			continue
		}
		lines.Reset()
		d.run(t.Context(), found.Path, around{})
		n := strings.Count(lines.String(), "CompileOptions.Exact")
		if n > 1 || (n == 1) != (place != "") || !strings.Contains(lines.String(), place) {
			t.Errorf("%s: want a line with the place %q, got %s", d.module, place, lines.String())
		}
		if place != "" {
			lines.Reset()
			d.run(t.Context(), found.Path, exact)
			check.Diff(t, d.module+" compiled exactly", "", lines.String())
		}
	}
}
