package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// passesWithFiles are the passes that write or read files, or run programs, whatever their options are: a snapshot
// without a name goes to a temporary file, a graph to a viewer, and the code of a GPU through the tools of its vendor.
var passesWithFiles = []string{
	"gpu-module-to-binary", "nvvm-attach-target", "rocdl-attach-target", "snapshot-op-locations", "spirv-attach-target",
	"transform-interpreter", "transform-preload-library", "view-op-graph", "xevm-attach-target",
}

var (
	passName   = regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_.-]*`)
	fileOption = regexp.MustCompile(
		`(?i)([a-z0-9_-]*(?:file|path|dir|librar|link|toolkit|command|cmd|dump|executable)[a-z0-9_-]*)\s*=`)
)

// refuseFiles returns an error for a pipeline of a stranger that names a pass or an option by which a module would
// write or read files, or run programs.
func refuseFiles(pipeline string) error {
	const advice = "give the passes by flags, or allow it by --trust-reproducer"
	if m := fileOption.FindStringSubmatch(pipeline); m != nil {
		return fmt.Errorf("its pipeline has the option %s, which may name files or programs: %s", m[1], advice)
	}
	for _, name := range passName.FindAllString(pipeline, -1) {
		if slices.Contains(passesWithFiles, name) || strings.HasPrefix(name, "test-") {
			return fmt.Errorf("its pipeline has the pass %s, which may write or read files, or run programs: %s", name, advice)
		}
	}
	return nil
}
