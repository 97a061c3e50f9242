package jit

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

// moveBits makes integers of the numbers of bf16, which are only moved by now. LLVM takes a number that one block loads
// and another one uses for f32, and rounds it again: with an instruction of x86 that makes zeros of denormal numbers,
// or, on processors without it, with a function that no library has.
func moveBits(m *mlir.Module, _ *Executable) error {
	types := map[mlir.Type]mlir.Type{}
	bits := func(t mlir.Type) (mlir.Type, error) {
		if _, ok := types[t]; !ok {
			types[t] = t
			if text := t.String(); strings.Contains(text, "bf16") {
				var err error
				if types[t], err = m.Context().ParseType(strings.ReplaceAll(text, "bf16", "i16")); err != nil {
					return t, err
				}
			}
		}
		return types[t], nil
	}
	for op := range m.Operation().All() {
		for name, a := range op.Attributes() {
			if t, ok := a.TypeValue(); ok {
				to, err := bits(t)
				if err != nil {
					return err
				}
				if to != t {
					op.SetAttribute(name, m.Context().TypeAttribute(to))
				}
			}
		}
		values := op.ResultValues()
		for _, r := range op.Regions() {
			for block := range r.Blocks() {
				for _, v := range block.Arguments() {
					values = append(values, v)
				}
			}
		}
		for _, v := range values {
			switch t, err := bits(v.Type()); {
			case err != nil:
				return err
			case t == v.Type():
			case op.Name() == "llvm.mlir.constant":
				b := mlir.NewBuilder(mlir.After(op), op.Location())
				x := llvm.Bitcast(b, t, v)
				if b.Err() != nil {
					return b.Err()
				}
				v.ReplaceAllUsesExcept(x, x.Owner())
			default:
				v.SetType(t)
			}
		}
	}
	return nil
}
