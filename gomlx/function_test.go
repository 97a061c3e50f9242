package gomlx

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var must = testutil.Must1[compute.Value]

// open opens a backend that ends with the test.
func open(t *testing.T, config string) *Backend {
	b, err := New(config)
	check.NoError(t, err)
	t.Cleanup(b.Finalize)
	return b
}

// closure returns a closure of f with parameters of a shape.
func closure(
	f compute.Function, shape shapes.Shape, params int,
	body func(g compute.Function, p []compute.Value) []compute.Value,
) compute.Function {
	g := testutil.Must1(f.Closure())
	var p []compute.Value
	for i := range params {
		p = append(p, must(g.Parameter(fmt.Sprint(i), shape, nil)))
	}
	testutil.Must(g.Return(body(g, p), nil))
	return g
}

// TestControl runs closures and functions, some of which use values of the functions around them.
func TestControl(t *testing.T) {
	b := open(t, "")
	scalar := shapes.Make(dtypes.Float32)
	type values = []compute.Value
	tests := []struct {
		name  string
		build func(f compute.Function, p values) (values, error)
		want  []any
	}{
		{"a branch in a loop", func(f compute.Function, p values) (values, error) {
			limit := must(f.Constant([]float32{20}))
			cond := closure(f, scalar, 1, func(g compute.Function, s values) values {
				return values{must(g.LessThan(s[0], limit))}
			})
			body := closure(f, scalar, 1, func(g compute.Function, s values) values {
				even := must(g.LessThan(s[0], must(g.Constant([]float32{8}))))
				yes := closure(g, scalar, 0, func(h compute.Function, _ values) values {
					return values{must(h.Add(s[0], p[0]))}
				})
				no := closure(g, scalar, 0, func(h compute.Function, _ values) values {
					return values{must(h.Mul(s[0], p[0]))}
				})
				return testutil.Must1(g.If(even, yes, no))
			})
			return f.While(cond, body, must(f.Constant([]float32{1})))
		}, []any{float32(10 * 3)}},
		{"closures of main in a loop", func(f compute.Function, p values) (values, error) {
			cond := closure(f, scalar, 1, func(g compute.Function, s values) values {
				return values{must(g.LessThan(s[0], must(g.Constant([]float32{5}))))}
			})
			body := closure(f, scalar, 1, func(g compute.Function, s values) values {
				next := closure(f, scalar, 0, func(h compute.Function, _ values) values {
					return values{must(h.Add(s[0], p[0]))}
				})
				return testutil.Must1(g.If(must(g.Constant([]bool{true})), next, next))
			})
			return f.While(cond, body, must(f.Constant([]float32{1})))
		}, []any{float32(7)}},
		{"branches of constants", func(f compute.Function, p values) (values, error) {
			of := func(v float32) compute.Function {
				return closure(f, scalar, 0, func(g compute.Function, _ values) values {
					return values{must(g.Constant([]float32{v}))}
				})
			}
			return f.If(must(f.Constant([]bool{false})), of(1), of(2))
		}, []any{float32(2)}},
		{"a comparator with a constant", func(f compute.Function, p values) (values, error) {
			two := must(f.Constant([]float32{2}))
			near := closure(f, scalar, 2, func(g compute.Function, s values) values {
				return values{must(g.LessThan(must(g.Abs(must(g.Sub(s[0], two)))),
					must(g.Abs(must(g.Sub(s[1], two))))))}
			})
			return f.Sort(near, 0, true, must(f.Constant([]float32{0, 1, 5, 2}, 4)))
		}, []any{[]float32{2, 1, 0, 5}}},
		{"a comparator of two arrays", func(f compute.Function, p values) (values, error) {
			g := testutil.Must1(f.Closure())
			a, b := must(g.Parameter("a", scalar, nil)), must(g.Parameter("b", scalar, nil))
			must(g.Parameter("i", shapes.Make(dtypes.Int32), nil))
			must(g.Parameter("j", shapes.Make(dtypes.Int32), nil))
			testutil.Must(g.Return(values{must(g.GreaterThan(a, b))}, nil))
			return f.Sort(g, 0, true, must(f.Constant([]float32{2, 4, 3}, 3)), must(f.Constant([]int32{0, 1, 2}, 3)))
		}, []any{[]float32{4, 3, 2}, []int32{1, 2, 0}}},
		{"a slice from a vector", func(f compute.Function, p values) (values, error) {
			at := must(f.Constant([]int32{1, 0}, 2))
			x := must(f.Constant([]float32{1, 2, 3, 4}, 2, 2))
			return values{must(f.DynamicSlice(x, values{at}, []int{1, 2}))}, nil
		}, []any{[][]float32{{3, 4}}}},
		{"functions that call functions", func(f compute.Function, p values) (values, error) {
			one := testutil.Must1(f.Builder().NewFunction("one"))
			testutil.Must(one.Return(values{must(one.Constant([]float32{1}))}, nil))
			next := testutil.Must1(f.Builder().NewFunction("next"))
			x := must(next.Parameter("x", scalar, nil))
			testutil.Must(next.Return(values{must(next.Add(x, testutil.Must1(next.Call(one))[0]))}, nil))
			return f.Call(next, p[0])
		}, []any{float32(4)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := testutil.Exec(b, []any{float32(3)}, test.build)
			check.NoError(t, err)
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestMistakes holds that errors say what is wrong, and those of an operation the line of this file.
func TestMistakes(t *testing.T) {
	b := open(t, "")
	tests := []struct {
		name string
		make func(f compute.Function, x compute.Value) (compute.Value, error)
		want []string
	}{
		{"shapes", func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Add(x, must(f.Constant([]float32{1, 2}, 2)))
		}, []string{"function_test.go", "add", "f32[3]", "f32[2]"}},
		{"axis", func(f compute.Function, x compute.Value) (compute.Value, error) { return f.ReduceSum(x, 7) },
			[]string{"function_test.go", "reduce_sum"}},
		{"another computation", func(f compute.Function, x compute.Value) (compute.Value, error) {
			g := b.Builder("other").Main()
			return f.Neg(must(g.Parameter("x", shapes.Make(dtypes.Float32), nil)))
		}, []string{"no value of this computation"}},
		{"another function", func(f compute.Function, x compute.Value) (compute.Value, error) {
			return testutil.Must1(f.Builder().NewFunction("g")).Neg(x)
		}, []string{`"g" uses a value of "main"`, "pass it as an argument"}},
		{"element type", func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.ConvertDType(x, dtypes.F8E4M3)
		}, []string{"F8E4M3"}},
		{"size", func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Constant([]float32{1, 2}, 3)
		}, []string{"constant", "[3]"}},
		{"the same name", func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Parameter("x", shapes.Make(dtypes.Float32), nil)
		}, []string{`"x" already`}},
		{"predicate", func(f compute.Function, x compute.Value) (compute.Value, error) {
			g := closure(f, shapes.Shape{}, 0, func(g compute.Function, _ []compute.Value) []compute.Value {
				return []compute.Value{x}
			})
			vs, err := f.If(x, g, g)
			return vs, err
		}, []string{"function_test.go", "pred[]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := b.Builder(test.name).Main()
			_, err := test.make(f, must(f.Parameter("x", shapes.Make(dtypes.Float32, 3), nil)))
			if err == nil {
				t.Fatal("there is no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
		})
	}
}

// TestCompiled holds that a computation does not change after Compile.
func TestCompiled(t *testing.T) {
	builder := open(t, "").Builder("compiled")
	f := builder.Main()
	x := must(f.Parameter("x", shapes.Make(dtypes.Float32), nil))
	testutil.Must(f.Return([]compute.Value{x}, nil))
	defer testutil.Must1(builder.Compile()).Finalize()
	_, parameter := f.Parameter("y", dynamic("n"), nil)
	_, constant := f.Constant([]float32{1}, 1)
	_, operation := f.Neg(x)
	_, call := f.Call(f, x)
	_, branch := f.If(x, f, f)
	_, shape := f.Shape(x)
	_, again := builder.Compile()
	_, closure := f.Closure()
	for name, err := range map[string]error{"parameter": parameter, "constant": constant, "operation": operation,
		"call": call, "branch": branch, "shape": shape, "compile": again, "closure": closure,
		"return": f.Return([]compute.Value{x}, nil)} {
		holds(t, name, err, "compiled already")
	}
}

// TestLine holds the line that an error names to that of the call.
func TestLine(t *testing.T) {
	f := open(t, "").Builder("line").Main()
	x := must(f.Parameter("x", shapes.Make(dtypes.Float32, 3), nil))
	_, _, line, _ := runtime.Caller(0)
	_, err := f.Reshape(x, 2, 2)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("function_test.go:%d", line+1)) {
		t.Errorf("the error is %v, and should name line %d", err, line+1)
	}
}

// TestFused holds that what is not there says so, as GoMLX expects.
func TestFused(t *testing.T) {
	f := open(t, "").Builder("fused").Main()
	x := must(f.Parameter("x", shapes.Make(dtypes.Float32, 3), nil))
	if _, err := f.FusedSoftmax(x, 0); !errors.Is(err, compute.ErrNotImplemented) {
		t.Errorf("FusedSoftmax returned %v", err)
	}
	if _, err := f.Neg(x); err != nil {
		t.Errorf("after it, Neg returned %v", err)
	}
}
