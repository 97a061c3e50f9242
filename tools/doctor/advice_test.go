package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestFlagsInTexts holds that there is each flag that an error or the usage names.
func TestFlagsInTexts(t *testing.T) {
	name := regexp.MustCompile(`(?:^|[\s"` + "`" + `(])(-[a-z][a-z-]+)`)
	doctest.Flags(t, ".", name, 20, func(flag string) bool {
		var stderr strings.Builder
		run(t.Context(), []string{flag + "=", "-no-such-flag"}, &strings.Builder{}, &stderr)
		return strings.Contains(stderr.String(), "not defined: -no-such-flag") ||
			!strings.Contains(stderr.String(), "not defined")
	})
}
