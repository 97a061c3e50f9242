package vmap_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/vmap"
)

// TestShardings holds that a batch is divided as an element, and not along the batch.
func TestShardings(t *testing.T) {
	for _, test := range []struct{ name, sharding, want string }{
		{"tiles", `mhlo.sharding = "{devices=[2,1]<=[2]}"`, `{mhlo.sharding = "{devices=[2,1,1]<=[2]}"}`},
		{
			"tiles with copies", `mhlo.sharding = "{devices=[1,2,2]0,1,2,3 last_tile_dim_replicate}"`,
			`{mhlo.sharding = "{devices=[1,1,2,2]0,1,2,3 last_tile_dim_replicate}"}`,
		},
		{"copies", `mhlo.sharding = "{replicated}"`, `{mhlo.sharding = "{replicated}"}`},
		{
			"axes", `sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], replicated={"b"}>, jax.buffer_donor = true`,
			`{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}, {}], replicated={"b"}>}`,
		},
		{"none", `jax.buffer_donor = true`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), `
				sdy.mesh @mesh = <["a"=2, "b"=2]>
				func.func @main(%x: tensor<4x4xf32> {`+test.sharding+`}) -> tensor<4x4xf32> {
					return %x : tensor<4x4xf32>
				}`)
			batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3, In: []int{1}})
			check.NoError(t, err)
			got := ""
			if a, ok := batched.Attribute("arg_attrs"); ok {
				list, _ := a.Elements()
				got = list[0].String()
			}
			check.Diff(t, "sharding of the parameter", test.want, got)
		})
	}
}
