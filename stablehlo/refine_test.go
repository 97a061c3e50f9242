package stablehlo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/tensor"
)

// refines reports whether the library has the passes that Refine runs and StableHLO.
func refines(c *mlir.Context) bool {
	p, err := c.NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(stablehlo-refine-arguments,stablehlo-refine-shapes)"})
	if err != nil {
		return false
	}
	p.Close()
	return true
}

func eachRefining(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if refines(c) {
			test(t, c)
		}
	})
}

func f32(dims ...int) tensor.Shape { return tensor.ShapeOf(tensor.F32, dims...) }

// exported opens a module of jax.export.
func exported(t testing.TB, c *mlir.Context, name string) (*jaxexport.Exported, *mlir.Module) {
	t.Helper()
	e := check.Must(jaxexport.Read(check.Must(os.ReadFile(filepath.Join("jaxexport", "testdata", name+".jaxexport")))))
	return e, check.Must(c.Parse(name, e.Module))
}

// mainType returns the type of main.
func mainType(m *mlir.Module) string {
	main, _ := m.SymbolTable().Lookup("main")
	a, _ := main.Attribute("function_type")
	return a.String()
}

// TestRefineExports refines modules of jax.export and computes them.
func TestRefineExports(t *testing.T) {
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		for _, test := range []struct {
			name, want string
			shapes     []tensor.Shape
			in, out    []tensor.View
		}{
			{"polymorphic", "(tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>",
				[]tensor.Shape{f32(1, 3), f32(1, 2)},
				[]tensor.View{rows(1, 3, 1, 2, 3), rows(1, 2, 10, 20)}, []tensor.View{rows(1, 2, 16, 26)}},
			{"asserted", "(tensor<4x3xf32>, tensor<2xf32>) -> tensor<2xf32>", []tensor.Shape{f32(4, 3), f32(2)},
				[]tensor.View{rows(4, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), tensor.Vector[float32](100, 200)},
				[]tensor.View{tensor.Vector[float32](336, 342)}},
			{"both", "(tensor<2x3xf32>) -> tensor<3xf32>", []tensor.Shape{f32(2, 3)},
				[]tensor.View{rows(2, 3, 1, 2, 3, 4, 5, 6)}, []tensor.View{tensor.Vector[float32](14, 18, 22)}},
			{"loop", "(tensor<3xf32>) -> tensor<f32>", []tensor.Shape{f32(3)},
				[]tensor.View{tensor.Vector[float32](1, 2, 4)}, []tensor.View{tensor.Scalar[float32](7)}},
			{"window", "(tensor<3xf32>) -> tensor<3xf32>", []tensor.Shape{f32(3)},
				[]tensor.View{tensor.Vector[float32](1, 2, 4)}, []tensor.View{tensor.Vector[float32](1, 3, 7)}},
			{"static", "(tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)", []tensor.Shape{f32(4), f32()},
				nil, nil},
			{"effects", "(!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)",
				[]tensor.Shape{{DType: tensor.Token}, f32(2)}, nil, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				e, m := exported(t, c, test.name)
				if _, ok := stablehlo.PlatformArgument(m); ok {
					i, _ := e.PlatformIndex("cpu")
					check.NoError(t, stablehlo.SelectPlatform(m, i))
				}
				before := m.String()
				refined, err := stablehlo.Refine(m, test.shapes...)
				check.NoError(t, err)
				check.Diff(t, "the original", before, m.String())
				check.Diff(t, "main", test.want, mainType(refined))
				check.NoError(t, refined.Verify())
				for _, left := range []string{"?", "shape_assertion", "uses_shape_polymorphism"} {
					if strings.Contains(refined.String(), left) {
						t.Errorf("it still has %q:\n%s", left, refined)
					}
				}
				if test.in != nil && c.Library().Has("stablehloEvalModule") {
					got, err := stablehlo.Evaluate(refined, test.in...)
					check.NoError(t, err)
					check.Diff(t, "results", test.out, got)
				}
			})
		}
	})
}

