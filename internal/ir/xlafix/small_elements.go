package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// widenSmallElements sorts elements of fewer than 8 bits as those of 8 bits, joins arrays of 2 bits as such, and
// multiplies small elements in the type of the result, or in one of 8 bits. XLA sorts elements of 2 bits wrongly, or
// ends the process on them, and has no products that are wider than small elements. It returns the number of operations
// that it changed.
func widenSmallElements(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named(onSmallElements...) {
		joins := op.Name() == "stablehlo.concatenate"
		if !takesSmallElements(op) || joins && !computesSmallElements(op) {
			continue
		}
		var err error
		switch op.Name() {
		case "stablehlo.sort":
			err = widenSort(op)
		case "chlo.top_k", "stablehlo.concatenate":
			err = widen(op, emitter.widened, wider)
		default:
			element, _ := wider(op.Result(0).Type()).Element()
			err = widen(op, func(e emitter, v mlir.Value) mlir.Value { return e.to(v, element) }, wider)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// keepSmallResults returns arrays from main by way of 8 bits whose elements have fewer, if there are several results:
// an older plugin ends the process where one of them is transposed. It returns the number of such results.
func keepSmallResults(m *mlir.Module) (int, error) {
	f, ok := m.SymbolTable().Lookup("main")
	if !ok || f.Name() != "func.func" || !rewrite.IsPlain(f) {
		return 0, nil
	}
	end := f.Region(0).First().Terminator()
	if end.NumOperands() < 2 {
		return 0, nil
	}
	n := 0
	for i, v := range end.Operands() {
		if rank, _ := v.Type().Rank(); rank < 2 || !v.IsResult() || !isSmall(v.Type()) || isKept(v.Owner()) {
			continue
		}
		e := before(end)
		wide := stablehlo.OptimizationBarrier(e.Builder, e.widened(v)).Result(0)
		element, _ := v.Type().Element()
		end.SetOperand(i, e.to(wide, element))
		if e.Cause() != nil {
			return n, e.Cause()
		}
		n++
	}
	return n, nil
}

// isKept reports whether an operation is what keepSmallResults has made.
func isKept(op mlir.Operation) bool {
	return op.Name() == "stablehlo.convert" && op.Operand(0).IsResult() &&
		op.Operand(0).Owner().Name() == barrier
}

// onSmallElements are the operations that XLA does not compute on elements of fewer than 8 bits.
var onSmallElements = []string{"chlo.top_k", "stablehlo.concatenate", "stablehlo.convolution", "stablehlo.dot",
	"stablehlo.dot_general", "stablehlo.sort"}

// takesSmallElements reports whether an operation has operands of fewer than 8 bits.
func takesSmallElements(op mlir.Operation) bool {
	if !isStatic(op) {
		return false
	}
	for _, v := range op.Operands() {
		if isSmall(v.Type()) {
			return true
		}
	}
	return false
}

// computesSmallElements reports whether XLA gets an operation on small elements wrong, or has no code for it: it sorts
// one array of 4 bits, and multiplies such arrays to one of the same type.
func computesSmallElements(op mlir.Operation) bool {
	element, _ := op.Operand(0).Type().Element()
	bits, _, isInteger := element.IntegerWidth()
	switch {
	case op.Name() == "chlo.top_k", isInteger && bits < 4:
		return true
	case op.Name() == "stablehlo.sort":
		return op.NumOperands() > 1
	case op.Name() == "stablehlo.concatenate":
		return false
	}
	to, _ := op.Result(0).Type().Element()
	return !to.Equal(element)
}

// isSmall reports whether the elements of an array have fewer than 8 bits. Booleans have 8.
func isSmall(t mlir.Type) bool {
	element, _ := t.Element()
	if kind, ok := element.FloatKind(); ok {
		return kind.Bits() < 8
	}
	bits, _, ok := element.IntegerWidth()
	return ok && bits > 1 && bits < 8
}

// wider returns the type of an array of a type whose elements have enough bits. It is that type, if they have.
func wider(t mlir.Type) mlir.Type {
	if !isSmall(t) {
		return t
	}
	element, _ := t.Element()
	wide := t.Context().F32Type()
	if _, sign, ok := element.IntegerWidth(); ok {
		wide = t.Context().IntegerType(8, sign)
	}
	t, _ = withElement(t, wide)
	return t
}

func (e emitter) widened(v mlir.Value) mlir.Value {
	element, _ := wider(v.Type()).Element()
	return e.to(v, element)
}

// to returns an array with its elements converted to a type.
func (e emitter) to(v mlir.Value, element mlir.Type) mlir.Value {
	t, err := withElement(v.Type(), element)
	if e.Fail(err); err != nil || t.Equal(v.Type()) {
		return v
	}
	return stablehlo.Convert(e.Builder, t, v)
}

// widen replaces an operation by one on other operands, whose results are converted to those of the first.
func widen(op mlir.Operation, operand func(emitter, mlir.Value) mlir.Value, result func(mlir.Type) mlir.Type) error {
	e := before(op)
	var operands []mlir.Value
	for _, v := range op.Operands() {
		operands = append(operands, operand(e, v))
	}
	var results []mlir.Type
	for _, v := range op.Results() {
		results = append(results, result(v.Type()))
	}
	if e.Cause() != nil {
		return e.Cause()
	}
	made, err := rewrite.Copy(op, operands, results)
	if err != nil {
		return err
	}
	for i, v := range op.Results() {
		element, _ := v.Type().Element()
		v.ReplaceAllUses(e.to(made.Result(i), element))
	}
	if e.Cause() != nil {
		return e.Cause()
	}
	return op.Erase()
}

// widenSort sorts wider elements, which the comparator gets as they were.
func widenSort(op mlir.Operation) error {
	body := op.Region(0).First()
	e := before(body.First())
	for i := range body.NumArguments() {
		old := body.Argument(i)
		if !isSmall(old.Type()) {
			continue
		}
		v := body.InsertArgument(i, wider(old.Type()), op.Location())
		element, _ := old.Type().Element()
		old.ReplaceAllUses(e.to(v, element))
		if err := body.EraseArgument(i + 1); err != nil {
			return err
		}
	}
	if e.Cause() != nil {
		return e.Cause()
	}
	return widen(op, emitter.widened, wider)
}
