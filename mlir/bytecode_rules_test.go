package mlir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/guard"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// exported returns the module of an export of JAX.
func exported(name string) []byte {
	return check.Must(
		jaxexport.Read(check.Must(os.ReadFile("../tools/mlir-run/testdata/platforms/" + name + ".jaxexport")))).Module
}

// TestParseWithoutRules parses an artifact of JAX with sharding rules, which no library reads, and
// one that needs Shardy for more.
func TestParseWithoutRules(t *testing.T) {
	rules := exported("cholesky-cpu-cuda")
	if !strings.Contains(string(rules), "sdy.sharding_rule") {
		t.Fatal("the module has no sharding rules")
	}
	c := check.Must(mlir.OpenFor(rules)).NewContext(mlir.ContextOptions{})
	defer c.Close()
	text := check.Must(c.Parse("rules", rules)).String()
	if !strings.Contains(text, "@lapack_spotrf_ffi") || strings.Contains(text, "sdy") {
		t.Errorf("the module:\n%s", text)
	}
	_, err := mlirtest.Context(t).Parse("sharded", exported("sharded"))
	check.Error(t, err, "which no library known here reads")
}

// FuzzWithoutRules begins with an artifact that ends at each byte.
func FuzzWithoutRules(f *testing.F) {
	module := exported("triangular-cpu-cuda")
	for n := range len(module) {
		f.Add(module[:n])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		without := guard.WithoutRules(data)
		if string(data) != before || without != nil && len(without) != len(data) {
			t.Error("the data changed")
		}
	})
}
