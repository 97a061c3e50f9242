package operations_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/omp"
)

// inBlock returns a block with an argument of type f32.
func inBlock(t *testing.T, c *mlir.Context) mlir.Block {
	t.Helper()
	region := c.NewRegion()
	block := c.NewBlock(mlir.Location{}, c.F32Type())
	region.Append(block)
	check.Must(mlir.Create(c.NewModule(mlir.Location{}).Body(),
		mlir.OperationState{Name: "builtin.module", Regions: []mlir.Region{region}}))
	return block
}

// TestAges checks parts that only libraries after LLVM 22, or up to it, have, on each library.
func TestAges(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		newer := c.Registered("arith.convertf")
		block := inBlock(t, c)
		x := block.Argument(0)

		b := mlir.NewBuilder(block, mlir.Location{})
		sum := arith.AddFOp{LHS: x, RHS: x, Roundingmode: arith.RoundingModeDownward}.Create(b)
		if newer {
			check.NoError(t, b.Err())
			got, ok := arith.AsAddF(sum)
			check.Diff(t, "rounding mode", arith.RoundingModeDownward, got.Roundingmode)
			check.Diff(t, "read", true, ok)
		} else {
			check.Error(t, b.Err(), "arith.addf: roundingmode: only libraries after LLVM 22 have it")
		}

		b = mlir.NewBuilder(block, mlir.Location{})
		barrier := gpu.BarrierOp{NamedBarrier: x}.Create(b)
		if !newer {
			check.Error(t, b.Err(), "gpu.barrier: named_barrier: only libraries after LLVM 22 have it")
		} else {
			check.NoError(t, b.Err())
			check.Diff(t, "operands", 1, barrier.NumOperands())
		}
		b = mlir.NewBuilder(block, mlir.Location{})
		barrier = gpu.BarrierOp{}.Create(b)
		check.NoError(t, b.Err())
		read, ok := gpu.AsBarrier(barrier)
		check.Diff(t, "barrier read", true, ok && read.NamedBarrier.IsNil())

		if c.LoadDialect("omp") != nil {
			return
		}
		b = mlir.NewBuilder(block, mlir.Location{})
		pointer := check.Must(c.ParseType("!llvm.ptr"))
		null := llvm.ZeroOp{ResType: pointer}.Create(b).Result(0)
		check.NoError(t, b.Err())
		info := omp.MapInfoOp{VarPtr: null, VarType: c.F32Type(), MapType: 1,
			MapCaptureType: omp.VariableCaptureKindByRef, OmpPtrType: pointer}
		info.Create(b)
		if newer {
			check.Error(t, b.Err(), "omp.map.info: var_type: only libraries up to LLVM 22 have it")
		}
		b = mlir.NewBuilder(block, mlir.Location{})
		task := omp.TaskOp{DependVars: []mlir.Value{null},
			DependKinds: []omp.ClauseTaskDepend{omp.ClauseTaskDependTaskdependin}, Region: c.NewRegion()}.Create(b)
		check.NoError(t, b.Err())
		again, ok := omp.AsTask(task)
		check.Diff(t, "task read", true, ok && len(again.DependVars) == 1)
	})
}
