package product

import (
	"math"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/vector"
	"github.com/calliope-mlir/calliope/tensor"
)

// The sizes of what a kernel works on. A panel stays in the first cache, and all panels and the rows on the left in the
// second one.
const (
	panelDepth = 256  // rows of the right matrix, of which a panel holds as many columns as a tile
	panelsWide = 4096 // bytes of a row of all panels
	leftRows   = 192
)

// The rows of a tile, and the bytes of each. The sums of a tile stay in registers: they take 12 of the 16 of AVX2, and
// 24 of the 32 of NEON and of AVX-512, which are longer.
var tileRows, tileBytes = func() (rows, bytes int64) {
	if cpu.X86.HasAVX512F {
		return 12, 128
	}
	return 6, 64
}()

// A kernel is a function that computes a product, which LLVM compiles for the host's processor. Its parameters are
// those of calliope_jit_kernel in package runtime. Its memory holds a tile, and the panels: a part of the right matrix
// in the order in which tiles read it.
type kernel struct{ operand, sum, result tensor.DType }

// kinds has the element types of which there are kernels. An operand and a result are of one kind.
var kinds = map[tensor.DType]byte{
	tensor.S8: 's', tensor.S16: 's', tensor.S32: 's', tensor.S64: 's',
	tensor.U8: 'u', tensor.U16: 'u', tensor.U32: 'u', tensor.U64: 'u',
	tensor.F16: 'f', tensor.BF16: 'f', tensor.F32: 'f', tensor.F64: 'f',
}

// newKernel returns the kernel for operands and results of some types, and false if there is none.
func newKernel(operand, result tensor.DType) (kernel, bool) {
	k := kernel{operand, result, result}
	if result == tensor.F16 || result == tensor.BF16 {
		k.sum = tensor.F32
	}
	return k, kinds[operand] != 0 && kinds[operand] == kinds[result] &&
		(operand == result || operand.Size() < result.Size())
}

func (k kernel) name() string {
	return "calliope.product." + k.operand.String() + "." + k.result.String()
}

// kernelOf returns the kernel with a name, and false if there is none.
func kernelOf(name string) (kernel, bool) {
	for operand := range kinds {
		for result := range kinds {
			if k, ok := newKernel(operand, result); ok && k.name() == name {
				return k, true
			}
		}
	}
	return kernel{}, false
}

// lanes returns how many columns a tile has.
func (k kernel) lanes() int64 { return tileBytes / int64(k.sum.Size()) }

// memory returns the size of the memory that a product needs, in bytes.
func (k kernel) memory(columns, inner int64) int64 {
	lanes := k.lanes()
	return tileBytes * (tileRows + min(inner, panelDepth)*min((columns+lanes-1)/lanes, panelsWide/tileBytes))
}

// A writer builds a kernel.
type writer struct {
	b                    *mlir.Builder
	pointer, i64         mlir.Type
	operand, sum, result element
	lanes                int64

	left, right, out     matrix
	rows, columns, inner mlir.Value // sizes
	tile, panels         mlir.Value // memory
	// What the panels hold begins in this row and column of the right matrix, and has depth rows.
	fromInner, fromColumn, depth mlir.Value
}

// An element is a type of elements.
type element struct {
	tensor.DType
	one mlir.Type
}

func newElement(b *mlir.Builder, d tensor.DType) element {
	return element{d, b.Type(strings.TrimPrefix(d.MLIR(), "u"))}
}

// A matrix is one in memory, with the distances between rows and between columns in elements.
type matrix struct {
	element
	start, row, column mlir.Value
}

// The parameters of a kernel.
const (
	inRows = iota
	inColumns
	inInner
	inTurnedLeft
	inTurnedRight
	inLeftStride
	inRightStride
	inOutStride
	inLeft
	inRight
	inOut
	inMemory
	parameters
)

// product builds the loops over what the panels hold.
func (w *writer) product(in []mlir.Value) {
	zero, one := w.number(0), w.number(1)
	w.rows, w.columns, w.inner, w.tile = in[inRows], in[inColumns], in[inInner], in[inMemory]
	w.panels = w.advance(w.tile, w.b.Type("i8"), w.number(tileRows*tileBytes))
	arrange := func(e element, start, stride, turned mlir.Value) matrix {
		turned = w.is(arith.CmpIPredicateNe, turned, zero)
		return matrix{e, start, arith.Select(w.b, turned, one, stride), arith.Select(w.b, turned, stride, one)}
	}
	w.left = arrange(w.operand, in[inLeft], in[inLeftStride], in[inTurnedLeft])
	w.right = arrange(w.operand, in[inRight], in[inRightStride], in[inTurnedRight])
	w.out = matrix{w.result, in[inOut], in[inOutStride], one}
	w.loop(zero, w.columns, panelsWide/tileBytes*w.lanes, func(column mlir.Value) {
		w.fromColumn = column
		w.loop(zero, w.inner, panelDepth, func(k mlir.Value) {
			w.fromInner, w.depth = k, w.min(w.sub(w.inner, k), w.number(panelDepth))
			w.part()
		})
	})
}

