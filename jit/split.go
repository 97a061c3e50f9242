package jit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// The ranges that several threads compute, in units of work: see nest.work. They depend on the module alone, so the
// results have the same bits whatever the number of threads.
const (
	leastWork  = 1 << 22 // of loops that are split: some 40 µs
	rangeWork  = 1 << 18 // of a range, at least
	mostRanges = 64      // of a loop
	vectors    = 512     // elements of a range of the innermost loop are a multiple of it
)

// split moves the operation to a function that computes a range of the iterations of one of its loops, and calls it for
// all ranges, if there is enough work. n.op is then the moved operation.
func (n *nest) split(m *mlir.Module, number int) error {
	if f, err := main(m); err != nil || !isInside(n.op, f) {
		return err // it is part of a range
	}
	combiner, sums := n.combiner()
	loop, grain := n.ranges(func(loop int) bool { return sums || n.isParallel(loop) })
	if grain == 0 {
		return nil
	}
	o := outline{op: n.op}
	if !o.collect() {
		return nil
	}
	var s sum
	if sums {
		var err error
		if s, err = n.newSum(m, combiner, divideUp(n.sizes()[loop], grain)); err != nil {
			return err
		}
		o.parameters = append(o.parameters, s.partial)
	}
	name := fmt.Sprintf("calliope.range%d", number)
	moved, begin, end, err := o.move(m, name)
	if err != nil {
		return err
	}
	b := mlir.NewBuilder(mlir.Before(n.op), n.op.Location())
	o.call(b, name, n.sizes()[loop], grain)
	if sums {
		n.combine(s, combiner)
	}
	if err := cmp.Or(b.Err(), n.b.Err(), n.op.Erase()); err != nil {
		return err
	}
	n.op, n.loop, n.begin, n.end = moved, loop, begin, end
	n.b = mlir.NewBuilder(mlir.Before(moved), moved.Location())
	n.GenericOp, _ = linalg.AsGeneric(moved)
	if sums {
		s.partial = begin.Block().Argument(begin.Block().NumArguments() - 1)
		s.place = arith.DivUI(n.b, begin, arith.ConstantIndex(n.b, grain))
		memref.Store(n.b, s.identity(n.b), s.partial, s.place)
		n.sum = s
	}
	return nil
}

// isInside reports whether an operation is inside of another one.
func isInside(op, other mlir.Operation) bool {
	for !op.IsNil() && !op.Equal(other) {
		op = op.Parent()
	}
	return !op.IsNil()
}

// ranges returns which loop is split, and how many iterations a range has: 0 if none is. It is the outermost loop of
// enough iterations, or the longest one, of those that may be split.
func (n nest) ranges(may func(loop int) bool) (loop int, grain int64) {
	sizes, total := n.sizes(), n.work()
	loop = -1
	for i, size := range sizes {
		total *= size
		if may(i) && (loop < 0 || sizes[loop] < mostRanges && size > sizes[loop]) {
			loop = i
		}
	}
	if loop < 0 || total < leastWork {
		return loop, 0
	}
	grain = max(1, divideUp(sizes[loop], min(mostRanges, total/rangeWork)))
	if loop == n.innermost() {
		grain = divideUp(grain, vectors) * vectors
	}
	if grain >= sizes[loop] {
		return loop, 0
	}
	return loop, grain
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }

// isParallel reports whether the iterations of a loop write different elements and read none of them but their own.
func (n nest) isParallel(loop int) bool {
	for _, m := range n.IndexingMaps[len(n.Inputs):] {
		if !dependOn(m.Results(), loop) {
			return false
		}
	}
	return strings.Contains(n.IteratorTypes[loop].String(), linalg.ParallelLoop)
}

// work estimates how long an iteration takes. The unit is an operation on one of the elements of a vector.
func (n nest) work() int64 {
	units := int64(8 * len(n.IndexingMaps))
	for op := range n.op.All() {
		units++
		if strings.HasPrefix(op.Name(), "math.") {
			units += 15
		}
	}
	return units
}

// An outline is an operation that moves to a function.
type outline struct {
	op         mlir.Operation
	loops      bool             // whether it is one that stores its results, and may take numbers
	copied     []mlir.Operation // what computes values for it, in order
	parameters []mlir.Value     // other values for it
	memory     int64            // bytes of the last parameter, which each thread has by itself; 0 if it is as others
}

var (
	// computing are the dialects whose operations write nothing but their results.
	computing = []string{"affine", "arith", "complex", "linalg", "math"}
	// pure are the operations outside that the function does once more.
	pure = append([]string{"arith.constant", "llvm.mlir.addressof", "llvm.mlir.constant", "memref.get_global"},
		bufferViews...)
)

