package gomlx

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// dynamic returns a shape of float32 with dynamic axes: a name is one, and a number a static one.
func dynamic(axes ...any) shapes.Shape {
	dims, names := make([]int, len(axes)), make([]string, len(axes))
	for i, a := range axes {
		switch a := a.(type) {
		case int:
			dims[i] = a
		case string:
			dims[i], names[i] = shapes.DynamicDim, a
		}
	}
	return shapes.MakeDynamic(dtypes.Float32, dims, names)
}

// compiled compiles a computation with parameters of some shapes.
func compiled(
	t *testing.T, b *Backend, params []shapes.Shape, build func(f compute.Function, p []compute.Value) []compute.Value,
) compute.Executable {
	t.Helper()
	builder := b.Builder(t.Name())
	f := builder.Main()
	var p []compute.Value
	for i, s := range params {
		p = append(p, must(f.Parameter(fmt.Sprint("x", i), s, nil)))
	}
	testutil.Must(f.Return(build(f, p), nil))
	e, err := builder.Compile()
	check.NoError(t, err)
	t.Cleanup(e.Finalize)
	return e
}

// execute executes a computation with Go arrays.
func execute(b *Backend, e compute.Executable, inputs ...any) (results []any, err error) {
	var in []compute.Buffer
	for _, x := range inputs {
		in = append(in, testutil.Must1(testutil.ToBuffer(b, x)))
	}
	out, err := e.Execute(in, nil, 0)
	for _, o := range out {
		results = append(results, testutil.Must1(testutil.FromBuffer(b, o)))
	}
	return results, err
}

