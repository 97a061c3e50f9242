package mlir_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// toAdd replaces a multiplication by an addition.
const toAdd = `module {
  pdl.pattern @to_add : benefit(1) {
    %a = pdl.operand
    %b = pdl.operand
    %t = pdl.type : i32
    %op = pdl.operation "arith.muli"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %new = pdl.operation "arith.addi"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      pdl.replace %op with %new
    }
  }
}`

// viaGo calls Go functions that decide whether to rewrite and return the replacement.
const viaGo = `module {
  pdl.pattern @via_go : benefit(1) {
    %a = pdl.operand
    %b = pdl.operand
    %t = pdl.type : i32
    %op = pdl.operation "arith.muli"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.apply_native_constraint "wanted"(%op, %a, %t : !pdl.operation, !pdl.value, !pdl.type)
    pdl.rewrite %op {
      %v = pdl.apply_native_rewrite "sum"(%op : !pdl.operation) : !pdl.value
      pdl.replace %op with (%v : !pdl.value)
    }
  }
}`

func TestPDL(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		if c.LoadDialect("pdl") != nil {
			// The library may have the functions, but it has no dialect to write patterns
			// in.
			if _, err := c.NewPDLPatterns(mlirtest.Parse(t, c, "module {}"), mlir.PDLOptions{}); err == nil {
				t.Error("a library without PDL made patterns")
			}
			return
		}
		description := mlirtest.Parse(t, c, toAdd)
		s, err := c.NewPDLPatterns(description, mlir.PDLOptions{})
		check.NoError(t, err)
		description.Close()
		for range 2 {
			m := mlirtest.Parse(t, c, doubling)
			check.NoError(t, s.Apply(m, mlir.GreedyOptions{}))
			if err := m.Verify(); err != nil || count(m, "arith.muli") != 0 || count(m, "arith.addi") != 2 {
				t.Errorf("the rewritten module (%v):\n%s", err, m)
			}
		}
		s.Close()
	})
}

func TestPDLFunctions(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		wanted := func(arguments []any) (bool, error) {
			op, ok := arguments[0].(mlir.Operation)
			_, value := arguments[1].(mlir.Value)
			typ, _ := arguments[2].(mlir.Type)
			return ok && value && op.Name() == "arith.muli" && typ.String() == "i32", nil
		}
		sum := func(r *mlir.Rewriter, arguments []any) ([]any, error) {
			op := arguments[0].(mlir.Operation)
			made, err := mlir.Create(r, mlir.OperationState{
				Name: "arith.addi", Location: op.Location(),
				Operands: []mlir.Value{op.Operand(0), op.Operand(1)}, Results: []mlir.Type{op.Result(0).Type()},
			})
			if err != nil {
				return nil, err
			}
			return []any{made.Result(0)}, nil
		}
		type rewrite = func(*mlir.Rewriter, []any) ([]any, error)
		apply := func(wanted func([]any) (bool, error), f rewrite) (*mlir.Module, error) {
			s, err := c.NewPDLPatterns(mlirtest.Parse(t, c, viaGo), mlir.PDLOptions{
				Constraints: map[string]func([]any) (bool, error){"wanted": wanted},
				Rewrites:    map[string]func(*mlir.Rewriter, []any) ([]any, error){"sum": f},
			})
			check.NoError(t, err)
			defer s.Close()
			m := mlirtest.Parse(t, c, doubling)
			return m, s.Apply(m, mlir.GreedyOptions{})
		}
		m, err := apply(wanted, sum)
		if err != nil || count(m, "arith.muli") != 0 || count(m, "arith.addi") != 2 {
			t.Errorf("the rewritten module (%v):\n%s", err, m)
		}
		m, err = apply(func([]any) (bool, error) { return false, nil }, sum)
		if err != nil || count(m, "arith.muli") != 2 {
			t.Errorf("the constraint does not hold (%v):\n%s", err, m)
		}
		for name, test := range map[string]struct {
			want   error
			text   string
			wanted func([]any) (bool, error)
			sum    rewrite
		}{
			"constraint fails": {fs.ErrNotExist, "", func([]any) (bool, error) { return true, fs.ErrNotExist }, sum},
			"rewrite fails": {fs.ErrExist, "", wanted,
				func(*mlir.Rewriter, []any) ([]any, error) { return nil, fs.ErrExist }},
			"rewrite panics": {nil, "boom", wanted, func(*mlir.Rewriter, []any) ([]any, error) { panic("boom") }},
			"too few results": {nil, "must return 1 results, but returned 0", wanted,
				func(*mlir.Rewriter, []any) ([]any, error) { return nil, nil }},
			"wrong result": {nil, "must be a mlir.Value", wanted,
				func(_ *mlir.Rewriter, a []any) ([]any, error) { return a[:1], nil }},
		} {
			_, err := apply(test.wanted, test.sum)
			var pattern *mlir.PatternError
			if !errors.As(err, &pattern) || test.want != nil && !errors.Is(err, test.want) ||
				!strings.Contains(err.Error(), test.text) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, bad := range []string{"module {}", viaGo} {
			if _, err := c.NewPDLPatterns(mlirtest.Parse(t, c, bad), mlir.PDLOptions{}); err == nil {
				t.Errorf("made patterns of\n%s", bad)
			}
		}
	})
}