// part builds the part of the products of what the panels hold.
func (w *writer) part() {
	end := w.min(w.add(w.fromColumn, w.number(panelsWide/tileBytes*w.lanes)), w.columns)
	w.loop(w.fromColumn, end, w.lanes, func(column mlir.Value) {
		if w.operand.DType != w.sum.DType {
			w.fill(column)
			return
		}
		scf.If(w.b, w.inPlace(column), func() {}, func() { w.fill(column) })
	})
	w.loop(w.number(0), w.rows, leftRows, func(first mlir.Value) {
		last := w.min(w.add(first, w.number(leftRows)), w.rows)
		w.loop(w.fromColumn, end, w.lanes, func(column mlir.Value) {
			w.loop(first, last, tileRows, func(row mlir.Value) { w.multiply(row, column) })
		})
	})
}

// inPlace returns whether tiles read the right matrix where it is, and not a panel: its rows are adjacent there, and
// there are too few tiles to gain from a copy. Elements must be those of sums.
func (w *writer) inPlace(column mlir.Value) mlir.Value {
	narrow, _ := w.narrow(column)
	few := w.is(arith.CmpIPredicateSle, w.rows, w.number(2*tileRows))
	wide := w.is(arith.CmpIPredicateEq, narrow, arith.ConstantInt(w.b, w.b.Type("i1"), 0))
	adjacent := w.is(arith.CmpIPredicateEq, w.right.column, w.number(1))
	return arith.AndI(w.b, few, arith.AndI(w.b, wide, adjacent))
}

// fill builds the copy of a part of the right matrix to the panel of a column. Columns after the last one are that one,
// again.
func (w *writer) fill(column mlir.Value) {
	zero, last := w.number(0), w.sub(w.columns, w.number(1))
	narrow, _ := w.narrow(column)
	apart := w.is(arith.CmpIPredicateNe, w.right.column, w.number(1))
	scf.If(w.b, arith.OrI(w.b, narrow, apart), func() {
		w.loop(zero, w.number(w.lanes), 1, func(lane mlir.Value) {
			at := w.min(w.add(column, lane), last)
			w.loop(zero, w.depth, 1, func(k mlir.Value) {
				v := w.load(w.operand, w.operand.one, w.place(w.right, w.add(w.fromInner, k), at))
				llvm.Store(w.b, w.widened(v, w.operand), w.panel(column, k, lane))
			})
		})
	}, func() {
		w.loop(zero, w.depth, 1, func(k mlir.Value) {
			v := w.load(w.operand, w.vector(w.operand), w.place(w.right, w.add(w.fromInner, k), column))
			llvm.Store(w.b, w.widened(v, w.operand), w.panel(column, k, zero))
		})
	})
}

// multiply builds the sums of a tile. Rows below the last one are that one, again. A tile with less columns than others
// is computed in memory of its own.
func (w *writer) multiply(row, column mlir.Value) {
	zero, last := w.number(0), w.sub(w.rows, w.number(1))
	narrow, count := w.narrow(column)
	height := w.min(w.sub(w.rows, row), w.number(tileRows))
	tile := matrix{w.result, w.tile, w.number(w.lanes), w.number(1)}
	out := matrix{w.result, w.place(w.out, row, column), w.out.row, w.out.column}
	further := w.is(arith.CmpIPredicateNe, w.fromInner, zero)
	scf.If(w.b, arith.AndI(w.b, narrow, further), func() { w.copy(tile, out, height, count) }, nil)
	var from, to, initial []mlir.Value
	nothing := vector.Broadcast(w.b, w.vector(w.sum), w.zero())
	for i := range tileRows {
		at := w.min(w.add(row, w.number(i)), last)
		place := arith.Select(w.b, narrow, w.place(tile, w.number(i), zero), w.place(w.out, at, column))
		partial := w.widened(w.load(w.result, w.vector(w.result), place), w.result)
		from, to = append(from, w.place(w.left, at, w.fromInner)), append(to, place)
		initial = append(initial, arith.Select(w.b, further, partial, nothing))
	}
	for i, v := range w.sums(from, column, initial) {
		if w.sum.DType != w.result.DType {
			v = arith.TruncF(w.b, w.vector(w.result), v)
		}
		llvm.StoreOp{Value: v, Addr: to[i], Alignment: new(int64(w.result.Size()))}.Create(w.b)
	}
	scf.If(w.b, narrow, func() { w.copy(out, tile, height, count) }, nil)
}

