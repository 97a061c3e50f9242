package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestReadme runs the program in the README, and the others those of documents. They print what the documents say.
func TestReadme(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	doctest.Run(t, "../README.md", nil, "quickstart")
}

func TestTutorial(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	doctest.Run(t, "../docs/tutorial.md", nil, "predict", "train", "serve", "parts")
}

func TestDerivativesPage(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	doctest.Run(t, "../docs/autodiff.md", nil, "fit", "rule", "jacobian", "module")
}

func TestBatchesPage(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	doctest.Run(t, "../docs/vmap.md", nil, "module", "rule")
}
