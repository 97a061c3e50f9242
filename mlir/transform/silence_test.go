package transform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/transform"
)

// multiply is an operation of scripts that puts a multiplication in the place of each addition of a value to itself. If
// there is another addition, it fails before it has changed anything.
func multiply(cause error) transform.Op {
	return transform.Op{Consumes: []int{0}, Apply: func(t *transform.Application) error {
		var made []mlir.Operation
		for _, o := range t.Operations(0) {
			if o.Operand(0) != o.Operand(1) {
				return fmt.Errorf("at %s: %w", o.Name(), &transform.SilenceableError{Err: cause})
			}
		}
		for _, o := range t.Operations(0) {
			t.Rewriter.SetInsertionPoint(mlir.Before(o))
			m, err := mlir.Create(t.Rewriter, mlir.OperationState{Name: "arith.muli", Operands: o.OperandValues(),
				Results: []mlir.Type{o.Result(0).Type()}, Location: o.Location()})
			if err != nil {
				return err
			}
			t.Rewriter.Replace(o, m.Result(0))
			made = append(made, m)
		}
		t.SetOperations(0, made...)
		return nil
	}}
}

// TestSilenceable holds that scripts go on after silenceable failures of operations in Go, and what Transform returns
// if they do not.
func TestSilenceable(t *testing.T) {
	const (
		match = `
    %in = transform.structured.match ops{["arith.addi"]} in %arg : (!transform.any_op) -> !transform.any_op
    `
		wrong = match + `%made = "my.wrong"(%in) : (!transform.any_op) -> !transform.any_op
    transform.annotate %made "made" : !transform.any_op
    `
		note  = match + `transform.annotate %in "second" : !transform.any_op`
		tries = `%f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.alternatives %f : !transform.any_op {
    ^bb0(%arg: !transform.any_op):
    `
		second = `}, {
    ^bb0(%arg: !transform.any_op):
    `
		after = `%f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.annotate %f "after" : !transform.any_op`
	)
	const annotated = "attributes {after}"
	const equal = "func.func @f(%a: i32) -> i32 {\n%0 = arith.addi %a, %a : i32\nreturn %0 : i32 }"
	sequence := func(mode, body string) string {
		return "transform.sequence %root : !transform.any_op failures(" + mode + ") {\n^bb0(%arg: !transform.any_op):\n" +
			body + "}\n" + after
	}
	cause := errors.New("no reason")
	for name, test := range map[string]struct {
		text, steps string
		want        []string // in the module
		err         string
		is          bool // the error is the cause
	}{
		"no script goes on": {adds, `%0 = "my.wrong"(%adds) : (!transform.any_op) -> !transform.any_op`, nil,
			"transform: my.wrong: at arith.addi: no reason", true},
		"propagated": {adds, sequence("propagate", wrong), nil,
			"transform: my.wrong: at arith.addi: no reason", true},
		"suppressed": {adds, sequence("suppress", wrong), []string{"addi", annotated}, "", false},
		"suppressed, success": {equal, sequence("suppress", wrong), []string{"muli", "{made}", annotated}, "",
			false},
		"the second alternative": {adds, tries + wrong + second + note + "}", []string{"addi", "{second}"}, "",
			false},
		"the first alternative":    {equal, tries + wrong + second + note + "}", []string{"muli", "{made}"}, "", false},
		"nothing as a last resort": {adds, tries + wrong + second + "}", []string{"arith.addi"}, "", false},
		"all alternatives": {adds, tries + wrong + second + wrong + "}", nil,
			"all alternatives failed\n  script.mlir:9:13: note: the script went on after my.wrong: at arith.addi: no",
			false},
		"another error later": {adds, sequence("suppress", wrong) + "\n" +
			`transform.get_parent_op %f {op_name = "no.op"} : (!transform.any_op) -> !transform.any_op`, nil,
			"could not find a parent op that matches all requirements", false},
		"several copies": {equal + strings.Replace(equal, "@f", "@g", 1), tries +
			`%made = "my.wrong"(%arg) : (!transform.any_op) -> !transform.any_op` + second + note + "}", nil,
			"my.wrong: its operands stand for things in several copies: let transform.foreach apply", false},
	} {
		mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
			for _, checks := range []bool{false, true} {
				c := scripting(t, e, false)
				if c == nil {
					return
				}
				check.NoError(t, transform.SetOp(c, "my.wrong", multiply(cause)))
				m := check.Must(c.Parse("m.mlir", []byte(test.text)))
				s := check.Must(c.Parse("script.mlir", []byte(script(test.steps))))
				err := transform.Apply(m, s, transform.Options{ExpensiveChecks: checks})
				if test.err == "" {
					check.Report(t, err)
				} else if err == nil || !strings.Contains(err.Error(), test.err) || errors.Is(err, cause) != test.is {
					t.Errorf("%s: the error is %v, want one that says %q", name, err, test.err)
				}
				check.NoError(t, m.Verify())
				for _, want := range test.want {
					if !strings.Contains(m.String(), want) {
						t.Errorf("%s: the module lacks %s:\n%s", name, want, m)
					}
				}
			}
		})
	}
}

// TestSilenceableInvalid holds that a script does not go on with a module that is not valid, or after a panic.
func TestSilenceableInvalid(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for name, test := range map[string]struct {
			apply func(*transform.Application) error
			want  string
		}{
			"invalid": {func(t *transform.Application) error {
				add := t.Operations(0)[0]
				err := t.Rewriter.ModifyInPlace(add, func() error { add.SetOperands(); return nil })
				return errors.Join(err, &transform.SilenceableError{Err: errors.New("a failure")})
			}, "op expected 2 operands"},
			"panic": {func(*transform.Application) error {
				panic(&transform.SilenceableError{Err: errors.New("a failure")})
			}, "panic: a failure"},
		} {
			c := scripting(t, e, false)
			if c == nil {
				return
			}
			check.NoError(t, transform.SetOp(c, "my.wrong", transform.Op{Apply: test.apply}))
			m := check.Must(c.Parse("m.mlir", []byte(adds)))
			s := check.Must(c.Parse("s.mlir", []byte(script(`transform.sequence %root : !transform.any_op failures(suppress) {
^bb0(%arg: !transform.any_op):
  %in = transform.structured.match ops{["arith.addi"]} in %arg : (!transform.any_op) -> !transform.any_op
  %made = "my.wrong"(%in) : (!transform.any_op) -> !transform.any_op
}`))))
			err := transform.Apply(m, s, transform.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
	})
}
