package transform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/transform"
)

const twice = `module {
  func.func @f(%x: i32) -> (i32, i32) {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    return %0, %1 : i32, i32
  }
  func.func @g(%x: i32) -> (i32, i32) {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    return %0, %1 : i32, i32
  }
}`

func count(m *mlir.Module, name string) int {
	n := 0
	m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
		if o.Name() == name {
			n++
		}
		return mlir.WalkContinue
	})
	return n
}

func TestApply(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, twice)
		if !e.Library.Has("mlirTransformApplyNamedSequence") {
			if err := transform.Apply(m, mlirtest.Parse(t, c, "module {}"), transform.Options{}); !errors.Is(err,
				mlir.ErrUnsupported) {
				t.Errorf("the error is %v, want ErrUnsupported", err)
			}
			return
		}
		script := mlirtest.Parse(t, c, `module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_cse to %f : !transform.any_op
    transform.yield
  }
  transform.named_sequence @fails(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %0 = transform.cast %f : !transform.any_op to !transform.op<"arith.addi">
    transform.yield
  }
}`)
		check.NoError(t, transform.Apply(m, script, transform.Options{ExpensiveChecks: true}))
		if got := count(m, "arith.addi"); got != 2 {
			t.Errorf("%d additions are left, want 2", got)
		}
		var d *mlir.DiagnosticError
		if err := transform.Apply(m, script, transform.Options{Sequence: "fails"}); !errors.As(err, &d) {
			t.Errorf("a transform that fails: %v", err)
		}
		if err := transform.Apply(m, script, transform.Options{Sequence: "nosuch"}); err == nil ||
			!strings.Contains(err.Error(), "@nosuch") {
			t.Errorf("a sequence that is not there: %v", err)
		}
		// The sequence marks the function beside it, and itself.
		own := mlirtest.Parse(t, c, `module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %all = transform.structured.match ops{["func.func", "transform.named_sequence"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.annotate %all "seen" : !transform.any_op
    transform.yield
  }
}`)
		if err := transform.Apply(own, own, transform.Options{}); err != nil ||
			strings.Count(own.String(), "attributes {seen}") != 2 {
			t.Errorf("a module that holds its script (%v) is\n%s", err, own)
		}
	})
}

func TestMergeSymbols(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		a := mlirtest.Parse(t, c, "func.func @a() { return }\nfunc.func private @p() { return }")
		b := mlirtest.Parse(t, c,
			"func.func @b() { func.call @p() : () -> ()\n return }\nfunc.func private @p() { return }")
		err := transform.MergeSymbols(a, b)
		if !e.Library.Has("mlirMergeSymbolsIntoFromClone") {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("the error is %v, want ErrUnsupported", err)
			}
			return
		}
		check.NoError(t, err)
		if err := a.Verify(); err != nil || count(a, "func.func") != 4 {
			t.Errorf("the merged module (%v) is\n%s", err, a)
		}
		var d *mlir.DiagnosticError
		if err := transform.MergeSymbols(a, mlirtest.Parse(t, c,
			"func.func @a() -> i32 { %0 = arith.constant 1 : i32\n return %0 : i32 }")); !errors.As(err, &d) {
			t.Errorf("two public symbols of one name: %v", err)
		}
		if err := transform.MergeSymbols(a, a); err == nil {
			t.Error("a module was merged into itself")
		}
	})
}

// TestCycle checks that cycles, on which transforms might fold forever, are
// refused.
func TestCycle(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirTransformApplyNamedSequence") {
			return // see TestApply
		}
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, "module {\n  %c = arith.constant 0 : i32\n  %a = arith.addi %a, %c : i32\n}")
		script := mlirtest.Parse(t, c, `module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %root {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}`)
		check.Error(t, transform.Apply(m, script, transform.Options{}),
			"transforming failed: test.mlir:3:8: error: 'arith.addi' op uses its own result")
		check.Report(t, transform.Apply(mlirtest.Parse(t, c, twice), script, transform.Options{}))
	})
}
