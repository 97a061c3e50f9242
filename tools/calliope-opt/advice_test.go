package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestFlagsInTexts holds that there is each flag that an error or the usage names. PASS stands for any of the
// library, of which two are examples.
func TestFlagsInTexts(t *testing.T) {
	passes := []string{"cse", "canonicalize"}
	doctest.Flags(t, ".", regexp.MustCompile(`(--[a-z][a-z-]*)`), 50, func(flag string) bool {
		name := strings.TrimPrefix(flag, "--")
		o := options{derivatives: &autodiff.Options{}}
		switch {
		case o.boolean(name) != nil, needsValue(name), slices.Contains(passes, name):
			return true
		case slices.Contains(slices.Collect(ownNames()), name):
			return true
		}
		return slices.Contains([]string{"emit-artifact", "mlir-pass-statistics", "verify-each", "version"}, name)
	})
}
