package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerTriangularSolve makes a triangular_solve loops that substitute the unknowns one after the other, in place of b.
func lowerTriangularSolve(e *emitter) error {
	op, ok := stablehlo.AsTriangularSolve(e.op)
	if !ok {
		return errMalformed
	}
	s := solver{emitter: e, op: op}
	shape := dims(op.B)
	batch := shape[:len(shape)-2]
	unknowns, others := shape[len(batch)], shape[len(batch)+1]
	if !op.LeftSide {
		unknowns, others = others, unknowns
	}
	s.last, s.others = e.index(unknowns-1), others
	// The first unknown is that of the row with one coefficient.
	lower := op.Lower != (op.TransposeA != stablehlo.TransposeNone)
	s.forward = lower == op.LeftSide
	sizes := append(slices.Clone(batch), unknowns)
	return e.replace(e.nest(sizes, []mlir.Value{e.owned(1)}, func(at, x []mlir.Value) []mlir.Value {
		batch, step := at[:len(batch)], at[len(batch)]
		i := s.unknown(step)
		x = scf.Iterate(e.Builder, e.index(0), step, e.index(1), x,
			func(step mlir.Value, x []mlir.Value) []mlir.Value {
				k := s.unknown(step)
				a := s.coefficient(batch, i, k)
				return s.line(x, func(j mlir.Value, x mlir.Value) mlir.Value {
					known := stablehlo.Multiply(e.Builder, a, e.at(x, s.place(batch, k, j)...))
					place := s.place(batch, i, j)
					return e.put(stablehlo.Subtract(e.Builder, e.at(x, place...), known), x, place...)
				})
			})
		if op.UnitDiagonal {
			return x
		}
		a := s.coefficient(batch, i, i)
		return s.line(x, func(j mlir.Value, x mlir.Value) mlir.Value {
			place := s.place(batch, i, j)
			return e.put(stablehlo.Divide(e.Builder, e.at(x, place...), a), x, place...)
		})
	}))
}

type solver struct {
	*emitter
	op      stablehlo.TriangularSolveOp
	forward bool
	last    mlir.Value // unknown
	others  int64      // how many systems of equations there are
}

// unknown returns the number of the unknown that a step computes.
func (s *solver) unknown(step mlir.Value) mlir.Value {
	if s.forward {
		return step
	}
	return arith.SubI(s.Builder, s.last, step)
}

// coefficient returns the coefficient of unknown k in the equation of unknown i.
func (s *solver) coefficient(batch []mlir.Value, i, k mlir.Value) mlir.Value {
	if s.op.LeftSide != (s.op.TransposeA == stablehlo.TransposeNone) {
		i, k = k, i
	}
	a := s.at(s.op.A, append(slices.Clone(batch), i, k)...)
	if s.op.TransposeA == stablehlo.TransposeAdjoint {
		return s.conjugate(a)
	}
	return a
}

// place returns where unknown i of system j is.
func (s *solver) place(batch []mlir.Value, i, j mlir.Value) []mlir.Value {
	if !s.op.LeftSide {
		i, j = j, i
	}
	return append(slices.Clone(batch), i, j)
}

// line creates a loop over the systems of equations.
func (s *solver) line(x []mlir.Value, body func(j, x mlir.Value) mlir.Value) []mlir.Value {
	return s.nest([]int64{s.others}, x, func(at, x []mlir.Value) []mlir.Value {
		return []mlir.Value{body(at[0], x[0])}
	})
}
