package mlir

import "github.com/calliope-mlir/calliope/native"

// HintTables are what hints rest on, for the test that holds them against the libraries.
func HintTables() (dialects map[native.Part][]string, newer []string) {
	dialects = map[native.Part][]string{}
	for _, l := range dialectsOf {
		dialects[l.part] = l.dialects
	}
	return dialects, newerOperations
}