// TestRefineBounds refines dimensions with bounds as open ones, through calls, loops and branches.
func TestRefineBounds(t *testing.T) {
	const bounded = "tensor<?x2xf32, #stablehlo.bounds<4, ?>>"
	module := strings.ReplaceAll(`func.func private @twice(%a: T) -> T {
		%0 = stablehlo.add %a, %a : T
		return %0 : T
	}
	func.func @main(%a: T, %n: tensor<i32>) -> (T, tensor<i32>) {
		%0:2 = stablehlo.while(%i = %n, %s = %a) : tensor<i32>, T
		cond {
			%zero = stablehlo.constant dense<0> : tensor<i32>
			%1 = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %1 : tensor<i1>
		} do {
			%one = stablehlo.constant dense<1> : tensor<i32>
			%1 = stablehlo.subtract %i, %one : tensor<i32>
			%2 = func.call @twice(%s) : (T) -> T
			stablehlo.return %1, %2 : tensor<i32>, T
		}
		%size = stablehlo.get_dimension_size %0#1, dim = 0 : (T) -> tensor<i32>
		return %0#1, %size : T, tensor<i32>
	}`, "T", bounded)
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, module)
		refined, err := stablehlo.Refine(m, f32(3, 2), tensor.ShapeOf(tensor.S32))
		check.NoError(t, err)
		text := refined.String()
		if strings.Contains(text, "?") || !strings.Contains(text, "tensor<3x2xf32>, tensor<i32>)") {
			t.Errorf("the shapes are not those of the arguments:\n%s", text)
		}
		if text := m.String(); !strings.Contains(text, "bounds<4, ?>") {
			t.Errorf("the module has changed:\n%s", text)
		}
	})
}

func rows(n, m int, elements ...float32) tensor.View {
	return check.Must(tensor.FromSlice(elements, n, m))
}

func TestRefineAssertions(t *testing.T) {
	const start = "stablehlo: the shapes violate an assertion of the module: Input shapes do not match the "
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		for _, test := range []struct {
			name   string
			shapes []tensor.Shape
			want   string
		}{
			{"polymorphic", []tensor.Shape{f32(4, 3), f32(5, 2)}, "polymorphic shapes specification. Found inconsistency between dimension size args[1].shape[0] (= 5) and the specification 'b' (= 4)."},
			{"polymorphic", []tensor.Shape{f32(0, 3), f32(0, 2)},
				"polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'."},
			{"asserted", []tensor.Shape{f32(7, 3), f32(3)}, "polymorphic shapes specification. Division had remainder 1 when computing the value of 'b'."},
			{"asserted", []tensor.Shape{f32(8, 3), f32(3)}, "polymorphic shapes specification. Found inconsistency between dimension size args[1].shape[0] (= 3) and the specification 'b' (= 4)."},
			{"asserted", []tensor.Shape{f32(2, 3), f32(1)}, "symbolic shape constraint b >= 2. Expected 'b - 2' to be greater or equal to 0, but found -1."},
			{"asserted", []tensor.Shape{f32(208, 3), f32(104)}, "symbolic shape constraint b <= 100. Expected '- b + 100' to be greater or equal to 0, but found -4."},
		} {
			_, m := exported(t, c, test.name)
			_, err := stablehlo.Refine(m, test.shapes...)
			e := check.As[*stablehlo.ShapeAssertionError](t, err)
			if !strings.HasPrefix(e.Error(), start+test.want) {
				t.Errorf("%s %v: %v", test.name, test.shapes, err)
			}
		}
	})
}

