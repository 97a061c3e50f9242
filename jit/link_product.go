package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/product"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// A productCall is a call of a function of package product.
type productCall struct {
	llvm.CallOp
	batch, rows int64
	batchDims   int // how many of the link's loops are those of the batch; the others are those of the rows
}

// The operands of the call.
const (
	productBatch = iota + 4
	productRows
	productColumns
	productInner
	productTurnedLeft
	_
	productLeft
	productRight
	productOut
	productMemory
)

// productLink returns the link that a call is: its loops are those over the dimensions of the batch, and over those of
// the rows of the left matrix if it is not turned.
func productLink(op mlir.Operation) (l link, ok bool) {
	call, ok := llvm.AsCall(op)
	if !ok || call.Callee != product.Function {
		return l, false
	}
	numbers := make([]int64, productLeft)
	for i := productBatch; i < len(numbers); i++ {
		if numbers[i], ok = constantOf(op.Operand(i)); !ok {
			return l, false
		}
	}
	var uses []use
	for _, v := range op.OperandValues()[productLeft:] {
		if v, ok = pointedTo(v); !ok || !isWhole(v.Type()) {
			return l, false
		}
		uses = append(uses, useOf(v))
	}
	p := &productCall{CallOp: call, batch: numbers[productBatch], rows: numbers[productRows]}
	l = link{op: op, call: p, uses: uses[:3], adjacent: -1,
		inner: numbers[productColumns] * numbers[productInner]}
	left, _ := uses[0].operand.Type().Dims()
	out, _ := uses[2].operand.Type().Dims()
	known := min(leadingDims(uses[0].operand), leadingDims(uses[2].operand))
	batch, rows := int64(1), int64(1)
	for i := 0; i < known && left[i] == out[i]; i++ {
		if batch < p.batch {
			batch *= left[i]
			p.batchDims++
		} else if rows *= left[i]; rows > p.rows || numbers[productTurnedLeft] != 0 {
			break
		}
		l.sizes = append(l.sizes, left[i])
	}
	if batch != p.batch {
		return l, false
	}
	l.setUses()
	l.parallel = slices.Repeat([]bool{true}, len(l.sizes))
	l.units = p.batch * p.rows * l.inner / productOf(l.sizes)
	return l, true
}

// setUses sets where the loops are in the arrays of a product.
func (l *link) setUses() {
	right, _ := l.uses[1].operand.Type().Dims()
	for k := range l.uses {
		u := &l.uses[k]
		u.writes = k == 2
		for i, size := range l.sizes {
			switch {
			case k == 1 && i >= l.call.batchDims:
				u.at = append(u.at, absent)
			case k == 1 && (i >= leadingDims(u.operand) || right[i] != size):
				u.at = append(u.at, mixed)
			default:
				u.at = append(u.at, i)
			}
		}
	}
}

// constantOf returns the number that a value is.
func constantOf(v mlir.Value) (n int64, ok bool) {
	if v.IsArgument() {
		return 0, false
	}
	c, ok := llvm.AsConstant(v.Owner())
	if !ok {
		return 0, false
	}
	return c.Value.Int()
}

// pointedTo returns the buffer that a value is the address of.
func pointedTo(v mlir.Value) (mlir.Value, bool) {
	for _, name := range []string{"llvm.inttoptr", "arith.index_cast", "memref.extract_aligned_pointer_as_index"} {
		if v.IsArgument() || v.Owner().Name() != name {
			return v, false
		}
		v = v.Owner().Operand(0)
	}
	return v, true
}

// createPart creates the call for a part of the chain.
func (p *productCall) createPart(c *chain, b *mlir.Builder, l link, at []mlir.Value, parts map[mlir.Value]mlir.Value) {
	inBatch := min(len(at), p.batchDims)
	batch, rows := p.batch/productOf(l.sizes[:inBatch]), p.rows/productOf(l.sizes[inBatch:len(at)])
	if len(at) > inBatch {
		rows *= c.rows
	} else {
		batch *= c.rows
	}
	operands := slices.Clone(l.op.OperandValues())
	operands[productBatch], operands[productRows] = number(b, batch), number(b, rows)
	for k, u := range l.uses {
		operands[productLeft+k] = c.addressOf(b, u, at, parts)
	}
	memory, _ := pointedTo(operands[productMemory])
	operands[productMemory] = address(b, memref.Alloc(b, memory.Type(), nil), 0)
	call := p.CallOp
	call.CalleeOperands = operands
	call.Create(b)
}

// addressOf returns the address of the part of an array.
func (c *chain) addressOf(b *mlir.Builder, u use, at []mlir.Value, parts map[mlir.Value]mlir.Value) mlir.Value {
	if c.arrays[u.array].private {
		return address(b, c.part(b, u.array, parts), 0)
	}
	if b.Err() != nil {
		return u.operand
	}
	strides, _, _ := u.operand.Type().Strides()
	size, err := elementSize(u.operand.Type())
	b.Fail(err)
	bytes := arith.ConstantIndex(b, 0)
	for i, index := range at {
		if u.at[i] >= 0 {
			step := arith.ConstantIndex(b, strides[u.at[i]]*int64(size))
			bytes = arith.AddI(b, bytes, arith.MulI(b, index, step))
		}
	}
	return addressAt(b, u.operand, arith.IndexCast(b, b.Context().IntegerType(64, mlir.Signless), bytes))
}
