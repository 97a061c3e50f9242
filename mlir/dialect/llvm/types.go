package llvm

import (
	"fmt"
	"math"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "llvm"

// PointerType returns !llvm.ptr in an address space, which must fit into 24 bits.
func PointerType(c *mlir.Context, addressSpace int) (mlir.Type, error) {
	if addressSpace < 0 || addressSpace >= 1<<24 {
		return mlir.Type{}, fmt.Errorf("llvm: an address space must be from 0 to %d, not %d", 1<<24-1, addressSpace)
	}
	t, err := raw.Load(c, dialect, "mlirLLVMPointerTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.WrapType(c, capi.MlirLLVMPointerTypeGet(t, raw.Context(c), uint32(addressSpace))), nil
}

// IsPointer reports whether t is !llvm.ptr.
func IsPointer(t mlir.Type) bool { return raw.IsType(t, "!llvm.ptr") }

// AddressSpace returns the address space of a pointer type.
func AddressSpace(t mlir.Type) (int, error) {
	c, h := raw.UnwrapType(t, "llvm.AddressSpace")
	if !IsPointer(t) {
		return 0, fmt.Errorf("llvm: %s is not a pointer type", t)
	}
	if err := raw.Need(c.Library(), "mlirLLVMPointerTypeGetAddressSpace"); err != nil {
		return 0, err
	}
	return int(capi.MlirLLVMPointerTypeGetAddressSpace(raw.Table(c), h)), nil
}

// VoidType returns !llvm.void, the result type of a function without a result.
func VoidType(c *mlir.Context) (mlir.Type, error) {
	t, err := raw.Load(c, dialect, "mlirLLVMVoidTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.WrapType(c, capi.MlirLLVMVoidTypeGet(t, raw.Context(c))), nil
}

// IsVoid reports whether t is !llvm.void.
func IsVoid(t mlir.Type) bool { return raw.IsType(t, "!llvm.void") }

// An Array is !llvm.array<Len x Element>.
type Array struct {
	Element mlir.Type
	Len     int // at most 2³²-1, the limit of the C API
}

// Type returns the type.
func (a Array) Type(c *mlir.Context) (mlir.Type, error) {
	element := raw.TypeIn(a.Element, c, "llvm.Array.Type")
	if a.Len < 0 || a.Len > math.MaxUint32 {
		return mlir.Type{}, fmt.Errorf("llvm: an array cannot have %d elements", a.Len)
	}
	if err := storable(a.Element); err != nil {
		return mlir.Type{}, err
	}
	t, err := raw.Load(c, dialect, "mlirLLVMArrayTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirLLVMArrayTypeGet(t, element, uint32(a.Len))))
}

// IsArray reports whether t is !llvm.array<…>.
func IsArray(t mlir.Type) bool { return raw.IsType(t, "!llvm.array") }

// ReadArray returns t as an Array. It returns an error if t is another type.
func ReadArray(t mlir.Type) (Array, error) {
	c, h := raw.UnwrapType(t, "llvm.ReadArray")
	if !IsArray(t) {
		return Array{}, fmt.Errorf("llvm: %s is not an array type", t)
	}
	if err := raw.Need(c.Library(), "mlirLLVMArrayTypeGetElementType"); err != nil {
		return Array{}, err
	}
	a := Array{Element: raw.WrapType(c, capi.MlirLLVMArrayTypeGetElementType(raw.Table(c), h))}
	// The C API has no function for the length.
	if _, err := fmt.Sscanf(t.String(), "!llvm.array<%d x", &a.Len); err != nil {
		return Array{}, fmt.Errorf("llvm: cannot read the length of %s: %w", t, err)
	}
	return a, nil
}

// A Function is !llvm.func<Result (Params…)>. The zero Result is void. Variadic adds "..."
// after the parameters.
type Function struct {
	Result   mlir.Type
	Params   []mlir.Type
	Variadic bool
}

// Type returns the type.
func (f Function) Type(c *mlir.Context) (mlir.Type, error) {
	t, err := raw.Load(c, dialect, "mlirLLVMFunctionTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	if f.Result.IsNil() {
		if f.Result, err = VoidType(c); err != nil {
			return mlir.Type{}, err
		}
	}
	result, params := raw.TypeIn(f.Result, c, "llvm.Function.Type"), raw.Types(c, "llvm.Function.Type", f.Params)
	made := raw.WrapType(c, capi.MlirLLVMFunctionTypeGet(t, result, len(params), raw.First(params), f.Variadic))
	if made.IsNil() {
		return mlir.Type{}, raw.Failure(c, "making the type of a function")
	}
	return raw.Parsed(made)
}

// IsFunction reports whether t is !llvm.func<…>.
func IsFunction(t mlir.Type) bool { return raw.IsType(t, "!llvm.func") }

// ReadFunction returns t as a Function. It returns an error if t is another type.
func ReadFunction(t mlir.Type) (Function, error) {
	c, h := raw.UnwrapType(t, "llvm.ReadFunction")
	if !IsFunction(t) {
		return Function{}, fmt.Errorf("llvm: %s is not a function type of the llvm dialect", t)
	}
	if err := raw.Need(c.Library(), "mlirLLVMFunctionTypeGetNumInputs", "mlirLLVMFunctionTypeGetInput",
		"mlirLLVMFunctionTypeGetReturnType"); err != nil {
		return Function{}, err
	}
	api := raw.Table(c)
	return Function{
		Result: raw.WrapType(c, capi.MlirLLVMFunctionTypeGetReturnType(api, h)),
		Params: raw.WrapTypes(c, capi.MlirLLVMFunctionTypeGetNumInputs(api, h), func(i int) capi.MlirType {
			return capi.MlirLLVMFunctionTypeGetInput(api, h, i)
		}),
		// The C API has no function for this flag.
		Variadic: strings.HasSuffix(t.String(), "...)>"),
	}, nil
}

// storable returns an error if values of the type cannot be stored in memory.
func storable(t mlir.Type) error {
	for _, not := range []string{"!llvm.void", "!llvm.func", "!llvm.label", "!llvm.metadata", "!llvm.token"} {
		if raw.IsType(t, not) {
			return fmt.Errorf("llvm: a value of type %s cannot be in an array or a struct", t)
		}
	}
	return nil
}
