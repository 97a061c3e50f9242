package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// lowerIf makes an if a condition of scf, whose branches store tensors in the same buffers.
func lowerIf(e *emitter) error {
	to := e.destinations()
	results := scf.Choose(e.Builder, e.unpack(e.operands()[0]),
		func() []mlir.Value { return e.branch(0, to) }, func() []mlir.Value { return e.branch(1, to) })
	return e.replace(each(results, e.pack))
}

// lowerCase makes a case a switch of scf. An index that is out of range selects the last branch.
func lowerCase(e *emitter) error {
	to := e.destinations()
	last := e.op.NumRegions() - 1
	regions := make([]mlir.Region, last+1)
	cases := make([]int64, last)
	types := make([]mlir.Type, len(to))
	for i := range regions {
		regions[i] = e.Region(func([]mlir.Value) {
			values := e.branch(i, to)
			if e.Err() == nil {
				types = each(values, mlir.Value.Type)
			}
			scf.Yield(e.Builder, values...)
		})
	}
	for i := range cases {
		cases[i] = int64(i)
	}
	index := arith.IndexCast(e.Builder, e.Context().IndexType(), e.unpack(e.operands()[0]))
	op := scf.IndexSwitchOp{Arg: index, Cases: cases, DefaultRegion: regions[last], CaseRegions: regions[:last],
		ResultsTypes: types}.Create(e.Builder)
	return e.replace(each(op.ResultValues(), e.pack))
}

// destinations returns a tensor for each result.
func (e *emitter) destinations() []mlir.Value {
	return each(e.op.ResultValues(), func(r mlir.Value) mlir.Value {
		return e.buffer(signlessType(e.Context(), r.Type()))
	})
}

// branch builds a branch, which stores its results in to.
func (e *emitter) branch(region int, to []mlir.Value) []mlir.Value {
	results := each(e.take(e.op.Region(region).First(), nil), e.unpack)
	for i, v := range results {
		results[i] = e.store(v, to[i])
	}
	return results
}
