package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// Most operations of a program are the plain ones below, without a mistake. They are built
// in a way that allocates no memory. All others take the general way: ok is then false and
// nothing was done.

func plainUnary(op string, x Value) (result Value, ok bool) {
	if !x.plain() {
		return Value{}, false
	}
	created, err := mlir.Create(x.s.block, mlir.OperationState{Name: op, Location: x.s.f.b.here().location,
		Operands: []mlir.Value{x.v}, InferResults: true})
	if err != nil {
		return Value{}, false
	}
	return Value{s: x.s, v: created.Result(0)}, true
}

func plainBinary(op string, x, y Value) (result Value, ok bool) {
	if !x.plain() || !y.plain() || x.s != y.s {
		return Value{}, false
	}
	if x.s.f.b.open && !x.v.Type().Equal(y.v.Type()) { // inference takes an unknown dimension for one of 1
		return Value{}, false
	}
	created, err := mlir.Create(x.s.block, mlir.OperationState{Name: op, Location: x.s.f.b.here().location,
		Operands: []mlir.Value{x.v, y.v}, InferResults: true})
	if err != nil {
		return Value{}, false
	}
	return Value{s: x.s, v: created.Result(0)}, true
}

// plain reports whether the value belongs to the innermost open scope and can be used.
func (v Value) plain() bool {
	if v.s == nil || v.like != nil || v.v.IsNil() {
		return false
	}
	f := v.s.f
	return f.scope == v.s && f.b.err == nil && !f.b.done && !f.returned
}
