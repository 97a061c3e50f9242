package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// easySource returns a table for a test of the functions of each header that take nothing, or a context of which they
// make something.
func easySource(a *api) string {
	byHeader := map[string][]string{}
	for _, f := range a.functions {
		arguments := "t"
		switch {
		case f.release != 0: // other libraries have another prototype
			continue
		case len(f.params) == 0:
		case len(f.params) == 1 && typedefName(f.params[0].c) == "MlirContext" && goResult(f) != "":
			arguments = "t, c"
		default:
			continue
		}
		byHeader[f.header] = append(byHeader[f.header], fmt.Sprintf(
			"\t\t%q: func(t *capi.Table, c capi.MlirContext) { capi.%s(%s) },\n", f.name, exported(f.field()), arguments))
	}
	var b strings.Builder
	b.WriteString(generated + "\npackage capi_test\n\n" +
		"import \"github.com/calliope-mlir/calliope/experimental/capi\"\n\n" +
		"// easy has the functions of each header that take nothing, or a context of which they make something.\n" +
		"var easy = map[string]map[string]func(t *capi.Table, c capi.MlirContext){\n")
	for _, header := range slices.Sorted(maps.Keys(byHeader)) {
		fmt.Fprintf(&b, "\t%q: {\n%s\t},\n", header, strings.Join(byHeader[header], ""))
	}
	return b.String() + "}\n"
}
