package stablehlo

import (
	"errors"
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

// SelectPlatform binds the argument of main that is the index of the platform, and changes the
// module in place: it removes the argument, passes on its value to the functions that take the
// index, and removes the branches of other platforms, whose custom calls a compiler may lack.
// The index is that of the platform in the list for which the module was exported: see
// jaxexport.Exported.PlatformIndex. SelectPlatform returns an error if there is no such
// argument.
func SelectPlatform(m *mlir.Module, index int) error {
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	argument, ok := platformArgument(main)
	if !ok {
		return fmt.Errorf("stablehlo: selecting a platform: main has no argument that is the index of the platform")
	}
	if index < 0 || int(int32(index)) != index {
		return fmt.Errorf("stablehlo: selecting a platform: there is no platform %d", index)
	}
	for f := range m.Body().Operations() {
		if f.Name() != function {
			continue
		}
		if err := bindPlatform(f, int32(index)); err != nil {
			return err
		}
		for b := range f.Region(0).Blocks() {
			if err := selectBranches(b); err != nil {
				return err
			}
		}
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
	return runPasses(m, "symbol-dce") // functions of other platforms
}

// bindPlatform replaces the uses of the argument that is the index of the platform, if a function
// has one.
func bindPlatform(f mlir.Operation, index int32) error {
	argument, ok := platformArgument(f)
	block := f.Region(0).First()
	if !ok || block.IsNil() {
		return nil
	}
	v := block.Argument(argument)
	shape, err := ShapeOf(v.Type())
	if err != nil || shape.Rank() != 0 || shape.DType != tensor.S32 {
		return fmt.Errorf("stablehlo: selecting a platform: the index of the platform must be a tensor<i32>, not %s",
			v.Type())
	}
	b := mlir.NewBuilder(mlir.AtStart(block), f.Location())
	constant := Constant(b, tensor.Scalar(index))
	if b.Err() == nil {
		v.ReplaceAllUses(constant)
	}
	return errors.Unwrap(b.Err())
}

// selectBranches replaces each case whose index is a constant by its branch. The index of a case
// may be the result of one before it.
func selectBranches(b mlir.Block) error {
	for op := b.First(); !op.IsNil(); {
		branch, ok := selectedBranch(op)
		if !ok {
			for _, r := range op.Regions() {
				for inner := range r.Blocks() {
					if err := selectBranches(inner); err != nil {
						return err
					}
				}
			}
			op = op.Next()
			continue
		}
		selected := op
		op = branch.First()
		for o, last := op, branch.Terminator(); o != last; {
			next := o.Next()
			o.MoveBefore(selected)
			o = next
		}
		if op == branch.Terminator() {
			op = selected.Next()
		}
		for i, v := range branch.Terminator().OperandValues() {
			selected.Result(i).ReplaceAllUses(v)
		}
		if err := selected.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// selectedBranch returns the branch that a case takes, if its index is a constant. An index that
// is out of range takes the last one.
func selectedBranch(op mlir.Operation) (mlir.Block, bool) {
	c, ok := AsCase(op)
	if !ok || !c.Index.IsResult() {
		return mlir.Block{}, false
	}
	constant, ok := AsConstant(c.Index.Owner())
	if !ok {
		return mlir.Block{}, false
	}
	index, err := tensor.Slice[int32](constant.Value)
	if err != nil {
		return mlir.Block{}, false
	}
	i, last := int(index[0]), len(c.Branches)-1
	if i < 0 || i > last {
		i = last
	}
	return c.Branches[i].First(), true
}
