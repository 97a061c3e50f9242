package function_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
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
	if err != nil {
		t.Fatal(err)
	}
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
