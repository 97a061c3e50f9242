package deviations

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestLogged holds that a compile that simplifies logs what it knows to get another value, once and with its place.
func TestLogged(t *testing.T) {
	plugin := check.Must(native.Find(native.PJRTPlugin)).Path
	for _, d := range deviations {
		place := map[string]string{
			"integer-square": ":3:8", "integer-magnitude": ":5:8", "quotient-of-quotient": ":3:8",
			"sums-with-constants": ":5:8",
			"square-root":         ":3:8", "magnitude-of-nan": ":4:8", "logarithm-of-power": ":3:8",
		}[d.module]
		if inChild(d.says[native.PJRTPlugin]) {
			continue
		}
		lines := d.plain(t, native.PJRTPlugin).log
		n := strings.Count(lines, "CompileOptions.Exact")
		if n > 1 || (n == 1) != (place != "") || !strings.Contains(lines, place) {
			t.Errorf("%s: want a line with the place %q, got %s", d.module, place, lines)
		}
		if place != "" {
			lines = logged(func() { d.run(t.Context(), plugin, exact) })
			check.Diff(t, d.module+" compiled exactly", "", lines)
		}
	}
}

// logged returns what a function logs.
func logged(f func()) string {
	var lines bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	f()
	return lines.String()
}
