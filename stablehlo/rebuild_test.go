package stablehlo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// readers returns the readers of all operations of the dialect, except for those without a
// generated struct.
func readers(c *mlir.Context) map[string]mlirtest.Reader {
	all := mlirtest.Readers(c, samples)
	for _, op := range unaryOps {
		all[dialect+op.name] = op.read
	}
	for _, op := range binaryOps {
		all[dialect+op.name] = op.read
	}
	return all
}

// differing has modules with result types that are not the inferred ones.
var differing = []struct{ name, module string }{
	{"quantized elementwise", `
		!a = tensor<4x!quant.uniform<i8:f32, 2.0:15>>
		!b = tensor<4x!quant.uniform<i8:f32, 1.0:-3>>
		func.func @main(%a: !a, %f: tensor<4xf32>) -> !b {
			%0 = stablehlo.add %a, %a : (!a, !a) -> !b
			%1 = stablehlo.tanh %a : (!a) -> !b
			%2 = stablehlo.multiply %0, %1 : !b
			%3 = stablehlo.maximum %2, %a : (!b, !a) -> !b
			%4 = stablehlo.abs %a : (!a) -> !b
			%5 = stablehlo.logistic %a : (!a) -> !b
			%6 = stablehlo.uniform_quantize %f : (tensor<4xf32>) -> !a
			%7 = stablehlo.cbrt %6 : (!a) -> !b
			%8 = stablehlo.clamp %a, %a, %a : (!a, !a, !a) -> !b
			return %8 : !b }`},
	{"quantized others", `
		!a = tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
		!b = tensor<2x2x!quant.uniform<i8:f32, 1.0:-3>>
		func.func @main(%a: !a, %p: tensor<2x2xi1>, %z: tensor<!quant.uniform<i8:f32, 2.0:15>>) -> !b {
			%0 = stablehlo.select %p, %a, %a : (tensor<2x2xi1>, !a, !a) -> !a
			%1 = stablehlo.transpose %0, dims = [1, 0] : (!a) -> !a
			%2 = stablehlo.reverse %1, dims = [0] : !a
			%3 = stablehlo.concatenate %2, %1, dim = 0 : (!a, !a) -> tensor<4x2x!quant.uniform<i8:f32, 2.0:15>>
			%4 = stablehlo.slice %3 [0:2, 0:2] : (tensor<4x2x!quant.uniform<i8:f32, 2.0:15>>) -> !a
			%5 = stablehlo.sqrt %4 : (!a) -> !b
			%6 = stablehlo.subtract %a, %a : (!a, !a) -> !b
			%7 = stablehlo.negate %6 : (!b) -> !a
			return %5 : !b }`},
	{"dynamic elementwise", `
		func.func @main(%a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi1>) {
			%0 = stablehlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
			%1 = stablehlo.add %b, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
			%2 = stablehlo.add %b, %b : tensor<?xf32>
			%3 = stablehlo.exponential %a : (tensor<4xf32>) -> tensor<?xf32>
			%4 = stablehlo.compare GT, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xi1>
			return %0, %1, %3, %4 : tensor<?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi1> }`},
	{"control flow", `
		func.func @main(%p: tensor<i1>, %i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<4xf32>) {
			%0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<?xf32>
			%1 = "stablehlo.case"(%i) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i32>) -> tensor<?xf32>
			%2 = "stablehlo.if"(%p) ({ stablehlo.return %b : tensor<?xf32> }, { stablehlo.return %b : tensor<?xf32> }) : (tensor<i1>) -> tensor<4xf32>
			%3 = "stablehlo.if"(%p) ({ stablehlo.return %b : tensor<?xf32> }, { stablehlo.return %b : tensor<?xf32> }) : (tensor<i1>) -> tensor<?xf32>
			return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<4xf32> }`},
	{"reductions", `
		func.func @main(%a: tensor<4x3xf32>, %b: tensor<?x?xf32>, %z: tensor<f32>) -> (tensor<?xf32>, tensor<3xf32>) {
			%0 = "stablehlo.reduce"(%a, %z) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%s = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %s : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<f32>) -> tensor<?xf32>
			%1 = "stablehlo.reduce"(%b, %z) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%s = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %s : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<3xf32>
			return %0, %1 : tensor<?xf32>, tensor<3xf32> }`},
	{"dynamic gather", `
		func.func @main(%a: tensor<2x4x9xf32>, %i: tensor<1x5x2xi32>, %s: tensor<3xi32>) -> tensor<1x5x8xf32> {
			%0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1],
				start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x8xf32>
			return %0 : tensor<1x5x8xf32> }`},
	{"bounds", `
		!b = tensor<?xf32, #stablehlo.bounds<4>>
		func.func @main(%a: !b) -> tensor<?xf32> {
			%0 = stablehlo.add %a, %a : !b
			%1 = stablehlo.add %a, %a : (!b, !b) -> tensor<?xf32>
			return %1 : tensor<?xf32> }`},
}

// TestRebuildDiffering rebuilds operations whose result types are not the inferred ones.
func TestRebuildDiffering(t *testing.T) {
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		for _, test := range differing {
			t.Run(test.name, func(t *testing.T) {
				m, err := c.Parse(test.name, []byte(test.module))
				check.NoError(t, err)
				mlirtest.Rebuild(t, m, readers(c))
				check.NoError(t, m.Verify())
			})
		}
	})
}

// TestRebuildCorpus rebuilds the operations of the corpus. A module that the library cannot
// read is left out.
func TestRebuildCorpus(t *testing.T) {
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		paths, err := filepath.Glob("../tests/testdata/modules/*.mlir*")
		check.NoError(t, err)
		list, rebuilt := readers(c), 0
		for _, path := range paths {
			m, err := c.Parse(path, check.Must(os.ReadFile(path)))
			if err != nil {
				continue
			}
			rebuilt += mlirtest.Rebuild(t, m, list)
			m.Close()
		}
		if rebuilt < 500 {
			t.Errorf("only %d operations were rebuilt", rebuilt)
		}
	})
}

func TestResultErrors(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, `func.func @main(%a: tensor<4xf32>, %p: tensor<i1>) { return }`)
	in := m.Body().First().Region(0).First()
	f32 := mlirtest.Type(c, "tensor<?xf32>")
	branch := func() mlir.Region {
		b := c.NewBlock(mlir.Location{})
		check.Must(mlirtest.Create(b, ReturnOp{Results: []mlir.Value{in.Argument(0)}}))
		r := c.NewRegion()
		r.Append(b)
		return r
	}
	wrong, err := mlirtest.Create(c,
		IfOp{Pred: in.Argument(1), TrueBranch: branch(), FalseBranch: branch(), ResultTypes: []mlir.Type{f32, f32}})
	check.NoError(t, err)
	check.Error(t, wrong.Verify(), "stablehlo.if")
	_, err = mlirtest.Create(c,
		IfOp{Pred: in.Argument(1), TrueBranch: branch(), FalseBranch: branch(), ResultTypes: []mlir.Type{f32, {}}})
	check.Error(t, err, "stablehlo.if: type 1 of result is missing")
	op, err := mlirtest.Create(mlir.AtStart(in),
		AddOp{LHS: in.Argument(0), RHS: in.Argument(0), ResultType: mlirtest.Type(c, "tensor<5xf32>")})
	check.NoError(t, err)
	check.Error(t, op.Verify(), "stablehlo.add")
}
