package nvgpu_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvgpu"
)

func TestTensorMapDescriptor(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		const function = "mlirNVGPUTensorMapDescriptorTypeGet"
		memref := mlirtest.Type(c, "memref<128x64xf16, 3>")
		for _, test := range []struct {
			make nvgpu.TensorMapDescriptor
			want string
		}{
			{nvgpu.TensorMapDescriptor{Tensor: memref},
				"swizzle = none, l2promo = none, oob = zero, interleave = none"},
			{nvgpu.TensorMapDescriptor{memref, nvgpu.Swizzle128B, nvgpu.L2Promote256B, nvgpu.OOBNaN,
				nvgpu.Interleave32B},
				"swizzle = swizzle_128b, l2promo = l2promo_256b, oob = nan, interleave = interleave_32b"},
		} {
			got, err := test.make.Type(c)
			if mlirtest.Supported(t, c.Library(), err, function) {
				check.Diff(t, "the type", "!nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, "+test.want+">",
					got.String())
				check.Diff(t, "its kind", true, nvgpu.IsTensorMapDescriptor(got))
			}
		}
		check.Diff(t, "a memref's kind", false, nvgpu.IsTensorMapDescriptor(memref))
		if c.Library().Has(function) {
			for want, bad := range map[string]nvgpu.TensorMapDescriptor{
				"not i32":       {Tensor: mlirtest.Type(c, "i32")},
				"swizzle 9":     {Tensor: memref, Swizzle: 9},
				"promotion -1":  {Tensor: memref, L2: -1},
				"fill 2":        {Tensor: memref, OOB: 2},
				"interleave 77": {Tensor: memref, Interleave: 77},
			} {
				_, err := bad.Type(c)
				check.Error(t, err, want)
			}
		}
		check.Panics(t, "called on a zero value", func() { nvgpu.TensorMapDescriptor{}.Type(c) })
	})
}
