package version_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/version"
)

// TestHeader checks that the header for C is of the same version.
func TestHeader(t *testing.T) {
	header := string(check.Must(os.ReadFile("../../c/include/calliope.h")))
	var numbers []string
	for _, m := range regexp.MustCompile(`#define CALLIOPE_VERSION_[A-Z]+ (\d+)`).FindAllStringSubmatch(header, -1) {
		numbers = append(numbers, m[1])
	}
	check.Diff(t, "numbers", regexp.MustCompile(`\d+`).FindAllString(version.Version, -1), numbers)
}
