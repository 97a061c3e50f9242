package autodiff_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// registered is a function of a call whose rule makes calls of @test_double, which is linear.
const registered = `func.func @f(%x: tensor<f64>) -> tensor<f64> {
	%y = stablehlo.custom_call @test_square(%x) {api_version = 4 : i32} : (tensor<f64>) -> tensor<f64>
	return %y : tensor<f64>
}`

// TestRegister makes derivatives by rules of other packages, in both modes.
func TestRegister(t *testing.T) {
	double := func(b *mlir.Builder, x mlir.Value) mlir.Value {
		return stablehlo.CustomCallOp{Target: "test_double", Operands: []mlir.Value{x}, Results: []mlir.Type{x.Type()},
			APIVersion: stablehlo.TypedFFI}.Create(b).Result(0)
	}
	check.NoError(t, autodiff.RegisterTarget("test_square", autodiff.Rule{
		JVP: func(b *mlir.Builder, op mlir.Operation, tangents []mlir.Value) []mlir.Value {
			return []mlir.Value{double(b, stablehlo.Multiply(b, tangents[0], op.Operand(0)))}
		},
	}))
	check.NoError(t, autodiff.RegisterTarget("test_double", autodiff.Rule{
		Transpose: func(b *mlir.Builder, _ mlir.Operation, cotangents []mlir.Value) []mlir.Value {
			return []mlir.Value{double(b, cotangents[0])}
		},
	}))
	f := function(t, parse(t, registered), "f")
	jvp, err := autodiff.JVP(f, autodiff.Options{})
	check.NoError(t, err)
	grad, err := autodiff.Grad(f, autodiff.Options{})
	check.NoError(t, err)
	for _, f := range []mlir.Operation{jvp, grad} {
		n := 0
		for op := range f.All() {
			if call, ok := stablehlo.AsCustomCall(op); ok && call.Target == "test_double" {
				n++
			}
		}
		check.Diff(t, "calls of @test_double", 1, n)
	}
}

// TestRegisterErrors has rules that cannot be registered, and such that return something else than tangents.
func TestRegisterErrors(t *testing.T) {
	none := func(*mlir.Builder, mlir.Operation, []mlir.Value) []mlir.Value { return nil }
	rule := autodiff.Rule{JVP: none}
	check.Error(t, autodiff.Register("test.empty", autodiff.Rule{}), "neither a JVP nor a Transpose")
	check.Error(t, autodiff.Register("add", rule), `"add" is no name of an operation`)
	check.Error(t, autodiff.RegisterTarget("", rule), "the target is empty")
	check.Error(t, autodiff.Register("stablehlo.add", rule), `the operation "stablehlo.add" has a rule already`)
	check.Error(t, autodiff.RegisterTarget("calliope_runtime_call", rule), "has a rule already")
	for name, test := range map[string]struct {
		rule func(*mlir.Builder, mlir.Operation, []mlir.Value) []mlir.Value
		want string
	}{
		"none": {none, "returns 0 values, and the operation has 1 results"},
		"type": {func(b *mlir.Builder, _ mlir.Operation, _ []mlir.Value) []mlir.Value {
			return []mlir.Value{stablehlo.AfterAll(b)}
		}, "returns !stablehlo.token for value 0 of its results, which is tensor<f64>"},
		"mistake": {func(b *mlir.Builder, _ mlir.Operation, tangents []mlir.Value) []mlir.Value {
			b.Fail(fmt.Errorf("not today"))
			return tangents
		}, "not today"},
	} {
		target := "test_wrong_" + name
		check.NoError(t, autodiff.RegisterTarget(target, autodiff.Rule{JVP: test.rule}))
		_, err := autodiff.JVP(function(t, parse(t, `func.func @f(%x: tensor<f64>) -> tensor<f64> {
			%y = stablehlo.custom_call @`+target+`(%x) {api_version = 4 : i32} : (tensor<f64>) -> tensor<f64>
			return %y : tensor<f64>
		}`), "f"), autodiff.Options{})
		check.Error(t, err, test.want)
	}
}

// TestRegisterTogether registers one rule from several goroutines. One of them succeeds.
func TestRegisterTogether(t *testing.T) {
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() {
			errs[i] = autodiff.Register("test.together", autodiff.Rule{
				JVP: func(*mlir.Builder, mlir.Operation, []mlir.Value) []mlir.Value { return nil }})
		})
	}
	wait.Wait()
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
		}
	}
	check.Diff(t, "registrations that failed", len(errs)-1, failed)
}
