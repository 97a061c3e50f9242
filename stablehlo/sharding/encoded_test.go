package sharding_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// sharded returns the modules that JAX wrote with Shardy, by the base names of their files.
func sharded() map[string][]byte {
	modules := map[string][]byte{}
	for _, file := range check.Must(filepath.Glob("../../lint/testdata/shardy/*.*")) {
		data := check.Must(os.ReadFile(file))
		if jaxexport.Is(data) {
			data = check.Must(jaxexport.Read(data)).Module
		}
		if mlir.IsBytecode(data) {
			modules[filepath.Base(file)] = data
		}
	}
	return modules
}

// TestStripped parses modules without what Shardy encodes in them. Symbols are visible in the region of
// a manual computation.
func TestStripped(t *testing.T) {
	modules := sharded()
	if len(modules) < 8 {
		t.Fatalf("there are %d modules", len(modules))
	}
	for name, data := range modules {
		before := string(data)
		check.Diff(t, name+" is encoded", true, sharding.Encoded(data))
		c := check.Must(mlir.OpenFor(data)).NewContext(mlir.ContextOptions{AllowUnregistered: true})
		m := check.Must(c.Parse(name, sharding.Stripped(data)))
		check.NoError(t, m.Verify())
		text := m.String()
		for _, want := range map[string][]string{
			"shard_map.jaxexport":  {`"sdy.manual_computation"(%arg0)`, "func.call", "stablehlo.all_reduce"},
			"lowered.mlirbc":       {`"sdy.manual_computation"(%arg0)`, "func.call", "stablehlo.all_reduce"},
			"constraint.jaxexport": {`"sdy.sharding_constraint"(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32>`},
			"flat.mlirbc":          {"stablehlo.outfeed"},
		}[name] {
			if !strings.Contains(text, strings.TrimPrefix(want, "func.")) {
				t.Errorf("%s lacks %s:\n%s", name, want, text)
			}
		}
		c.Close()
		check.Diff(t, name+" after that", before, string(data))
	}
	if sharding.Encoded([]byte(`module attributes {sdy.a = "sdy"} {}`)) {
		t.Error("a text is encoded")
	}
}

// FuzzStripped changes modules of JAX.
func FuzzStripped(f *testing.F) {
	for _, data := range sharded() {
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		if sharding.Encoded(data) {
			sharding.Stripped(data)
		}
		if string(data) != before {
			t.Error("the data changed")
		}
	})
}
