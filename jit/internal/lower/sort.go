package lower

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerSort makes a sort a call of a C function, to which it gives the comparator as a function of the module. That is
// all that LLVM compiles of it.
func lowerSort(e *emitter) error {
	op, ok := stablehlo.AsSort(e.op)
	if !ok {
		return errMalformed
	}
	inputs := e.operands()
	rows := dims(inputs[0])
	d := sortedDim(op)
	n := rows[d]
	if n < 2 {
		return e.replace(inputs)
	}
	if n > math.MaxUint32 {
		return fmt.Errorf("a row has %d elements, and at most %d are sorted", n, uint32(math.MaxUint32))
	}
	number := 0
	for name := "calliope.sort0"; hasSymbol(e.module, name); name = fmt.Sprintf("calliope.sort%d", number) {
		number++
	}
	c := comparator{emitter: e, block: op.Comparator.First(), name: fmt.Sprintf("calliope.less%d", number)}
	if err := c.define(); err != nil {
		return err
	}
	call := extern.Call{Function: "calliope_jit_sort", Pointer: extern.Packed + c.name, Fixed: 6,
		Numbers: []int64{product(rows[:d]), n, product(rows[d+1:]), int64(len(inputs)), int64(len(c.captured))}}
	array := func(v mlir.Value, a extern.Access) {
		call.Arrays = append(call.Arrays, extern.Array{Value: v, Access: a})
	}
	memory := aligned(8 * n)
	for _, v := range inputs {
		size, err := elementBytes(v.Type())
		if err != nil {
			return err
		}
		call.Numbers = append(call.Numbers, size)
		memory += aligned(n * size)
		array(v, extern.Read)
	}
	for _, v := range inputs {
		array(e.buffer(v.Type()), extern.Write)
	}
	array(e.buffer(e.tensorOf(e.integer(8), memory)), extern.Write)
	for _, v := range c.packed {
		array(e.signless(v), extern.Read)
	}
	after := call.Create(e.Builder, e.module, fmt.Sprintf("calliope.sort%d", number))
	if e.Err() != nil {
		return e.Err()
	}
	return e.replace(after[len(inputs) : 2*len(inputs)])
}

// sortedDim returns the dimension that a sort is along. Negative ones count from the last one.
func sortedDim(op stablehlo.SortOp) int {
	rank := len(dims(op.Inputs[0]))
	switch {
	case op.Dimension == nil:
		return rank - 1
	case *op.Dimension < 0:
		return rank + int(*op.Dimension)
	}
	return int(*op.Dimension)
}

// elementBytes returns the size of an element in memory. There are no arrays of the host of all floating-point numbers.
func elementBytes(t mlir.Type) (int64, error) {
	elem, _ := t.Element()
	if kind, ok := elem.FloatKind(); ok {
		return int64(kind.Bits()+7) / 8, nil
	}
	shape, err := stablehlo.ShapeOf(t)
	return int64(shape.DType.Size()), err
}

// aligned rounds up to a multiple of 16, the size of the largest elements.
func aligned(n int64) int64 { return (n + 15) &^ 15 }

func hasSymbol(m *mlir.Module, name string) bool {
	_, ok := m.SymbolTable().Lookup(name)
	return ok
}

// A comparator is a region that becomes a function.
type comparator struct {
	*emitter
	block    mlir.Block
	name     string
	captured []mlir.Value // of around the region, but no constants
	packed   []mlir.Value // these as tensors, which are the last arguments
}

// define adds the function to the module.
func (c *comparator) define() error {
	constants := c.capture()
	c.packed = each(c.captured, c.pack)
	var parameters []string
	for i, v := range slices.Concat(c.block.ArgumentValues(), c.packed) {
		parameters = append(parameters, fmt.Sprintf("%%p%d: %s", i, signlessType(c.Context(), v.Type())))
	}
	text := fmt.Sprintf("func.func @%s(%s) -> i1 {\n%%f = arith.constant false\nreturn %%f : i1\n}", c.name,
		strings.Join(parameters, ", "))
	f, err := extern.Define(c.module, c.name, text)
	if err != nil {
		return err
	}
	body := f.Region(0).First()
	end, n := body.Terminator(), c.block.NumArguments()
	inside := &emitter{Builder: mlir.NewBuilder(mlir.Before(end), c.op.Location()), op: c.op, module: c.module}
	local := map[mlir.Value]mlir.Value{}
	for i, v := range c.captured {
		local[v] = body.Argument(n + i)
		if !v.Type().IsRankedTensor() {
			local[v] = inside.unpack(local[v])
		}
		local[v] = inside.cast(local[v], v.Type())
	}
	for _, v := range constants {
		local[v] = body.InsertBefore(end, v.Owner().Clone()).Result(0)
	}
	for op := range c.inside() {
		for i, v := range op.OperandValues() {
			if inner, ok := local[v]; ok {
				op.SetOperand(i, inner)
			}
		}
	}
	less := inside.unpack(inside.take(c.block, body.ArgumentValues()[:n])[0])
	if inside.Err() == nil {
		end.SetOperand(0, less)
	}
	return inside.Err()
}

// inside returns the operations of the region.
func (c *comparator) inside() iter.Seq[mlir.Operation] {
	return func(yield func(mlir.Operation) bool) {
		for op := range c.op.All() {
			if !op.Equal(c.op) && !yield(op) {
				return
			}
		}
	}
}

// capture finds the values of around the region that it uses, and returns those that are constants.
func (c *comparator) capture() (constants []mlir.Value) {
	for op := range c.inside() {
		for _, v := range op.OperandValues() {
			list := &c.captured
			if v.IsResult() && strings.HasSuffix(v.Owner().Name(), ".constant") {
				list = &constants
			}
			if !c.op.Encloses(v) && !slices.Contains(*list, v) {
				*list = append(*list, v)
			}
		}
	}
	return constants
}

var errMalformed = errors.New("it is malformed")
