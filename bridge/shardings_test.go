package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// stringShardings is a module with shardings as strings for four partitions.
const stringShardings = `module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %b: tensor<4x8xf32> {mhlo.sharding = "{devices=[1,4]3,1,2,0}"})
      -> (tensor<4x8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}, tensor<4x8xf32>, tensor<4x8xf32> {mhlo.sharding = "{maximal device=2}"}) {
    %c = stablehlo.add %a, %b : tensor<4x8xf32>
    return %c, %c, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}`

func TestShardings(t *testing.T) {
	const shardy = `module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    return %a : tensor<4x8xf32>
  }
}`
	const none = `func.func @main() -> tensor<f32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}`
	for name, test := range map[string]struct {
		module  string
		o       engine.CompileOptions
		in, out []string
	}{
		"Shardy": {shardy, engine.CompileOptions{Partitions: 4}, []string{"{devices=[2,2]<=[2,2]T(1,0)}"},
			[]string{"{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}},
		"GSPMD": {stringShardings, engine.CompileOptions{Partitions: 4, GSPMD: true},
			[]string{"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", "{devices=[1,4]3,1,2,0}"},
			[]string{"{devices=[2,2]<=[4]}", "{replicated}", "{maximal device=2}"}},
		"nothing in": {none, engine.CompileOptions{Partitions: 2}, []string{}, []string{"{replicated}"}},
		"replicas":   {none, engine.CompileOptions{Replicas: 2}, nil, nil},
		"one":        {shardy, engine.CompileOptions{}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := compile(t, testClient(t), test.module, test.o)
			in, out := e.Shardings()
			check.Diff(t, "in", test.in, in)
			check.Diff(t, "out", test.out, out)
		})
	}
}

// GSPMD makes a difference to the key of the cache and stays known in a saved program.
func TestShardingsOfSaved(t *testing.T) {
	c := testClient(t)
	e := compile(t, c, stringShardings, engine.CompileOptions{Partitions: 4, GSPMD: true})
	saved, err := e.Serialize()
	check.NoError(t, err)
	loaded, err := c.Load(t.Context(), saved)
	check.NoError(t, err)
	check.Cleanup(t, loaded)
	wantIn, wantOut := e.Shardings()
	in, out := loaded.Shardings()
	check.Diff(t, "in", wantIn, in)
	check.Diff(t, "out", wantOut, out)
	keys := map[string]bool{}
	for _, gspmd := range []bool{false, true} {
		key, err := c.cacheKey([]byte(stringShardings), engine.CompileOptions{Partitions: 4, GSPMD: gspmd},
			map[string]string{})
		check.NoError(t, err)
		keys[key] = true
	}
	check.Diff(t, "keys", 2, len(keys))
}
