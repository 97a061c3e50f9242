package transform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/define"
	"github.com/calliope-mlir/calliope/mlir/transform"
)

type application = transform.Application

// partsOf returns parts of the definition of an operation of scripts.
func partsOf(names ...string) (parts []define.Part) {
	for _, name := range names {
		parts = append(parts, define.Part{Name: name})
	}
	return parts
}

// scripting returns a context with operations for scripts, or nil if the library has no models.
func scripting(t *testing.T, e mlirtest.Engine, threads bool) *mlir.Context {
	t.Helper()
	c := e.Library.NewContext(mlir.ContextOptions{Threads: threads})
	t.Cleanup(func() { c.Close() })
	nothing := transform.Op{Apply: func(*application) error { return nil }}
	if !e.Library.Has("mlirTransformOpInterfaceAttachFallbackModel") || e.Library.Has("mlirMemoryEffectInstanceClone") {
		mlirtest.Unsupported(t, transform.SetOp(c, "my.split", nothing))
		return nil
	}
	check.NoError(t, define.Dialect{Name: "my", Operations: []define.Operation{
		{Name: "split", Operands: partsOf("adds"), Results: partsOf("left", "values", "count")},
		{Name: "double", Operands: partsOf("adds", "values", "count"), Results: partsOf("made")},
		{Name: "wrong", Operands: partsOf("adds"), Results: partsOf("result")},
	}}.Load(c))
	return c
}

const adds = `func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  return %1 : i32
}`

// script returns a script with steps after the match of the additions.
func script(steps string) string {
	return `module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %adds = transform.structured.match ops{["arith.addi"]} in %root : (!transform.any_op) -> !transform.any_op
    ` + steps + `
    transform.yield
  }
}`
}

// TestOps runs a script of operations in Go: one that reads and gives handles to
// operations, values and attributes, and one that takes these, and replaces the operations.
func TestOps(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, threads := range []bool{false, true} {
			c := scripting(t, e, threads)
			if c == nil {
				return
			}
			var kept *transform.Application
			var gone mlir.Operation
			check.NoError(t,
				transform.SetOp(c, "my.split", transform.Op{ReadsOnly: true, Apply: func(t *application) error {
					ops := t.Operations(0)
					var values []mlir.Value
					for _, o := range ops {
						values = append(values, o.Operand(0))
					}
					t.SetOperations(0, ops[1:]...)
					t.SetValues(1, values...)
					t.SetParams(2,
						t.Op.Context().IntegerAttribute(t.Op.Context().IntegerType(64, mlir.Signless), int64(len(ops))))
					kept, gone = t, ops[0]
					return nil
				}}))
			check.NoError(t, transform.SetOp(c, "my.double",
				transform.Op{Consumes: []int{0}, Apply: func(t *application) error {
					n, _ := t.Params(2)[0].Int()
					if len(t.Values(1)) != 2 || n != 2 {
						return fmt.Errorf("got %d values and %d", len(t.Values(1)), n)
					}
					var made []mlir.Operation
					for _, o := range t.Operations(0) {
						t.Rewriter.SetInsertionPoint(mlir.Before(o))
						m, err := mlir.Create(t.Rewriter,
							mlir.OperationState{Name: "arith.muli", Operands: o.OperandValues(),
								Results: []mlir.Type{o.Result(0).Type()}, Location: o.Location()})
						if err != nil {
							return err
						}
						t.Rewriter.Replace(o, m.Result(0))
						made = append(made, m)
					}
					t.SetOperations(0, made...)
					return nil
				}}))
			check.Error(t, transform.SetOp(c, "my.double", transform.Op{Apply: func(*application) error {
				return nil
			}}), "has memory effects or a transform already")
			m := check.Must(c.Parse("", []byte(adds)))
			s := check.Must(
				c.Parse("",
					[]byte(script(
						`%left, %values, %count = "my.split"(%adds) : (!transform.any_op) -> (!transform.any_op, !transform.any_value, !transform.param<i64>)
    %made = "my.double"(%left, %values, %count) : (!transform.any_op, !transform.any_value, !transform.param<i64>) -> !transform.op<"arith.muli">
    transform.annotate %made "seen" : !transform.op<"arith.muli">`))))
			for range 2 {
				check.NoError(t, transform.Apply(m, s, transform.Options{ExpensiveChecks: true}))
				check.Diff(t, "the module", `module {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.muli %0, %arg0 {seen} : i32
    return %1 : i32
  }
}
`, m.String())
				m = check.Must(c.Parse("", []byte(adds)))
			}
			check.Panics(t, "after the end of the pass or pattern", func() { gone.Name() })
			check.Panics(t, "after the end of the pass or pattern", func() { kept.Operations(0) })
			check.NoError(t, s.Verify())
		}
	})
}

