package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestFlagsInTexts holds that there is each flag that an error or the usage names.
func TestFlagsInTexts(t *testing.T) {
	doctest.Flags(t, ".", regexp.MustCompile(`(--[a-z][a-z-]*)`), 50, func(flag string) bool {
		_, err := parseOptions([]string{flag})
		return err == nil || !strings.Contains(err.Error(), "not defined")
	})
}

// TestNoForeignFlag holds that MLIR's errors do not tell of flags of other programs.
func TestNoForeignFlag(t *testing.T) {
	got := command{stdin: `module { "mine.op"() : () -> () }`}.run(t, "-")
	got.want(t, exitFailed, "", "with an unregistered dialect")
	if strings.Contains(got.stderr, "allow") {
		t.Errorf("the error is %s", got.stderr)
	}
}
