// Package nvgpu builds and reads the operations of MLIR's dialect nvgpu: instructions of NVIDIA's GPUs on vectors
// and memrefs. It also makes the type of a tensor map descriptor. If the library lacks what a function needs, the
// error matches mlir.ErrUnsupported.
package nvgpu

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Swizzle is the pattern that distributes the data of a tensor map over the banks of
// shared memory.
type Swizzle int

const (
	SwizzleNone Swizzle = iota
	Swizzle32B
	Swizzle64B
	Swizzle128B
)

// L2Promotion is the size to which transfers are widened for the L2 cache.
type L2Promotion int

const (
	L2None L2Promotion = iota
	L2Promote64B
	L2Promote128B
	L2Promote256B
)

// OOBFill is the value of elements that are out of bounds.
type OOBFill int

const (
	OOBZero OOBFill = iota
	OOBNaN
)

// Interleave is the interleaving of a tensor map.
type Interleave int

const (
	InterleaveNone Interleave = iota
	Interleave16B
	Interleave32B
)

// A TensorMapDescriptor is !nvgpu.tensormap.descriptor<…>.
type TensorMapDescriptor struct {
	Tensor     mlir.Type // a memref of static shape
	Swizzle    Swizzle
	L2         L2Promotion
	OOB        OOBFill
	Interleave Interleave
}

// Type returns the type.
func (d TensorMapDescriptor) Type(c *mlir.Context) (mlir.Type, error) {
	tensor := raw.TypeIn(d.Tensor, c, "nvgpu.TensorMapDescriptor.Type")
	t, err := raw.Load(c, "nvgpu", "mlirNVGPUTensorMapDescriptorTypeGet")
	switch {
	case err != nil:
		return mlir.Type{}, err
	case !capi.MlirTypeIsAMemRef(t, tensor):
		return mlir.Type{}, fmt.Errorf("nvgpu: the tensor of a tensor map must be a memref, not %s", d.Tensor)
	case d.Swizzle < SwizzleNone || d.Swizzle > Swizzle128B, d.L2 < L2None || d.L2 > L2Promote256B,
		d.OOB < OOBZero || d.OOB > OOBNaN, d.Interleave < InterleaveNone || d.Interleave > Interleave32B:
		return mlir.Type{}, fmt.Errorf("nvgpu: a tensor map cannot have swizzle %d, promotion %d, fill %d and interleave %d: use the constants",
			d.Swizzle, d.L2, d.OOB, d.Interleave)
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirNVGPUTensorMapDescriptorTypeGet(t, raw.Context(c), tensor,
		int32(d.Swizzle), int32(d.L2), int32(d.OOB), int32(d.Interleave))))
}

// IsTensorMapDescriptor reports whether t is !nvgpu.tensormap.descriptor<…>.
func IsTensorMapDescriptor(t mlir.Type) bool { return raw.IsType(t, "!nvgpu.tensormap.descriptor") }
