package mlir_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

var calledFunction = regexp.MustCompile(`missing\("(\w+)"\)`)

// TestNewerFunctions checks that the functions which MLIR has after LLVM 22 are called in the
// libraries on which they were tried, and in no older one. Without the build tag engines, it
// does not check those that only IREE's library has.
func TestNewerFunctions(t *testing.T) {
	paths, err := filepath.Glob("../experimental/capi/gen_llvm2[34]_*.go")
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_changed.go") })
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	engines := mlirtest.Engines(t)
	found, all := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check.NoError(t, err)
		for _, m := range calledFunction.FindAllStringSubmatch(string(text), -1) {
			name, has := m[1], false
			all++
			for _, e := range engines {
				switch {
				case !e.Library.Has(name):
				case e.Library.Has("mlirDistinctAttrCreate"):
					has = true
				default:
					t.Errorf("%s is called in the %s, whose prototype is not known", name, e.Name)
				}
			}
			if has {
				found++
			} else if len(engines) > 1 && strings.Contains(path, "_llvm24_") {
				t.Errorf("%s is declared, but no library exports it", name)
			}
		}
	}
	if least := all * 3 / 4; found < least {
		t.Errorf("only %d of %d functions are called", found, all)
	}
}
