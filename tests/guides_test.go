package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestGuides runs the guides, each in an empty folder. The one from JAX, which needs Python, runs in examples/embed.
func TestGuides(t *testing.T) {
	check.NoRaces(t)
	for _, file := range check.Must(filepath.Glob("../docs/guides/*.md")) {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if name == "from-jax" || name == "maintainers" { // the latter has no programs
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doctest.Guide(t, file, "..")
		})
	}
}