func TestRefineErrors(t *testing.T) {
	const double = `func.func @main(%a: tensor<?x3xf32>) -> tensor<?x3xf32> { %0 = stablehlo.add %a, %a : tensor<?x3xf32>
		return %0 : tensor<?x3xf32> }`
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		for _, test := range []struct {
			module string
			shapes []tensor.Shape
			want   string
		}{
			{double, nil, "stablehlo: refining: main takes 1 arguments, but 0 shapes are given"},
			{double, []tensor.Shape{f32(2)}, "refining argument 0 of main: it is tensor<?x3xf32>, which has 2 dimensions, but f32[2] is given"},
			{double, []tensor.Shape{f32(2, 4)}, "dimension 1 of tensor<?x3xf32> is 3, but f32[2,4] is given"},
			{double, []tensor.Shape{f32(-1, 3)}, "refining argument 0 of main: "},
			{double, []tensor.Shape{tensor.ShapeOf(tensor.F64, 2, 3)}, "it is tensor<?x3xf32>, but f64[2,3] is given"},
			{`func.func @main(%a: !stablehlo.token) { return }`, []tensor.Shape{f32()},
				"it is a token, but f32[] is given"},
			{`func.func @main(%a: tuple<tensor<f32>>) { return }`, []tensor.Shape{f32()},
				"only tensors of numbers and tokens can be refined"},
			{`func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>) { return }`, []tensor.Shape{f32(5)},
				"is at most 4, but f32[5] is given"},
			{`func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) {
				%0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
				return }`, []tensor.Shape{f32(4), tensor.ShapeOf(tensor.S32)},
				"refining stablehlo.set_dimension_size at test.mlir:2:10: dimension 0 gets a size that is a value of the run"},
			{`func.func @f() { return }`, nil, "the module has no function main"},
			{`func.func private @main()`, nil, "refining func.func at test.mlir:1:1: main has 0 blocks"},
			{`func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
				%0 = stablehlo.add %a, %b : tensor<?xf32>
				return %0 : tensor<?xf32> }`, []tensor.Shape{f32(2), f32(3)}, "stablehlo.add"},
			{`func.func @main(%a: tensor<?xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
				%0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
				return %0 : tensor<?xf32> }`, []tensor.Shape{f32(2), tensor.ShapeOf(tensor.S32, 1)},
				"refining stablehlo.dynamic_reshape at test.mlir:2:10: the shape of its result stays dynamic: tensor<?xf32>"},
			{`func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
				%0 = stablehlo.custom_call @mine(%a) : (tensor<?xf32>) -> tensor<?xf32>
				return %0 : tensor<?xf32> }`, []tensor.Shape{f32(2)},
				"refining stablehlo.custom_call at test.mlir:2:10: the shape of the result of @mine stays dynamic: tensor<?xf32>"},
			{`func.func @main(%a: tensor<?xf32>, %ok: tensor<i1>) {
				stablehlo.custom_call @shape_assertion(%ok) {has_side_effect = true} : (tensor<i1>) -> ()
				return }`, []tensor.Shape{f32(2), tensor.ShapeOf(tensor.Pred)}, "@shape_assertion depends on more than the shapes"},
			{`func.func @main(%a: tensor<?xf32>) {
				stablehlo.custom_call @shape_assertion() {has_side_effect = true} : () -> ()
				return }`, []tensor.Shape{f32(2)}, "@shape_assertion must have an operand and no results"},
			{`func.func @main(%a: tensor<?xf32>) { call @main(%a) : (tensor<?xf32>) -> ()
				return }`, []tensor.Shape{f32(2)}, "refining func.func at test.mlir:1:1: the function calls itself"},
		} {
			m := mlirtest.Parse(t, c, test.module)
			before := m.String()
			refined, err := stablehlo.Refine(m, test.shapes...)
			if refined != nil {
				t.Error("there is a module")
			}
			want := test.want
			if !c.Library().Has("mlirOperationSetLocation") { // a text without a module has no name there
				want = strings.ReplaceAll(want, " at test.mlir:", " at -:")
			}
			check.Error(t, err, want)
			check.Diff(t, "the original", before, m.String())
		}
	})
}

