package callbacks_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A name given to With that is like a registered one is logged once.
func TestWithMisspelled(t *testing.T) {
	var lines bytes.Buffer
	r, err := callbacks.NewRegistry(t.Name(),
		callbacks.RegistryOptions{Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	check.NoError(t, err)
	check.Cleanup(t, r)
	check.NoError(t, r.Register("metric", nothing, callbacks.Options{}))
	for _, name := range []string{"metric", "metrik", "another", "metrik"} {
		r.With(t.Context(), name, nothing)
	}
	check.Diff(t, "lines", 1, strings.Count(lines.String(), "\n"))
	check.Diff(t, "the line has both names", true, strings.Contains(lines.String(), "name=metrik nearest=metric"))
}
