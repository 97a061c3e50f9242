package stablehlo

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
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

// SelectPlatform binds the argument of main that is the index of the platform, and changes the
// module in place: it removes the argument, passes on its value to what main calls, and removes
// the branches of other platforms, whose custom calls a compiler may lack. The index is that of
// the platform in the list for which the module was exported: see
// jaxexport.Exported.PlatformIndex. A function that was exported for platforms in another order
// gets the index that its caller computes for it. SelectPlatform returns an error if there is no
// such argument.
func SelectPlatform(m *mlir.Module, index int) error {
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	argument, ok := platformArgument(main)
	if !ok {
		return fmt.Errorf("stablehlo: selecting a platform: main has no argument that is the index of the platform")
	}
	v := main.Region(0).First().Argument(argument)
	shape, err := ShapeOf(v.Type())
	if err != nil || shape.Rank() != 0 || !isIntegral(shape.DType) {
		return fmt.Errorf("stablehlo: selecting a platform: the index of the platform must be a scalar integer, not %s",
			v.Type())
	}
	value := integer{shape, big.NewInt(int64(index))}
	if index < 0 || value.wrapped().Cmp(value.value) != 0 {
		return fmt.Errorf("stablehlo: selecting a platform: there is no platform %d", index)
	}
	if err := bindPlatform(m, v, value); err != nil {
		return err
	}
	if main, err = mainOf(m); err != nil {
		return err
	}
	if err := main.Region(0).First().EraseArgument(argument); err != nil {
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

// ResolvePlatforms removes the branches of other platforms in the functions of a module for one
// platform that were exported for several: their callers pass the index as a constant. It changes
// the module in place. A module without such functions stays as it is.
func ResolvePlatforms(m *mlir.Module) error {
	for f := range m.Body().Operations() {
		if f.Name() != function {
			continue
		}
		if _, ok := platformArgument(f); ok && !isMain(f) {
			return bindPlatform(m, mlir.Value{}, integer{})
		}
	}
	return nil
}