// TestRefineCalls refines functions that are called with several shapes, and composites.
func TestRefineCalls(t *testing.T) {
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, `
			func.func @main(%a: tensor<?xf32>, %flat: tensor<?xf32>, %b: tensor<?x2xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<2xf32>) {
				%0 = call @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>
				%1 = call @twice(%flat) : (tensor<?xf32>) -> tensor<?xf32>
				%2 = stablehlo.composite "my.op" %b {decomposition = @same} : (tensor<?x2xf32>) -> tensor<?x2xf32>
				%s = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
				%3 = stablehlo.composite "my.static" %s {decomposition = @static} : (tensor<2xf32>) -> tensor<2xf32>
				return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<2xf32> }
			func.func @other(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }
			func.func private @twice(%a: tensor<?xf32>) -> tensor<?xf32> { %0 = call @add(%a, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
				return %0 : tensor<?xf32> }
			func.func private @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> { %0 = stablehlo.add %a, %b : tensor<?xf32>
				return %0 : tensor<?xf32> }
			func.func private @same(%a: tensor<?x2xf32>) -> tensor<?x2xf32> { return %a : tensor<?x2xf32> }
			func.func private @static(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }`)
		refined, err := stablehlo.Refine(m, f32(3), f32(8), f32(4, 2))
		check.NoError(t, err)
		check.Diff(t, "main", "(tensor<3xf32>, tensor<8xf32>, tensor<4x2xf32>) -> (tensor<3xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<2xf32>)", mainType(refined))
		var names []string
		for name := range refined.SymbolTable().All() {
			names = append(names, name)
		}
		check.Diff(t, "functions", []string{"main", "static"}, names)
	})
}

// TestRefineManyCalls refines functions that call one another twice, forty deep.
func TestRefineManyCalls(t *testing.T) {
	var b strings.Builder
	b.WriteString("func.func @main(%a: tensor<?xf32>) { call @f0(%a) : (tensor<?xf32>) -> ()\nreturn }\n")
	for i := range 40 {
		call := fmt.Sprintf("call @f%d(%%a) : (tensor<?xf32>) -> ()\n", i+1)
		fmt.Fprintf(&b, "func.func private @f%d(%%a: tensor<?xf32>) {\n%s%sreturn }\n", i, call, call)
	}
	b.WriteString("func.func private @f40(%a: tensor<?xf32>) { return }\n")
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		_, err := stablehlo.Refine(mlirtest.Parse(t, c, b.String()), f32(2))
		check.Error(t, err, "operations after its calls are inlined")
	})
}

func TestSelectPlatform(t *testing.T) {
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		e, m := exported(t, c, "platforms")
		_, err := stablehlo.Refine(m, f32(3))
		check.Error(t, err, "main takes 2 arguments, but 1 shapes are given (one argument is the index of the platform: call SelectPlatform first)")
		for platform, want := range map[string]tensor.View{
			"cpu": tensor.Vector[float32](2, 3, 4), "cuda": tensor.Vector[float32](3, 4, 5),
			"tpu": tensor.Vector[float32](4, 5, 6),
		} {
			i, _ := e.PlatformIndex(platform)
			selected := m.Clone()
			check.NoError(t, stablehlo.SelectPlatform(selected, i))
			check.NoError(t, selected.Verify())
			check.Diff(t, "main", "(tensor<3xf32>) -> tensor<3xf32>", mainType(selected))
			if c.Library().Has("stablehloEvalModule") {
				got, err := stablehlo.Evaluate(selected, tensor.Vector[float32](1, 2, 3))
				check.NoError(t, err)
				check.Diff(t, platform, []tensor.View{want}, got)
			}
			check.Error(t, stablehlo.SelectPlatform(selected, i),
				"main has no argument that is the index of the platform")
		}
		check.Error(t, stablehlo.SelectPlatform(m, -1), "there is no platform -1")
		check.Error(t, stablehlo.SelectPlatform(mlirtest.Parse(t, c, "func.func @f() { return }"), 0),
			"the module has no function main")
		check.Error(t, stablehlo.SelectPlatform(mlirtest.Parse(t, c,
			`func.func @main(%a: tensor<f32> {jax.global_constant = "_platform_index"}) { return }`), 0),
			"must be a scalar integer, not tensor<f32>")
	})
}
