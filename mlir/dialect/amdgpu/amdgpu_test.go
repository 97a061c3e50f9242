package amdgpu_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/amdgpu"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		i32, f16 := mlirtest.Type(c, "i32"), mlirtest.Type(c, "f16")
		kinds := func(t mlir.Type) []bool {
			return []bool{amdgpu.IsTDMBase(t), amdgpu.IsTDMDescriptor(t), amdgpu.IsTDMGatherBase(t)}
		}
		for _, test := range []struct {
			function, want string
			make           func() (mlir.Type, error)
			kinds          []bool
		}{
			{"mlirAMDGPUTDMBaseTypeGet", "!amdgpu.tdm_base<f16>",
				func() (mlir.Type, error) { return amdgpu.TDMBaseType(f16) }, []bool{true, false, false}},
			{"mlirAMDGPUTDMDescriptorTypeGet", "!amdgpu.tdm_descriptor",
				func() (mlir.Type, error) { return amdgpu.TDMDescriptorType(c) }, []bool{false, true, false}},
			{"mlirAMDGPUTDMGatherBaseTypeGet", "!amdgpu.tdm_gather_base<f16, i32>",
				func() (mlir.Type, error) { return amdgpu.TDMGatherBaseType(f16, i32) }, []bool{false, false, true}},
		} {
			got, err := test.make()
			if mlirtest.Supported(t, c.Library(), err, test.function) {
				check.Diff(t, "the type", test.want, got.String())
				check.Diff(t, "its kind", test.kinds, kinds(got))
			}
		}
		check.Diff(t, "i32", []bool{false, false, false}, kinds(i32))
		if c.Library().Has("mlirAMDGPUTDMGatherBaseTypeGet") {
			_, err := amdgpu.TDMGatherBaseType(i32, f16)
			check.Error(t, err, "not f16")
			_, err = amdgpu.TDMGatherBaseType(i32, mlirtest.Type(c, "i3"))
			check.Error(t, err, "i3")
			_, err = amdgpu.TDMGatherBaseType(mlirtest.Type(c, "index"), i32)
			check.Error(t, err, "must be integers or floats, not index")
		}
		other := mlirtest.ContextOf(t, c.Library())
		check.Panics(t, "a type of another context",
			func() { amdgpu.TDMGatherBaseType(i32, mlirtest.Type(other, "i32")) })
		check.Panics(t, "called on a zero value", func() { amdgpu.TDMBaseType(mlir.Type{}) })
	})
}
