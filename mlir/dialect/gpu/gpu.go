// Package gpu builds and reads the operations of MLIR's dialect gpu: kernels, their launch, and memory of GPUs.
// Launch, Module and Kernel take Go functions that build the bodies, and ModuleOptions has the targets of a module.
// Objects reads the compiled code in a gpu.binary. If the library lacks what a function needs, the error matches
// mlir.ErrUnsupported.
package gpu

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "gpu"

// AsyncTokenType returns !gpu.async.token.
func AsyncTokenType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirGPUAsyncTokenTypeGet", capi.MlirGPUAsyncTokenTypeGet)
}

// IsAsyncToken reports whether t is !gpu.async.token.
func IsAsyncToken(t mlir.Type) bool { return raw.IsType(t, "!gpu.async.token") }

// Format is the format of a compiled GPU module.
type Format int

const (
	Offload   Format = iota + 1 // bytecode of a compiler
	Assembly                    // text of an assembler
	Binary                      // for one device
	FatBinary                   // for several devices
)

// An Object is #gpu.object<…>, a compiled GPU module.
type Object struct {
	Target     mlir.Attribute // target of the compilation, such as #nvvm.target
	Format     Format
	Data       []byte
	Properties mlir.Attribute // a dictionary, or nil
	Kernels    mlir.Attribute // #gpu.kernel_table<…>, or nil; not in LLVM 19
}

// Attribute returns the attribute. It copies the data.
func (o Object) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	const method = "gpu.Object.Attribute"
	target := raw.AttributeIn(o.Target, c, method)
	functions := []string{"mlirGPUObjectAttrGet"}
	if !o.Kernels.IsNil() {
		functions = []string{"mlirGPUObjectAttrGetWithKernels"}
	}
	t, err := raw.Load(c, dialect, functions...)
	if err != nil {
		return mlir.Attribute{}, err
	}
	if o.Format < Offload || o.Format > FatBinary {
		return mlir.Attribute{}, fmt.Errorf("gpu: %d is not a format of an object: use the constants", o.Format)
	}
	var properties, kernels capi.MlirAttribute
	if !o.Properties.IsNil() {
		if properties = raw.AttributeIn(o.Properties, c, method); !o.Properties.IsDictionary() {
			return mlir.Attribute{},
				fmt.Errorf("gpu: the properties of an object must be a dictionary, not %s", o.Properties)
		}
	}
	if o.Kernels.IsNil() {
		return raw.ParsedAttribute(raw.WrapAttribute(c,
			capi.MlirGPUObjectAttrGet(t, raw.Context(c), target, uint32(o.Format), string(o.Data), properties)))
	}
	if kernels = raw.AttributeIn(o.Kernels, c, method); !raw.IsAttribute(o.Kernels, "#gpu.kernel_table") {
		return mlir.Attribute{},
			fmt.Errorf("gpu: the kernels of an object must be a #gpu.kernel_table, not %s", o.Kernels)
	}
	return raw.ParsedAttribute(raw.WrapAttribute(c,
		capi.MlirGPUObjectAttrGetWithKernels(t, raw.Context(c), target, uint32(o.Format), string(o.Data), properties,
			kernels)))
}

// IsObject reports whether a is #gpu.object<…>.
func IsObject(a mlir.Attribute) bool { return raw.IsAttribute(a, "#gpu.object") }

// Objects returns the compiled modules that a gpu.binary holds, in one copy each. It returns an
// error if op is another operation.
func Objects(op mlir.Operation) ([]Object, error) {
	binary, ok := AsBinary(op)
	if !ok {
		return nil, errors.New("gpu: Objects was given an operation that is not a gpu.binary")
	}
	objects := make([]Object, len(binary.Objects))
	for i, a := range binary.Objects {
		o, err := ReadObject(a)
		if err != nil {
			return nil, err
		}
		objects[i] = o
	}
	return objects, nil
}

// ReadObject returns a as an Object. It copies the data. It returns an error if a is
// another attribute.
func ReadObject(a mlir.Attribute) (Object, error) {
	c, h := raw.UnwrapAttribute(a, "gpu.ReadObject")
	if !IsObject(a) {
		return Object{}, fmt.Errorf("gpu: %s is not an object", a)
	}
	l := c.Library()
	if err := raw.Need(l, "mlirGPUObjectAttrGetTarget", "mlirGPUObjectAttrGetFormat", "mlirGPUObjectAttrGetObject",
		"mlirGPUObjectAttrHasProperties", "mlirGPUObjectAttrGetProperties"); err != nil {
		return Object{}, err
	}
	t := raw.LibraryTable(l)
	o := Object{
		Target: raw.WrapAttribute(c, capi.MlirGPUObjectAttrGetTarget(t, h)),
		Format: Format(capi.MlirGPUObjectAttrGetFormat(t, h)),
		Data:   []byte(capi.MlirGPUObjectAttrGetObject(t, h)),
	}
	if capi.MlirGPUObjectAttrHasProperties(t, h) {
		o.Properties = raw.WrapAttribute(c, capi.MlirGPUObjectAttrGetProperties(t, h))
	}
	if l.Has("mlirGPUObjectAttrHasKernels") && l.Has("mlirGPUObjectAttrGetKernels") &&
		capi.MlirGPUObjectAttrHasKernels(t, h) {
		o.Kernels = raw.WrapAttribute(c, capi.MlirGPUObjectAttrGetKernels(t, h))
	}
	return o, nil
}
