//go:build engines

package operations_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

var update = flag.Bool("update", false, "write the tables of operations")

// docFile has a table of the dialects with the numbers of their operations.
var docFile = filepath.Join("..", "..", "docs", "reference", "dialects.md")

var byTitle = map[string]native.Part{"default": native.MLIR, native.IREE.String(): native.IREE,
	native.LLVM.String(): native.LLVM, native.Jaxlib.String(): native.Jaxlib}

// TestTables compares the tables of operations by library with the libraries, or writes them.
func TestTables(t *testing.T) {
	engines := mlirtest.Engines(t)
	dialects := map[string]map[string]int{} // by part
	with := map[string][]string{}           // parts by operation
	lists := map[string][]string{}          // parts by dialect
	for _, e := range engines {
		part := string(byTitle[e.Name])
		numbers, names := registered(t, e.Library)
		dialects[part] = numbers
		for name := range names {
			with[name] = append(with[name], part)
		}
		for dialect := range numbers {
			lists[dialect] = append(lists[dialect], part)
		}
	}
	groups := map[string][]string{}
	typed := map[string]int{}
	for _, op := range structs.All {
		dialect, _, _ := strings.Cut(op.Name, ".")
		typed[dialect]++
		if dialect == "sdy" {
			continue // package mlir has what a library lacks
		}
		if len(with[op.Name]) == 0 {
			t.Errorf("no library has %s", op.Name)
		}
		if !slices.Equal(with[op.Name], lists[dialect]) {
			parts := strings.Join(with[op.Name], " ")
			groups[parts] = append(groups[parts], op.Name)
		}
	}
	var hints strings.Builder
	for _, parts := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&hints, "%s\n %s\n", parts, strings.Join(groups[parts], "\n "))
	}
	compare(t, hintFile, hints.String())

	var table strings.Builder
	table.WriteString("| dialect | package | typed | mlir | iree | llvm | jaxlib |\n|---|---|---|---|---|---|---|\n")
	sum := map[string]int{}
	for _, dialect := range slices.Sorted(maps.Keys(typed)) {
		fmt.Fprintf(&table, "| %s | `%s` | %d", dialect, cmp.Or(structs.Packages[dialect], dialect), typed[dialect])
		sum["typed"] += typed[dialect]
		for _, part := range []string{"mlir", "iree", "llvm", "jaxlib"} {
			cell := ""
			if n, ok := dialects[part][dialect]; ok {
				cell = fmt.Sprint(n)
				sum[part] += n
			}
			fmt.Fprintf(&table, " | %s", cell)
		}
		table.WriteString(" |\n")
	}
	fmt.Fprintf(&table, "| sum | | %d | %d | %d | %d | %d |\n", sum["typed"], sum["mlir"], sum["iree"], sum["llvm"],
		sum["jaxlib"])
	before, rest, _ := strings.Cut(string(check.Must(os.ReadFile(docFile))), "| dialect |")
	_, after, _ := strings.Cut(rest, "\n\n")
	compare(t, docFile, before+table.String()+"\n"+after)
}

func compare(t *testing.T, path, text string) {
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	check.Diff(t, path+", which go test -tags engines ./tests/operations -run Tables -update writes",
		string(check.Must(os.ReadFile(path))), text)
}
