package function_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

func TestCalls(t *testing.T) {
	m, err := mlirtest.Context(t).Parse("f.mlir", []byte(`
func.func private @declared(i32)
func.func @main(%x: i32) {
  func.call @g(%x) : (i32) -> ()
  func.call @declared(%x) : (i32) -> ()
  %p = stablehlo.constant dense<true> : tensor<i1>
  "stablehlo.if"(%p) ({
    func.call @g(%x) : (i32) -> ()
    %q = stablehlo.constant {callee = @main} dense<true> : tensor<i1>
    "stablehlo.return"() : () -> ()
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> ()
  return
}
func.func private @g(%x: i32) { return }`))
	check.NoError(t, err)
	order, byName := function.Defined(m)
	var names []string
	for _, f := range order {
		name, _ := f.Symbol()
		names = append(names, name)
		if byName[name] != f {
			t.Errorf("@%s is not in the map of names", name)
		}
	}
	if diff := cmp.Diff([]string{"main", "g"}, names); diff != "" || len(byName) != 2 {
		t.Errorf("functions with a body (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"g", "declared", "g"}, function.Callees(byName["main"])); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	var calls int
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if _, ok := function.Callee(op); ok {
			calls++
		}
		return mlir.WalkContinue
	})
	if calls != 3 {
		t.Errorf("%d calls", calls)
	}
}

func TestInline(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func @twice(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  return %0, %x : i32, i32
}
func.func @main(%x: i32) -> i32 {
  %0:2 = func.call @twice(%x) : (i32) -> (i32, i32)
  %1 = arith.muli %0#0, %0#1 : i32
  return %1 : i32
}`)
	_, functions := function.Defined(m)
	call := functions["main"].Region(0).First().First()
	_, err := function.Inline(call, functions["main"])
	check.Error(t, err, "the call does not fit the function main")
	copies, err := function.Inline(call, functions["twice"])
	check.NoError(t, err)
	check.Diff(t, "copies", 1, len(copies))
	check.NoError(t, m.Verify())
	check.Diff(t, "main", `func.func @main(%arg0: i32) -> i32 {
  %0 = arith.addi %arg0, %arg0 : i32
  %1 = arith.muli %0, %arg0 : i32
  return %1 : i32
}`, functions["main"].String())
}
