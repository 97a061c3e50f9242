package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/doctest"
)

// TestReadme runs the program in the README, and TestTutorial those of the tutorial. They print what the documents say.
func TestReadme(t *testing.T) { doctest.Run(t, "../README.md", nil, "quickstart") }

func TestTutorial(t *testing.T) {
	doctest.Run(t, "../docs/tutorial.md", nil, "predict", "train", "serve", "parts")
}
