package autodiff

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// decompositions has the rules of JAX's calls of LAPACK, lapack_sgetrf_ffi and so on, by the routine without the letter
// of its type, and of those for TPUs. They set the tangents of the results as JAX does.
var decompositions = map[string]func(f *forward, op mlir.Operation){
	"potrf": func(f *forward, op mlir.Operation) { jvpCholesky(f, op, transform.Option(op, "uplo") == 'L') },
	"trsm":  func(f *forward, op mlir.Operation) { jvpSolve(f, op, trsm(op)) },
	"getrf": jvpLU,
	"geqrf": jvpQR, "Qr": jvpQR,
	"orgqr": reflectors, "ungqr": reflectors, productOfReflectors: reflectors,
	"syevd": jvpEigh, "heevd": jvpEigh, "Eigh": jvpEigh,
	"gesdd": jvpSVD, "gesvd": jvpSVD,
	"geev": jvpEig,
	"gtsv": jvpTridiagonal,
}

// transposes has the rules of the routines that are linear in an operand.
var transposes = map[string]func(b *backward, op mlir.Operation){
	"trsm": func(b *backward, op mlir.Operation) { transposeSolve(b, op, trsm(op)) },
	"gtsv": transposeTridiagonal,
}

func init() {
	for _, routine := range strings.Fields("geqp3 ormqr unmqr gees gehrd sytrd hetrd") {
		decompositions[routine] = func(_ *forward, op mlir.Operation) {
			transform.Fail(op, "no derivative of LAPACK's %s is known: use eig, eigh, svd, qr without pivoting, cholesky or solve, "+
				"or keep the parameters of the derivative from it", routine)
		}
	}
}

// productOfReflectors is what TPUs have in place of orgqr.
const productOfReflectors = "ProductOfElementaryHouseholderReflectors"

// routineOf returns the key of a target in decompositions, if it has one.
func routineOf(target string) string {
	if name, ok := strings.CutPrefix(target, "lapack_"); ok {
		if name, ok = strings.CutSuffix(name, "_ffi"); ok && name != "" {
			return name[1:]
		}
	}
	return target
}

// trsm returns the triangular system that a call of LAPACK solves.
func trsm(op mlir.Operation) stablehlo.TriangularSolveOp {
	return stablehlo.TriangularSolveOp{
		A: op.Operand(0), B: op.Operand(1), LeftSide: transform.Option(op, "side") == 'L',
		Lower:        transform.Option(op, "uplo") == 'L',
		UnitDiagonal: transform.Option(op, "diag") == 'U',
		TransposeA: map[byte]stablehlo.TransposeKind{
			'N': stablehlo.TransposeNone, 'T': stablehlo.TransposePlain, 'C': stablehlo.TransposeAdjoint,
		}[transform.Option(op, "trans_x")],
	}
}

// solve returns the solution of a triangular system with regular matrices.
func (e *emitter) solve(a, b mlir.Value, left, lower bool) mlir.Value {
	return e.Do(stablehlo.TriangularSolveOp{
		A: a, B: b, LeftSide: left, Lower: lower, TransposeA: stablehlo.TransposeNone,
	})
}

// lapack creates a call of another target with matrices like those of a call. An option is a character.
func (e *emitter) lapack(
	target string, options map[string]byte, operands []mlir.Value, results ...mlir.Type,
) mlir.Operation {
	o := stablehlo.CustomCallOp{Target: target, Operands: operands, Results: results}
	if strings.HasPrefix(target, "lapack_") {
		var list []mlir.NamedAttribute
		for name, c := range options {
			value := e.Context.IntegerAttribute(e.Context.IntegerType(8, mlir.Unsigned), int64(c))
			list = append(list, mlir.NamedAttribute{Name: name, Value: value})
		}
		o.APIVersion, o.BackendConfig = stablehlo.TypedFFI, e.Context.DictionaryAttribute(list...)
		batch := transform.Rank(operands[0]) - 2
		for _, v := range operands {
			o.OperandLayouts = append(o.OperandLayouts, columnMajor(v.Type(), batch))
		}
		for _, t := range results {
			o.ResultLayouts = append(o.ResultLayouts, columnMajor(t, batch))
		}
	}
	return e.Op(o)
}

// columnMajor returns the layout of a batch of matrices, vectors or numbers for LAPACK.
func columnMajor(t mlir.Type, batch int) []int64 {
	layout := transform.UpTo(len(dimsOf(t)))
	slices.Reverse(layout)
	if len(layout) == batch+2 {
		layout[0], layout[1] = layout[1], layout[0]
	}
	return layout
}