// collect finds the values that the operation needs. It returns false if it cannot be moved.
func (o *outline) collect() bool {
	for op := range o.op.All() {
		dialect, _, _ := strings.Cut(op.Name(), ".")
		stores := dialect == "scf" || op.Name() == "memref.store"
		if op.Name() != "memref.load" && !slices.Contains(computing, dialect) && !(o.loops && stores) {
			return false
		}
		for _, v := range op.OperandValues() {
			if !o.op.Encloses(v) && !o.need(v) {
				return false
			}
		}
	}
	return true
}

// need adds a value.
func (o *outline) need(v mlir.Value) bool {
	if v.IsResult() && slices.Contains(pure, v.Owner().Name()) {
		if slices.ContainsFunc(o.copied, v.Owner().Equal) {
			return true
		}
		for _, operand := range v.Owner().OperandValues() {
			if !o.need(operand) {
				return false
			}
		}
		o.copied = append(o.copied, v.Owner())
		return true
	}
	if !slices.Contains(o.parameters, v) {
		o.parameters = append(o.parameters, v)
	}
	if isBuffer(v.Type()) {
		return isWhole(v.Type())
	}
	return o.loops || v.Type().IsIndex()
}

// move copies the operation to a new function, and returns it there, with the bounds of the range.
func (o *outline) move(m *mlir.Module, name string) (moved mlir.Operation, begin, end mlir.Value, err error) {
	f, err := extern.Define(m, name, o.text(name))
	if err != nil {
		return mlir.Operation{}, begin, end, err
	}
	body := f.Region(0).First()
	return o.copyTo(body, 2), body.Argument(0), body.Argument(1), nil
}

// copyTo copies the operation to the body of a function, whose parameters from the first one on are its values.
func (o *outline) copyTo(body mlir.Block, first int) (copied mlir.Operation) {
	var copies mlir.Mapping
	for i, v := range o.parameters {
		copies.Map(v, body.Argument(first+i))
	}
	for _, op := range append(o.copied, o.op) {
		copied = body.InsertBefore(body.Terminator(), op.CloneWith(&copies))
	}
	return copied
}

// The C function that calls another one for all ranges, and its type.
const (
	splitFunction = "calliope_jit_split"
	splitType     = "(!llvm.ptr, i64, i64, i64, i64, ...)"
)

// text returns the function without the operation, and what it takes to call it.
func (o *outline) text(name string) string {
	return fmt.Sprintf(`llvm.func @%[1]s%[2]s
		llvm.func @%[3]s%[4]s(!llvm.ptr)
		func.func @%[4]s(%%begin: index, %%end: index%[5]s) { return }`,
		splitFunction, splitType, extern.Packed, name, o.declared())
}

// declared returns the declaration of the parameters.
func (o *outline) declared() string {
	alone := ""
	if o.isAlone() {
		alone = " {llvm.noalias}"
	}
	var parameters strings.Builder
	for i, v := range o.parameters {
		fmt.Fprintf(&parameters, ", %%p%d: %s", i, v.Type())
		if isBuffer(v.Type()) {
			parameters.WriteString(alone)
		}
	}
	return parameters.String()
}

// isAlone reports whether no buffers overlap: they are parameters that overlap nothing, as those of main, or have
// places of their own in the arena, or will have.
func (o *outline) isAlone() bool {
	return !slices.ContainsFunc(o.parameters, func(v mlir.Value) bool {
		if !isBuffer(v.Type()) {
			return false
		}
		if v.IsArgument() {
			_, alone := function.ArgAttr(v.Block().Parent(), v.Index(), "llvm.noalias")
			return !alone
		}
		return !slices.Contains([]string{"memref.alloc", "memref.alloca", "memref.view"}, v.Owner().Name())
	})
}

// call creates the call for all ranges.
func (o *outline) call(b *mlir.Builder, name string, size, grain int64) {
	word := b.Context().IntegerType(64, mlir.Signless)
	operands := []mlir.Value{llvm.AddressOf(b, b.Type("!llvm.ptr"), extern.Packed+name)}
	for _, n := range []int64{size, grain, o.memory, int64(len(o.parameters))} {
		operands = append(operands, arith.ConstantInt(b, word, n))
	}
	for _, v := range o.parameters {
		if isBuffer(v.Type()) {
			v = memref.ExtractAlignedPointerAsIndex(b, v)
		}
		operands = append(operands, arith.IndexCast(b, word, v))
	}
	llvm.CallOp{VarCalleeType: b.Type("!llvm.func<void " + splitType + ">"), Callee: splitFunction,
		CalleeOperands: operands}.Create(b)
}
