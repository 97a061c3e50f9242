package sdy

import (
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestInferred builds each operation of a module again, without the types of its results.
func TestInferred(t *testing.T) {
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("forms", check.Must(os.ReadFile("../../testdata/shardy/forms.mlir"))))
	copied := map[string]func(op mlir.Operation, b *mlir.Builder) (mlir.Operation, bool){
		"sdy.all_gather": again(AsAllGather, func(o *AllGatherOp) { o.ResultType = mlir.Type{} }),
		"sdy.all_reduce": again(AsAllReduce, func(o *AllReduceOp) { o.ResultType = mlir.Type{} }),
		"sdy.all_slice":  again(AsAllSlice, func(o *AllSliceOp) { o.ResultType = mlir.Type{} }),
		"sdy.all_to_all": again(AsAllToAll, func(o *AllToAllOp) { o.ResultType = mlir.Type{} }),
		"sdy.collective_permute": again(AsCollectivePermute,
			func(o *CollectivePermuteOp) { o.ResultType = mlir.Type{} }),
		"sdy.constant":       again(AsConstant, func(o *ConstantOp) { o.OutputType = mlir.Type{} }),
		"sdy.data_flow_edge": again(AsDataFlowEdge, func(o *DataFlowEdgeOp) { o.ResultType = mlir.Type{} }),
		"sdy.func_data_flow_edge": again(AsFuncDataFlowEdge,
			func(o *FuncDataFlowEdgeOp) { o.ResultType = mlir.Type{} }),
		"sdy.propagation_barrier": again(AsPropagationBarrier,
			func(o *PropagationBarrierOp) { o.ResultType = mlir.Type{} }),
		"sdy.reduce_scatter": again(AsReduceScatter, func(o *ReduceScatterOp) { o.ResultType = mlir.Type{} }),
		"sdy.replicated_to_unreduced": again(AsReplicatedToUnreduced,
			func(o *ReplicatedToUnreducedOp) { o.ResultType = mlir.Type{} }),
		"sdy.reshard": again(AsReshard, func(o *ReshardOp) { o.ResultType = mlir.Type{} }),
		"sdy.sharded_to_unreduced": again(AsShardedToUnreduced,
			func(o *ShardedToUnreducedOp) { o.ResultType = mlir.Type{} }),
		"sdy.sharding_constraint": again(AsShardingConstraint,
			func(o *ShardingConstraintOp) { o.ResultType = mlir.Type{} }),
		"sdy.sharding_group": again(AsShardingGroup, func(*ShardingGroupOp) {}),
	}
	seen := map[string]bool{}
	for op := range m.Operation().All() {
		create := copied[op.Name()]
		if create == nil {
			continue
		}
		seen[op.Name()] = true
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		made, ok := create(op, b)
		if err := b.Err(); err != nil || !ok {
			t.Errorf("%v: %v", op, err)
			continue
		}
		want, got := mlir.TypesOf(op.ResultValues()), mlir.TypesOf(made.ResultValues())
		check.Diff(t, op.Name(), fmt.Sprint(want), fmt.Sprint(got))
		for name, a := range made.Attributes() {
			if was, ok := op.Attribute(name); !ok || !was.Equal(a) {
				t.Errorf("%v: %s is %v", op, name, a)
			}
		}
		check.NoError(t, made.Erase())
	}
	check.Diff(t, "operations", len(copied), len(seen))
}

// again returns a function that creates a copy of an operation, whose struct is changed before.
func again[T interface {
	Create(b *mlir.Builder) mlir.Operation
}](as func(mlir.Operation) (T, bool), change func(*T)) func(mlir.Operation, *mlir.Builder) (mlir.Operation, bool) {
	return func(op mlir.Operation, b *mlir.Builder) (mlir.Operation, bool) {
		o, ok := as(op)
		if !ok {
			return op, false
		}
		change(&o)
		return o.Create(b), true
	}
}
