package main

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestVersions(t *testing.T) {
	for version, fits := range map[string]bool{
		"1.2.3": true, "0.1.0.dev0": true, "1.0rc1": true, "1.0.post1": true, "v1.0": false, "1.0-rc1": false,
		"":      false,
		"1.0/2": false, "1.0+local": false,
	} {
		check.Diff(t, version, fits, versions.MatchString(version))
	}
}