// TestDynamic runs computations with dynamic axes at several sizes.
func TestDynamic(t *testing.T) {
	b := open(t, "dynamic")
	type values = []compute.Value
	type run struct{ inputs, want []any }
	tests := []struct {
		name   string
		params []shapes.Shape
		build  func(f compute.Function, p values) values
		shapes []string // of the results
		runs   []run
	}{
		{"broadcast of a sum", []shapes.Shape{dynamic("batch", 2)}, func(f compute.Function, p values) values {
			sum := must(f.ReduceSum(p[0], 1))
			return values{must(f.Div(p[0], must(f.BroadcastInDim(sum, dynamic("batch", 2), []int{0}))))}
		}, []string{"(Float32)[batch=?, 2]"}, []run{
			{[]any{[][]float32{{1, 3}}}, []any{[][]float32{{.25, .75}}}},
			{[]any{[][]float32{{1, 1}, {3, 1}}}, []any{[][]float32{{.5, .5}, {.75, .25}}}},
			{[]any{[][]float32{{1, 3}}}, []any{[][]float32{{.25, .75}}}},
		}},
		{"a dynamic axis twice as long", []shapes.Shape{dynamic("n")}, func(f compute.Function, p values) values {
			twice := must(f.Concatenate(0, p[0], p[0]))
			length := testutil.Must1(f.Shape(twice))
			return values{must(f.Add(twice, must(f.BroadcastInDim(must(f.Constant([]float32{1})), length, nil)))),
				must(f.Iota(length, 0)), must(f.DynamicShape(twice))}
		}, []string{"(Float32)[#2=?]", "(Float32)[#2=?]", "(Int32)[1]"}, []run{
			{[]any{[]float32{5}}, []any{[]float32{6, 6}, []float32{0, 1}, []int32{2}}},
			{[]any{[]float32{5, 7}}, []any{[]float32{6, 8, 6, 8}, []float32{0, 1, 2, 3}, []int32{4}}},
		}},
		{"reshapes", []shapes.Shape{dynamic("a", "b", 2)}, func(f compute.Function, p values) values {
			a, b := must(f.DynamicDimensionSize(p[0], 0)), must(f.DynamicDimensionSize(p[0], 1))
			flat := must(f.DynamicReshape(p[0], compute.DynamicDimensionSpec{Name: "all",
				Value: must(f.Mul(must(f.Mul(a, b)), must(f.Constant([]int32{2}))))}))
			return values{must(f.Reshape(p[0], -1, 2, -1)), must(f.Reshape(p[0], -1, 2)), flat,
				must(f.Slice(p[0], []int{0, 0, 1}, []int{-1, -1, 2}, nil))}
		}, []string{"(Float32)[a=?, 2, b=?]", "(Float32)[#4=?, 2]", "(Float32)[all=?]", "(Float32)[a=?, b=?, 1]"},
			[]run{
				{[]any{[][][]float32{{{1, 2}}}}, []any{[][][]float32{{{1}, {2}}}, [][]float32{{1, 2}}, []float32{1, 2},
					[][][]float32{{{2}}}}},
				{[]any{[][][]float32{{{1, 2}}, {{3, 4}}}}, []any{[][][]float32{{{1}, {2}}, {{3}, {4}}},
					[][]float32{{1, 2}, {3, 4}}, []float32{1, 2, 3, 4}, [][][]float32{{{2}}, {{4}}}}},
			}},
		{"a loop", []shapes.Shape{dynamic("n"), dynamic()}, func(f compute.Function, p values) values {
			one := must(f.Constant([]float32{1}))
			cond := closure(f, dynamic("n"), 1, func(g compute.Function, s values) values {
				return values{must(g.LessThan(must(g.ReduceMax(s[0])), p[1]))}
			})
			body := closure(f, dynamic("n"), 1, func(g compute.Function, s values) values {
				return values{must(g.Add(s[0], must(g.Add(p[0], one))))}
			})
			return testutil.Must1(f.While(cond, body, p[0]))
		}, []string{"(Float32)[n=?]"}, []run{
			{[]any{[]float32{1}, float32(4)}, []any{[]float32{5}}},
			{[]any{[]float32{1, 0}, float32(4)}, []any{[]float32{5, 2}}},
		}},
		{"axes that may differ", []shapes.Shape{dynamic("?"), dynamic("?")}, func(f compute.Function, p values) values {
			dot := must(f.DotGeneral(p[0], nil, nil, p[1], nil, nil, compute.DotGeneralConfig{}))
			less := closure(f, dynamic(), 2, func(g compute.Function, s values) values {
				return values{must(g.LessThan(s[0], s[1]))}
			})
			return values{dot, testutil.Must1(f.Sort(less, 0, true, p[0]))[0]}
		}, []string{"(Float32)[#1=?, #2=?]", "(Float32)[#1=?]"}, []run{
			{[]any{[]float32{2, 1}, []float32{3, 4, 5}}, []any{[][]float32{{6, 8, 10}, {3, 4, 5}}, []float32{1, 2}}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := compiled(t, b, test.params, test.build)
			var got []string
			for _, s := range e.Outputs() {
				got = append(got, s.String())
			}
			if d := cmp.Diff(test.shapes, got); d != "" {
				t.Errorf("shapes (-want +got):\n%s", d)
			}
			for _, run := range test.runs {
				got, err := execute(b, e, run.inputs...)
				check.NoError(t, err)
				if d := cmp.Diff(run.want, got); d != "" {
					t.Errorf("of %v (-want +got):\n%s", run.inputs, d)
				}
			}
		})
	}
}

// TestDynamicMistakes holds that errors say what is wrong, and those of an operation its line, also at other sizes.
func TestDynamicMistakes(t *testing.T) {
	b := open(t, "dynamic")
	_, _, at, _ := runtime.Caller(0)
	line := fmt.Sprint("dynamic_test.go:", at+7)
	split := func(f compute.Function, p []compute.Value) []compute.Value {
		constant := []float32{1}
		one := must(f.Constant(constant))
		constant[0] = 2 // GoMLX may reuse the slice
		p[0] = must(f.Add(p[0], one))
		return []compute.Value{must(f.Reshape(p[0], -1, 8))}
	}
	e := compiled(t, b, []shapes.Shape{dynamic("n")}, split)
	if got, err := execute(b, e, []float32{0, 1, 2, 3, 4, 5, 6, 7}); err != nil {
		t.Error(err)
	} else if d := cmp.Diff([]any{[][]float32{{1, 2, 3, 4, 5, 6, 7, 8}}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	runs := map[string]struct {
		inputs []any
		want   []string
	}{
		"size":          {[]any{make([]float32, 12)}, []string{line, "reshape(f32[12])", "n=12"}},
		"rank":          {[]any{[][]float32{{1}}}, []string{"input 0", "rank"}},
		"another count": {[]any{[]float32{1}, []float32{1}}, []string{"2"}},
	}
	for name, test := range runs {
		_, err := execute(b, e, test.inputs...)
		holds(t, name, err, test.want...)
	}
	builds := map[string]struct {
		make func(f compute.Function, x compute.Value) (compute.Value, error)
		want []string
	}{
		"no name": {func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Parameter("y", shapes.Shape{DType: dtypes.Float32, Dimensions: []int{-1}}, nil)
		}, []string{"no name", "shapes.MakeDynamic"}},
		"axis": {func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.BroadcastInDim(x, dynamic("n", "m"), []int{0})
		}, []string{"dynamic_test.go", `no parameter has the dynamic axis "m"`}},
		"data": {func(f compute.Function, x compute.Value) (compute.Value, error) {
			n := must(f.ConvertDType(must(f.ReduceSum(x)), dtypes.Int32))
			return f.DynamicReshape(x, compute.DynamicDimensionSpec{Name: "m", Value: n})
		}, []string{"dynamic_test.go", "unknown before the execution", "a parameter"}},
		"sizes": {func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.Add(x, must(f.Parameter("y", dynamic("m"), nil)))
		}, []string{"dynamic_test.go", "the dynamic axes are m="}},
		"no axis": {func(f compute.Function, x compute.Value) (compute.Value, error) {
			return f.DynamicDimensionSize(x, 1)
		}, []string{"there is no axis 1"}},
	}
	for name, test := range builds {
		f := b.Builder(name).Main()
		_, err := test.make(f, must(f.Parameter("x", dynamic("n"), nil)))
		holds(t, name, err, test.want...)
	}
	two := compiled(t, b, []shapes.Shape{dynamic("n"), dynamic("n")},
		func(f compute.Function, p []compute.Value) []compute.Value { return p[:1] })
	_, err := execute(b, two, []float32{1}, []float32{1, 2})
	holds(t, "different sizes", err, "input 1", `axis "n" has conflicting values: 1 vs 2`)
	without := open(t, "")
	if without.Capabilities().DynamicAxes {
		t.Error("without the option the backend has dynamic axes")
	}
	_, err = without.Builder("without").Main().Parameter("x", dynamic("n"), nil)
	holds(t, "without the option", err, "[n=?]", "GOMLX_BACKEND=calliope:dynamic")
}

