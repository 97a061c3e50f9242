// Package lower converts modules of StableHLO to the dialects linalg, tensor, scf, arith, math and complex, on tensors
// that have no unsigned elements.
//
// Most operations are converted by MLIR's pass stablehlo-legalize-to-linalg. The package replaces before it what the
// pass cannot convert or gets wrong, and refuses what is left. No tensor that a region of scf allocates leaves that
// region: values that loops carry and that conditions return have one buffer, which [bufferization] allocates outside.
//
// [bufferization]: https://mlir.llvm.org/docs/Bufferization/
package lower

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/quantized"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// An UnsupportedError reports an operation that cannot be compiled.
type UnsupportedError struct {
	Operation string
	Position  mlir.Position // source position of the operation
	Reason    string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Operation, e.Position, e.Reason)
}

// Replace replaces the operations that MLIR's pass, which follows, cannot convert or gets wrong. If copies is set, it
// copies each array that is changed in place. An error that an operation causes is an [*UnsupportedError]. After an
// error the module must not be used.
func Replace(m *mlir.Module, copies bool) error {
	replace := func(m *mlir.Module) error { return replace(m, copies) }
	for _, step := range []func(*mlir.Module) error{
		check, returns, random, empty, fold, powers, angles, widen, sortByKeys, replace, empty,
	} {
		if err := step(m); err != nil {
			return err
		}
	}
	return nil
}

// Finish converts what MLIR's pass left, and returns an [*UnsupportedError] if that is an operation of StableHLO.
func Finish(m *mlir.Module) error {
	if err := left(m); err != nil {
		return err
	}
	return scalars(m)
}

// Expand replaces what MLIR's passes do not know by other operations of StableHLO.
func Expand(m *mlir.Module) error {
	for _, step := range []func(*mlir.Module) (int, error){
		resources, bounds, quantized.Expand,
		func(m *mlir.Module) (int, error) { return xlacalls.Expand(m.Operation()) },
		synchronous, emptyScans, xlafix.ExpandUntranslated, xlafix.RemoveEmptyProducts,
	} {
		if _, err := step(m); err != nil {
			return err
		}
	}
	return nil
}

// synchronous makes asynchronous operations synchronous.
func synchronous(m *mlir.Module) (n int, err error) {
	for op := range m.Operation().Index().Named("stablehlo.async_start") {
		if _, err := rewrite.Synchronous(op); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// powers makes products of the powers of integers: MLIR's pass reads only the low six bits of an exponent.
func powers(m *mlir.Module) error {
	_, err := xlafix.ExpandIntegerPowers(m)
	return err
}

// angles keeps MLIR from folding the atan2 of two zeros.
func angles(m *mlir.Module) error {
	_, err := xlafix.KeepAngles(m)
	return err
}

// returns makes the terminators of functions those of the dialect func. StableHLO allows its own ones, too.
func returns(m *mlir.Module) error {
	for f := range m.Body().Operations() {
		if f.Name() != "func.func" || f.Region(0).IsEmpty() {
			continue
		}
		if end := f.Region(0).First().Terminator(); end.Name() == "stablehlo.return" {
			b := mlir.NewBuilder(mlir.Before(end), end.Location())
			function.Return(b, end.OperandValues()...)
			if err := errors.Join(b.Err(), end.Erase()); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowerings has the function for each operation that is replaced. It may leave the operation to MLIR's pass.
var lowerings = map[string]func(*emitter) error{
	"stablehlo.add":                   lowerAdd,
	"stablehlo.all_gather":            lowerCollective,
	"stablehlo.all_reduce":            lowerCollective,
	"stablehlo.all_to_all":            lowerCollective,
	"stablehlo.batch_norm_grad":       lowerBatchNormGrad,
	"stablehlo.batch_norm_inference":  lowerBatchNormInference,
	"stablehlo.batch_norm_training":   lowerBatchNormTraining,
	"stablehlo.bitcast_convert":       lowerBitcastConvert,
	"stablehlo.case":                  lowerCase,
	"stablehlo.ceil":                  lowerOnFloat8,
	"stablehlo.cholesky":              lowerCholesky,
	"stablehlo.collective_broadcast":  lowerCollective,
	"stablehlo.collective_permute":    lowerCollectivePermute,
	"stablehlo.compare":               lowerCompare,
	"stablehlo.convert":               lowerConvert,
	"stablehlo.custom_call":           lowerAnnotation,
	"stablehlo.dot_general":           lowerDotGeneral,
	"stablehlo.dynamic_slice":         lowerDynamicSlice,
	"stablehlo.dynamic_update_slice":  lowerDynamicUpdateSlice,
	"stablehlo.exponential_minus_one": lowerExponentialMinusOne,
	"stablehlo.fft":                   lowerFFT,
	"stablehlo.floor":                 lowerOnFloat8,
	"stablehlo.gather":                lowerGather,
	"stablehlo.get_dimension_size":    lowerGetDimensionSize,
	"stablehlo.if":                    lowerIf,
	"stablehlo.iota":                  lowerIota,
	"stablehlo.is_finite":             lowerOnFloat8,
	"stablehlo.log_plus_one":          lowerLogPlusOne,
	"stablehlo.map":                   lowerMap,
	"stablehlo.maximum":               lowerExtremum,
	"stablehlo.minimum":               lowerExtremum,
	"stablehlo.optimization_barrier":  lowerIdentity,
	"stablehlo.partition_id":          lowerDeviceNumber,
	"stablehlo.power":                 lowerPower,
	"stablehlo.reduce":                lowerReduce,
	"stablehlo.reduce_precision":      lowerOnFloat8,
	"stablehlo.reduce_window":         lowerReduceWindow,
	"stablehlo.reduce_scatter":        lowerCollective,
	"stablehlo.replica_id":            lowerDeviceNumber,
	"stablehlo.rng_bit_generator":     lowerRngBitGenerator,
	"stablehlo.logistic":              lowerOnFloat8,
	"stablehlo.round_nearest_afz":     lowerOnFloat8,
	"stablehlo.round_nearest_even":    lowerOnFloat8,
	"stablehlo.scatter":               lowerScatter,
	"stablehlo.select_and_scatter":    lowerSelectAndScatter,
	"stablehlo.sign":                  lowerOnFloat8,
	"stablehlo.sort":                  lowerSort,
	"stablehlo.torch_index_select":    lowerTorchIndexSelect,
	"stablehlo.triangular_solve":      lowerTriangularSolve,
	"stablehlo.while":                 lowerWhile,
}

// replace replaces the operations that have a lowering, those in regions before those around them.
func replace(m *mlir.Module, copies bool) error {
	var list []mlir.Operation
	m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		if lowerings[op.Name()] != nil {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		e := &emitter{Builder: mlir.NewBuilder(mlir.Before(op), op.Location()), op: op, module: m, copies: copies}
		name, position := op.Name(), op.Location().Position()
		err := lowerings[name](e)
		if err == nil {
			err = e.Err()
		}
		if err != nil {
			return &UnsupportedError{Operation: name, Position: position, Reason: Reason(err)}
		}
	}
	return nil
}