// TestOpErrors checks the errors of operations in Go that fail or misuse their handles.
func TestOpErrors(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if scripting(t, e, false) == nil {
			return
		}
		cause := errors.New("no reason")
		for _, test := range []struct {
			name, result string
			apply        func(*application) error
			want         string
		}{
			{"an error", "!transform.any_op", func(*application) error { return cause }, "my.wrong: no reason"},
			{"a panic", "!transform.any_op", func(*application) error { panic("help") }, "panic: help"},
			{"another kind", "!transform.any_op", func(t *application) error { t.Values(0); return nil },
				"Values was given the operand 0, whose type is !transform.any_op"},
			{"no such operand", "!transform.any_op", func(t *application) error { t.Operations(1); return nil },
				"the operand 1 of an operation with 1"},
			{"no such result", "!transform.any_op", func(t *application) error {
				t.SetOperations(-1)
				return nil
			}, "the result -1 of an operation with 1"},
			{"twice", "!transform.any_op", func(t *application) error {
				t.SetOperations(0)
				t.SetOperations(0)
				return nil
			}, "set the result 0 twice"},
			{"no handle", "i32", func(*application) error { return nil },
				"type i32, which is not one of a handle"},
			{"an operation of the script", "!transform.any_op", func(t *application) error {
				t.SetOperations(0, t.Op)
				return nil
			}, "something that is not in the module"},
			{"a change of the script", "!transform.any_op", func(t *application) error {
				t.Op.SetDiscardable("a.b", t.Op.Context().UnitAttribute())
				return nil
			}, "a function of a script changes operations"},
			{"erasing the script", "!transform.any_op", func(t *application) error {
				return t.Rewriter.Erase(t.Op)
			}, "Rewriter.Erase called in a pattern on another rewriter"},
			{"an invalid operation", "!transform.any_op", func(t *application) error {
				add := t.Operations(0)[0]
				return t.Rewriter.ModifyInPlace(add, func() error { add.SetOperands(); return nil })
			}, "op expected 2 operands"},
			{"erasing without consuming", "!transform.any_op", func(t *application) error {
				ops := t.Operations(0)
				t.Rewriter.Replace(ops[0], ops[0].Operand(0))
				return nil
			}, "-"},
			{"nothing", "!transform.any_op", func(*application) error { return nil }, "-"},
		} {
			c := scripting(t, e, false)
			check.NoError(t, transform.SetOp(c, "my.wrong", transform.Op{Apply: test.apply}))
			m, s := check.Must(c.Parse("", []byte(adds))), check.Must(
				c.Parse("", []byte(script(`%0 = "my.wrong"(%adds) : (!transform.any_op) -> `+test.result+"\n"+
					`transform.annotate %adds "later" : !transform.any_op`))))
			err := transform.Apply(m, s, transform.Options{})
			switch {
			case test.want == "-":
				check.NoError(t, err)
			case err == nil || !strings.Contains(err.Error(), test.want):
				t.Errorf("%s: the error is %v, want one that says %q", test.name, err, test.want)
			case test.name == "an error" && !errors.Is(err, cause):
				t.Errorf("%v hides the error", err)
			}
			if test.name != "an invalid operation" { // it is left as it is, as by a Pattern
				check.NoError(t, m.Verify())
			}
			check.NoError(t, s.Verify())
		}
		c := scripting(t, e, false)
		check.NoError(t,
			transform.SetOp(c, "my.split", transform.Op{Apply: func(*application) error { return nil }}))
		both := check.Must(c.Parse("", []byte(script(`%l, %v, %n = "my.split"(%adds) : (!transform.any_op) -> (!transform.any_op, !transform.any_value, !transform.any_param)`))))
		passes := mlir.PassManagerOptions{Pipeline: "builtin.module(transform-interpreter)"}
		err := check.Must(c.NewPassManager(passes)).Run(both)
		check.Error(t, err, "my.split: it is defined in Go: run the script with transform.Apply")
		one := transform.Op{Apply: func(*application) error { return nil }}
		check.Error(t, transform.SetOp(c, "my.none", one), "LoadIRDL has not defined the operation my.none")
		check.Error(t, transform.SetOp(c, "transform.yield", one), "LoadIRDL has not defined the operation transform.yield")
		check.Error(t, transform.SetOp(c, "my.wrong", transform.Op{}), "needs a function")
		one.Consumes = []int{64}
		check.Error(t, transform.SetOp(c, "my.wrong", one), "consumes the operand 64")
	})
}