// holds reports an error that lacks a text.
func holds(t *testing.T, name string, err error, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, and should contain %q", name, err, want)
		}
	}
}

// TestPrograms holds how many programs stay compiled, while several goroutines use them.
func TestPrograms(t *testing.T) {
	b := open(t, "dynamic,sizes=2")
	e := compiled(t, b, []shapes.Shape{dynamic("n")}, func(f compute.Function, p []compute.Value) []compute.Value {
		return []compute.Value{must(f.ReduceSum(p[0]))}
	})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			x := make([]float32, i%4+1)
			for k := range x {
				x[k] = 1
			}
			got, err := execute(b, e, x)
			if d := cmp.Diff([]any{float32(len(x))}, got); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
	wg.Wait()
	for n := range 3 {
		if _, err := execute(b, e, make([]float32, n+1)); err != nil {
			t.Error(err)
		}
	}
	p := e.(*executable).programs
	if n := len(p.by); n != 2 || p.by["n=2"] == nil || p.by["n=3"] == nil {
		t.Errorf("the programs are %v", p.by)
	}
	last := p.by["n=3"].made
	e.Finalize()
	if _, err := execute(b, e, []float32{1}); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("Execute of a finalized executable returned %v", err)
	}
	if _, err := last.Call(t.Context()); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("a program of a finalized executable returned %v", err)
	}
}
