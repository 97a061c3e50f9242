package quick_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// binaries returns a module in all versions of bytecode, and as portable artifacts.
func binaries(tb testing.TB, library *mlir.Library, text []byte) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	context := library.NewContext(mlir.ContextOptions{})
	defer context.Close()
	module, err := context.Parse("", text)
	if err != nil {
		return nil
	}
	defer module.Close()
	for version := range 7 {
		if data, err := module.Operation().BytecodeVersion(version); err == nil {
			out[fmt.Sprintf("version %d", version)] = data
		}
	}
	for _, version := range []string{"1.0.0", "1.9.0", "1.10.0"} {
		if data, err := stablehlo.PortableArtifact(module, version); err == nil {
			out["artifact "+version] = data
		}
	}
	return out
}

// TestBytecode compares the findings in bytecode of all versions with those of a full parse.
func TestBytecode(t *testing.T) {
	texts := map[string][]byte{}
	for _, f := range forms {
		texts[f.name] = []byte(f.text)
	}
	modules(t, func(path string, data []byte) {
		if !crashes(path) && len(data) < 1<<20 && !mlir.IsBytecode(data) {
			texts[path] = data
		}
	})
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		compared, findings := map[string]int{}, 0
		for name, text := range texts {
			for form, data := range binaries(t, e.Library, text) {
				want, ok := parsed(e.Library, data)
				if !ok {
					continue
				}
				compared[form]++
				findings += len(want)
				if diff := cmp.Diff(want, found(data)); diff != "" {
					t.Errorf("%s, %s (-parsed +found):\n%s", name, form, diff)
				}
			}
		}
		t.Logf("%v, %d findings", compared, findings)
		if findings < 100 && e.Library.HasDialect("stablehlo") {
			t.Errorf("only %d findings in %v", findings, compared)
		}
	})
}
