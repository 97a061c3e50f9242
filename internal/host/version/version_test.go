package version_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestElsewhere checks that the header for C and the package for Python are of the same version.
func TestElsewhere(t *testing.T) {
	python := string(check.Must(os.ReadFile("../../../c/python/calliope_mlir/__init__.py")))
	if !strings.Contains(python, "\n__version__ = \""+version.Version+"\"\n") {
		t.Errorf("the package for Python has another version than %s", version.Version)
	}
	header := string(check.Must(os.ReadFile("../../../c/include/calliope.h")))
	var numbers []string
	for _, m := range regexp.MustCompile(`#define CALLIOPE_VERSION_[A-Z]+ (\d+)`).FindAllStringSubmatch(header, -1) {
		numbers = append(numbers, m[1])
	}
	check.Diff(t, "numbers", regexp.MustCompile(`\d+`).FindAllString(version.Version, -1), numbers)
}