// sums builds the innermost loop, which adds products of elements on the left and the panel of a column to the rows of
// a tile.
func (w *writer) sums(left []mlir.Value, column mlir.Value, initial []mlir.Value) []mlir.Value {
	zero, t := w.number(0), w.vector(w.sum)
	start, stride := w.panel(column, zero, zero), w.number(w.lanes)
	if w.operand.DType == w.sum.DType {
		there := w.inPlace(column)
		start = arith.Select(w.b, there, w.place(w.right, w.fromInner, column), start)
		stride = arith.Select(w.b, there, w.right.row, stride)
	}
	return scf.Iterate(w.b, zero, w.depth, w.number(1), initial, func(k mlir.Value, sums []mlir.Value) []mlir.Value {
		row := w.load(w.sum, t, w.advance(start, w.sum.one, w.mul(k, stride)))
		var next []mlir.Value
		for i, start := range left {
			v := w.load(w.operand, w.operand.one, w.advance(start, w.operand.one, w.mul(k, w.left.column)))
			next = append(next, w.multiplyAdd(vector.Broadcast(w.b, t, w.widened(v, w.operand)), row, sums[i]))
		}
		return next
	})
}

// copy builds the copy of a matrix of results.
func (w *writer) copy(to, from matrix, rows, columns mlir.Value) {
	w.loop(w.number(0), rows, 1, func(i mlir.Value) {
		w.loop(w.number(0), columns, 1, func(j mlir.Value) {
			llvm.Store(w.b, w.load(w.result, w.result.one, w.place(from, i, j)), w.place(to, i, j))
		})
	})
}

// narrow returns whether the matrix has fewer columns than a tile from a column on, and how many of a tile it has.
func (w *writer) narrow(column mlir.Value) (narrow, count mlir.Value) {
	rest := w.sub(w.columns, column)
	return w.is(arith.CmpIPredicateSlt, rest, w.number(w.lanes)), w.min(rest, w.number(w.lanes))
}

// widened returns elements as those of sums.
func (w *writer) widened(v mlir.Value, from element) mlir.Value {
	if from.DType == w.sum.DType {
		return v
	}
	t := w.sum.one
	if v.Type().Kind() == mlir.KindVector {
		t = w.vector(w.sum)
	}
	switch kinds[from.DType] {
	case 's':
		return arith.ExtSI(w.b, t, v)
	case 'u':
		return arith.ExtUI(w.b, t, v)
	}
	return arith.ExtF(w.b, t, v)
}

// multiplyAdd returns x·y + z, which the processor may round once.
func (w *writer) multiplyAdd(x, y, z mlir.Value) mlir.Value {
	if kinds[w.sum.DType] != 'f' {
		return arith.AddI(w.b, arith.MulI(w.b, x, y), z)
	}
	product := arith.MulFOp{LHS: x, RHS: y, Fastmath: arith.FastMathFlagsContract}.Create(w.b).Result(0)
	return arith.AddFOp{LHS: product, RHS: z, Fastmath: arith.FastMathFlagsContract}.Create(w.b).Result(0)
}

func (w *writer) zero() mlir.Value {
	if kinds[w.sum.DType] != 'f' {
		return arith.ConstantInt(w.b, w.sum.one, 0)
	}
	return arith.ConstantFloat(w.b, w.sum.one, 0)
}

// vector returns the type of a row of a tile.
func (w *writer) vector(e element) mlir.Type {
	t, err := w.b.Context().VectorType(e.one, w.lanes)
	w.b.Fail(err)
	return t
}

// load loads one element or several.
func (w *writer) load(e element, t mlir.Type, at mlir.Value) mlir.Value {
	return llvm.LoadOp{ResType: t, Addr: at, Alignment: new(int64(e.Size()))}.Create(w.b).Result(0)
}

// place returns where an element of a matrix is.
func (w *writer) place(m matrix, i, j mlir.Value) mlir.Value {
	return w.advance(m.start, m.one, w.add(w.mul(i, m.row), w.mul(j, m.column)))
}

// panel returns where an element of the panel of a column is.
func (w *writer) panel(column, k, lane mlir.Value) mlir.Value {
	start := w.mul(w.sub(column, w.fromColumn), w.depth)
	return w.advance(w.panels, w.sum.one, w.add(w.add(start, w.mul(k, w.number(w.lanes))), lane))
}

// advance returns the address that is a number of elements after another one.
func (w *writer) advance(start mlir.Value, one mlir.Type, n mlir.Value) mlir.Value {
	return llvm.GEP(w.b, w.pointer, start, []mlir.Value{n}, []int32{math.MinInt32}, one)
}

func (w *writer) loop(from, to mlir.Value, step int64, body func(i mlir.Value)) {
	scf.For(w.b, from, to, w.number(step), body)
}

func (w *writer) is(p arith.CmpIPredicate, x, y mlir.Value) mlir.Value {
	return arith.CmpI(w.b, p, x, y)
}
func (w *writer) number(n int64) mlir.Value      { return arith.ConstantInt(w.b, w.i64, n) }
func (w *writer) add(x, y mlir.Value) mlir.Value { return arith.AddI(w.b, x, y) }
func (w *writer) sub(x, y mlir.Value) mlir.Value { return arith.SubI(w.b, x, y) }
func (w *writer) mul(x, y mlir.Value) mlir.Value { return arith.MulI(w.b, x, y) }
func (w *writer) min(x, y mlir.Value) mlir.Value { return arith.MinSI(w.b, x, y) }
