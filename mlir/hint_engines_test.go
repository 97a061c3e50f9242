//go:build engines

package mlir_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

var update = flag.Bool("update", false, "write the tables of hints")

var byTitle = map[string]native.Part{"default": native.MLIR, native.IREE.String(): native.IREE,
	native.LLVM.String(): native.LLVM, native.Jaxlib.String(): native.Jaxlib}

// TestHintTables checks the tables of hint.go against the libraries.
func TestHintTables(t *testing.T) {
	dialects, newer := mlir.HintTables()
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		part := byTitle[e.Name]
		c := mlirtest.ContextOf(t, e.Library)
		c.LoadAllDialects()
		check.Diff(t, "dialects", dialects[part], c.Dialects())
		for _, name := range newer {
			if want := part == native.IREE || part == native.MLIR; c.Registered(name) != want {
				t.Errorf("%s is registered: %v", name, !want)
			}
		}
	})
}

// TestHintFiles compares the files of functions and passes with the libraries, or writes them.
func TestHintFiles(t *testing.T) {
	functions, passes := map[string][]string{}, map[string][]string{}
	engines := mlirtest.Engines(t)
	for _, e := range engines {
		part := string(byTitle[e.Name])
		for _, name := range e.Library.Functions() {
			functions[name] = append(functions[name], part)
		}
		for _, name := range passesOf(t, e.Library) {
			passes[name] = append(passes[name], part)
		}
	}
	maps.DeleteFunc(functions, func(_ string, parts []string) bool { return len(parts) == len(engines) })
	tables := map[string]map[string][]string{"hint_functions.txt": functions, "hint_passes.txt": passes}
	for path, table := range tables {
		text := hints(table)
		if *update {
			check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		check.Diff(t, path+", which go test -tags engines ./mlir -run HintFiles -update writes",
			string(check.Must(os.ReadFile(path))), text)
	}
}

// hints returns a table in the form of the files.
func hints(table map[string][]string) string {
	by := map[string][]string{}
	for name, parts := range table {
		by[strings.Join(parts, " ")] = append(by[strings.Join(parts, " ")], name)
	}
	var b strings.Builder
	for _, parts := range slices.Sorted(maps.Keys(by)) {
		slices.Sort(by[parts])
		fmt.Fprintf(&b, "%s\n %s\n", parts, strings.Join(by[parts], "\n "))
	}
	return b.String()
}

var passName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// passesOf returns the passes of a library: those of the words in its files that a pipeline
// takes for one.
func passesOf(t *testing.T, l *mlir.Library) (names []string) {
	files := []string{l.Path()}
	beside := check.Must(filepath.Glob(filepath.Join(filepath.Dir(l.Path()), "libMLIR.so*")))
	c := mlirtest.ContextOf(t, l)
	pm := passManager(t, c, mlir.PassManagerOptions{Op: "any"})
	tried := map[string]bool{}
	for _, path := range append(files, beside...) {
		for word := range bytes.SplitSeq(check.Must(os.ReadFile(path)), []byte{0}) {
			if len(word) < 3 || len(word) > 80 || !passName.Match(word) || tried[string(word)] {
				continue
			}
			name := string(word)
			tried[name] = true
			if err := pm.Add(name); err == nil ||
				!strings.Contains(err.Error(), "does not refer to a registered pass") {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestHints checks that errors name the libraries that have a function or a pass.
func TestHints(t *testing.T) {
	jaxlib := mlirtest.ContextOf(t, mlirtest.Jaxlib(t))
	_, err := jaxlib.NewConversion(mlir.ConversionTarget{})
	check.Error(t, err, "does not export mlirOpConversionPatternCreate; the MLIR and StableHLO library and the IREE compiler library have it: fetch it with `", " -fetch mlir`")
	_, err = mlirtest.ContextOf(t, mlirtest.Upstream(t)).NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(stablehlo-legalize-to-linalg)"})
	check.Error(t, err, "does not refer to a registered pass", "; the MLIR and StableHLO library",
		"the pass stablehlo-legalize-to-linalg: fetch it with `")
	_, err = mlirtest.Context(t).NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(nosuch-pass)"})
	if err == nil || strings.Contains(err.Error(), "fetch") {
		t.Errorf("a pass that no library has: %v", err)
	}
}

// TestHintIREE checks that files of another version of IREE than the library are said to be of one.
func TestHintIREE(t *testing.T) {
	engines := mlirtest.Engines(t)
	i := slices.IndexFunc(engines, func(e mlirtest.Engine) bool { return e.Name == native.IREE.String() })
	for _, text := range []string{
		"util.global private @x {inlining_policy = #util.inline.never} : i32",
		"func.func @f() { iree_codegen.no_such_operation }",
	} {
		_, err := mlirtest.ContextOf(t, engines[i].Library).Parse("x", []byte(text))
		check.Error(t, err, "the file may be of another version of IREE than the library")
	}
}
