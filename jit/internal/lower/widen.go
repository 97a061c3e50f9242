package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// widen makes the parameters and results of main whose elements are integers of less than a byte ones of bytes, of
// which LLVM would not define the bits above an element.
func widen(m *mlir.Module) error {
	f, ok := m.SymbolTable().Lookup("main")
	if !ok {
		return nil
	}
	c, body := f.Context(), f.Region(0).First()
	end := body.Terminator()
	b := mlir.NewBuilder(mlir.AtStart(body), f.Location())
	var in, out []mlir.Type
	for _, a := range body.Arguments() {
		before := a.Type()
		if wide, ok := widened(c, before); ok {
			a.SetType(wide)
			narrow := stablehlo.Convert(b, before, a)
			a.ReplaceAllUsesExcept(narrow, narrow.Owner())
		}
		in = append(in, a.Type())
	}
	b = b.At(mlir.Before(end))
	for i, v := range end.Operands() {
		if wide, ok := widened(c, v.Type()); ok {
			v = stablehlo.Convert(b, wide, v)
			end.SetOperand(i, v)
		}
		out = append(out, v.Type())
	}
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(in, out)))
	return b.Err()
}

// widened returns a type with bytes in place of smaller integers, and whether t has such.
func widened(c *mlir.Context, t mlir.Type) (mlir.Type, bool) {
	elem, ok := t.Element()
	if !ok {
		return t, false
	}
	bits, sign, ok := elem.IntegerWidth()
	if !ok || bits >= 8 || bits == 1 {
		return t, false
	}
	sizes, _ := t.Dims()
	wide, err := c.TensorType(c.IntegerType(8, sign), sizes...)
	return wide, err == nil
}
