package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// inferred creates an operation that has operands and nothing else.
func inferred(ip mlir.InsertionPoint, loc mlir.Location, name string, operands ...mlir.Value) (mlir.Operation, error) {
	return mlir.Create(ip, mlir.OperationState{Name: name, Location: loc, Operands: operands, InferResults: true})
}

// TestInfer creates operations in all kinds of places, each more than once, because the first
// operation of a kind is created in another way.
func TestInfer(t *testing.T) {
	c := mlirtest.Context(t)
	_, block := emptyFunction(t, c)
	argument := block.Argument(0)
	x := argument
	infer := func(ip mlir.InsertionPoint, operands ...mlir.Value) (mlir.Operation, error) {
		return inferred(ip, c.UnknownLocation(), "arith.addi", operands...)
	}
	for range 3 {
		sum := check.Must(infer(block, x, x))
		if sum.Result(0).Type() != x.Type() || sum.Block() != block || sum.Operand(1) != x {
			t.Errorf("%v was created", sum)
		}
		x = sum.Result(0)
	}
	first := check.Must(infer(mlir.AtStart(block), argument, argument))
	if block.First() != first {
		t.Errorf("%v is not the first operation", block.First())
	}
	detached := check.Must(infer(c, argument, argument))
	check.Panics(t, "uses a value or block that is not in the module",
		func() { _, _ = infer(block, detached.Result(0), x) })
	for range 2 {
		_, err := infer(block, x)
		check.Error(t, err, "arith.addi takes 2 operands, but 1 are given")
		_, err = inferred(block, mlir.Location{}, "arith.nothing", x)
		check.Error(t, err, `"arith.nothing"`)
		_, err = inferred(block, mlir.Location{}, "func.return")
		check.Error(t, err, "AllowInference was not called")
		check.Panics(t, "was given a value that is nil", func() { _, _ = infer(block, x, mlir.Value{}) })
		check.Panics(t, "was given a block that is nil", func() { _, _ = infer(mlir.Block{}, x, x) })
		sum := check.Must(inferred(block, mlir.Location{}, "arith.addi", x, x))
		check.Diff(t, "location", c.UnknownLocation(), sum.Location())
	}
	if n := testing.AllocsPerRun(100, func() { x = check.Must(infer(block, x, x)).Result(0) }); n != 0 {
		t.Errorf("an operation costs %v allocations", n)
	}
}

// TestInferDiagnostics checks that an error of the library is reported once, also if it is not
// the first operation of its kind.
func TestInferDiagnostics(t *testing.T) {
	c := mlirtest.Context(t)
	_, block := emptyFunction(t, c)
	mlir.AllowInference("stablehlo.add", mlir.Inference{Operands: 2})
	at := block.Append(check.Must(mlir.Create(c, mlir.OperationState{
		Name: "builtin.unrealized_conversion_cast", Results: mlirtest.Types(c, "tensor<2xf32>", "tensor<3xf32>"),
	})))
	two, three := at.Result(0), at.Result(1)
	for range 2 {
		_, err := inferred(block, c.UnknownLocation(), "stablehlo.add", two, three)
		if n := len(check.As[*mlir.DiagnosticError](t, err).Diagnostics); n != 1 {
			t.Errorf("%d diagnostics: %v", n, err)
		}
		check.Must(inferred(block, c.UnknownLocation(), "stablehlo.add", two, two))
	}
}

func TestBuilderInfer(t *testing.T) {
	c := mlirtest.Context(t)
	_, block := emptyFunction(t, c)
	x := block.Argument(0)
	b := mlir.NewBuilder(block, mlir.Location{})
	sum := mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{x, x}, InferResults: true}
	for range 2 {
		op, want := b.Create(sum), line()
		check.NoError(t, b.Err())
		check.Diff(t, "location", want, op.Location().Position().String())
	}
	b.Create(mlir.OperationState{Name: sum.Name, Operands: []mlir.Value{x, {}}, InferResults: true})
	check.Error(t, b.Err(), "infer_test.go:", "was given a value that is nil")
	if op := b.Create(sum); op.NumResults() == 0 {
		t.Error("after an error there is no operation")
	}
}
