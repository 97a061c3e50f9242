package stablehlo

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// platformConstant marks the argument that is the index of the platform. jax.export writes
// it in modules for several platforms.
const platformConstant = "_platform_index"

// PlatformArgument returns the index of the argument of main that is the index of the
// platform, which modules of jax.export for several platforms have. It returns false if
// there is none.
func PlatformArgument(m *mlir.Module) (int, bool) {
	main, err := mainOf(m)
	if err != nil {
		return 0, false
	}
	return platformArgument(main)
}

func platformArgument(main mlir.Operation) (int, bool) {
	attributes, ok := main.Attribute("arg_attrs")
	if !ok {
		return 0, false
	}
	list, _ := attributes.Elements()
	for i, a := range list {
		if e, ok := a.Entry("jax.global_constant"); ok {
			if text, _ := e.Text(); text == platformConstant {
				return i, true
			}
		}
	}
	return 0, false
}

// SelectPlatform replaces the argument of main that is the index of the platform by a
// constant, and changes the module in place. The index is that of the platform in the list
// for which the module was exported: see jaxexport.Exported.PlatformIndex. SelectPlatform
// returns an error if there is no such argument.
func SelectPlatform(m *mlir.Module, index int) error {
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	argument, ok := platformArgument(main)
	if !ok {
		return fmt.Errorf("stablehlo: selecting a platform: main has no argument that is the index of the platform")
	}
	block := main.Region(0).First()
	v := block.Argument(argument)
	shape, err := ShapeOf(v.Type())
	if err != nil || shape.Rank() != 0 || shape.DType != tensor.S32 {
		return fmt.Errorf("stablehlo: selecting a platform: the index of the platform must be a tensor<i32>, not %s", v.Type())
	}
	if index < 0 || int(int32(index)) != index {
		return fmt.Errorf("stablehlo: selecting a platform: there is no platform %d", index)
	}
	constant, err := Constant{tensor.Scalar(int32(index))}.Create(mlir.AtStart(block), main.Location())
	if err != nil {
		return err
	}
	v.ReplaceAllUses(constant.Result(0))
	if err := block.EraseArgument(argument); err != nil {
		return err
	}
	list, _ := main.Attribute("arg_attrs")
	attributes, _ := list.Elements()
	main.SetAttribute("arg_attrs", main.Context().ArrayAttribute(slices.Delete(attributes, argument, argument+1)...))
	a, _ := main.Attribute("function_type")
	t, _ := a.TypeValue()
	in, out, _ := t.Signature()
	in = slices.Delete(in, argument, argument+1)
	main.SetAttribute("function_type", main.Context().TypeAttribute(main.Context().FunctionType(in, out)))
	return nil
}
