package stablehlo

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestEvaluate(t *testing.T) {
	c := mlirtest.Context(t)
	tests := []struct {
		name, module string
		in, want     []tensor.View
	}{
		{"add", `func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.add %a, %b : tensor<3xf32>
			return %0 : tensor<3xf32> }`,
			[]tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Vector[float32](10, 20, 30)},
			[]tensor.View{tensor.Vector[float32](11, 22, 33)}},
		{"compare", `func.func @main(%a: tensor<3xi32>) -> (tensor<3xi1>, tensor<i32>) {
			%z = stablehlo.constant dense<0> : tensor<3xi32>
			%s = stablehlo.constant dense<7> : tensor<i32>
			%0 = stablehlo.compare GT, %a, %z : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
			return %0, %s : tensor<3xi1>, tensor<i32> }`,
			[]tensor.View{tensor.Vector[int32](-1, 0, 5)},
			[]tensor.View{tensor.Vector(false, false, true), tensor.Scalar[int32](7)}},
		{"i4", `func.func @main(%a: tensor<3xi4>) -> tensor<3xi4> {
			%0 = stablehlo.negate %a : tensor<3xi4>
			return %0 : tensor<3xi4> }`,
			[]tensor.View{bytesOf(tensor.S4, 1, 2, 0xfd)}, []tensor.View{bytesOf(tensor.S4, 0xff, 0xfe, 3)}},
		{"while and calls", `func.func @main(%n: tensor<i64>) -> tensor<i64> {
			%one = stablehlo.constant dense<1> : tensor<i64>
			%r:2 = stablehlo.while(%i = %n, %p = %one) : tensor<i64>, tensor<i64>
			cond {
				%c = stablehlo.compare GT, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				%m = func.call @product(%i, %p) : (tensor<i64>, tensor<i64>) -> tensor<i64>
				%j = stablehlo.subtract %i, %one : tensor<i64>
				stablehlo.return %j, %m : tensor<i64>, tensor<i64>
			}
			return %r#1 : tensor<i64> }
			func.func private @product(%a: tensor<i64>, %b: tensor<i64>) -> tensor<i64> {
				%0 = stablehlo.multiply %a, %b : tensor<i64>
				return %0 : tensor<i64> }`,
			[]tensor.View{tensor.Scalar[int64](10)}, []tensor.View{tensor.Scalar[int64](3628800)}},
		{"tuples, tokens and barriers", `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
			%t = stablehlo.after_all : !stablehlo.token
			%0 = stablehlo.tuple %a, %a : tuple<tensor<2xf32>, tensor<2xf32>>
			%1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
			%2 = stablehlo.optimization_barrier %1 : tensor<2xf32>
			return %2 : tensor<2xf32> }`,
			[]tensor.View{tensor.Vector[float32](1, 2)}, []tensor.View{tensor.Vector[float32](1, 2)}},
		{"dynamic operations of static types",
			`func.func @main(%a: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x4xf32>, tensor<3xi32>, tensor<6xf32>, tensor<i32>, tensor<1xf32>) {
			%s = stablehlo.constant dense<2> : tensor<2xi32>
			%b = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
			%three = stablehlo.constant dense<3> : tensor<1xi32>
			%one = stablehlo.constant dense<1> : tensor<1xi32>
			%zero = stablehlo.constant dense<0> : tensor<1xi32>
			%f = stablehlo.constant dense<9.0> : tensor<f32>
			%i = stablehlo.constant dense<[[2]]> : tensor<1x1xi32>
			%0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>
			%1 = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
			%2 = stablehlo.dynamic_iota %three, dim = 0 : (tensor<1xi32>) -> tensor<3xi32>
			%3 = stablehlo.dynamic_pad %a, %f, %one, %one, %zero : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>
			%5 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xf32>) -> tensor<i32>
			%6 = "stablehlo.dynamic_gather"(%a, %i, %one) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1xf32>
			return %0, %1, %2, %3, %5, %6 : tensor<2x2xf32>, tensor<2x4xf32>, tensor<3xi32>, tensor<6xf32>, tensor<i32>, tensor<1xf32> }`,
			[]tensor.View{tensor.Vector[float32](1, 2, 3, 4)},
			[]tensor.View{
				check.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)),
				check.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 1, 2, 3, 4}, 2, 4)),
				tensor.Vector[int32](0, 1, 2), tensor.Vector[float32](9, 1, 2, 3, 4, 9), tensor.Scalar[int32](4),
				tensor.Vector[float32](3),
			}},
		{"dynamic convolution of a static type",
			`func.func @main(%a: tensor<1x3x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
			%p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
			%0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64,
				dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}
				: (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>
			return %0 : tensor<1x3x1xf32> }`,
			[]tensor.View{check.Must(tensor.FromSlice([]float32{1, 2, 3}, 1, 3, 1)),
				check.Must(tensor.FromSlice([]float32{10, 1}, 2, 1, 1))},
			[]tensor.View{check.Must(tensor.FromSlice([]float32{1, 12, 23}, 1, 3, 1))}},
		{"no results", `func.func @main() { return }`, nil, []tensor.View{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, c, test.module)
			defer m.Close()
			before := m.String()
			got, err := Evaluate(m, test.in...)
			check.NoError(t, err)
			check.Diff(t, "results", test.want, got)
			check.Diff(t, "the module afterwards", before, m.String())
		})
	}
}

// TestEvaluateTypes runs an addition of every element type.
func TestEvaluateTypes(t *testing.T) {
	c := mlirtest.Context(t)
	for _, d := range tensor.DTypes() {
		typ := "tensor<2x" + d.MLIR() + ">"
		m := mlirtest.Parse(t, c,
			"func.func @main(%a: "+typ+") -> "+typ+" { %0 = stablehlo.add %a, %a : "+typ+"\n return %0 : "+typ+" }")
		zero := tensor.View{Shape: tensor.ShapeOf(d, 2), Data: make([]byte, 2*d.Size())}
		got, err := Evaluate(m, zero)
		want := zero
		if d == tensor.F8E8M0FNU { // has no zero: this is twice its smallest number
			want = tensor.View{Shape: zero.Shape, Data: []byte{1, 1}}
		}
		if err != nil || !cmp.Equal(got, []tensor.View{want}) {
			t.Errorf("%s: %v, %v", typ, got, err)
		}
		m.Close()
	}
}

// TestEvaluateSamples runs every operation that Evaluates reports as supported.
func TestEvaluateSamples(t *testing.T) {
	c := mlirtest.Context(t)
	done := map[string]bool{}
	for _, s := range samples {
		if !Evaluates(s.Name) || s.Needs != "" {
			continue
		}
		m, _, _, err := s.Module(c)
		check.NoError(t, err)
		in, err := evaluable(m)
		if err != nil {
			m.Close()
			continue // its sample has dynamic types
		}
		var arguments []tensor.View
		for i, typ := range in {
			shape, err := ShapeOf(typ)
			check.NoError(t, err)
			v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
			if i > 0 && shape.DType == tensor.F32 { // lets loops on a comparison terminate
				ones, _ := tensor.Slice[float32](v)
				for i := range ones {
					ones[i] = 1
				}
			}
			arguments = append(arguments, v)
		}
		if _, err := Evaluate(m, arguments...); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		done[s.Name] = true
		m.Close()
	}
	if len(done) < 35 {
		t.Errorf("only %d operations were run: %v", len(done), done)
	}
	for _, test := range unaryOps {
		evaluateOne(t, c, test.element, test.create)
	}
	for _, test := range binaryOps {
		evaluateOne(t, c, test.element, func(b *mlir.Builder, x mlir.Value) mlir.Value { return test.create(b, x, x) })
	}
}

func evaluateOne(t *testing.T, c *mlir.Context, element string, create func(b *mlir.Builder, x mlir.Value) mlir.Value) {
	t.Helper()
	s := mlirtest.Sample{Operand: types{"tensor<2x" + element + ">"}, Make: func(b *body) mlirtest.Made {
		return mlirtest.Made{Operation: creator(func(m *mlir.Builder) mlir.Value { return create(m, b.In[0]) })}
	}}
	m, _, _, err := s.Module(c)
	check.NoError(t, err)
	defer m.Close()
	in, err := evaluable(m)
	check.NoError(t, err)
	shape, err := ShapeOf(in[0])
	check.NoError(t, err)
	v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
	for i := range v.Data {
		v.Data[i] = 1
	}
	if _, err := Evaluate(m, v); err != nil {
		t.Errorf("%s: %v", m, err)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	c := mlirtest.Context(t)
	one := []tensor.View{tensor.Vector[float32](1, 2)}
	tests := []struct {
		module string
		in     []tensor.View
		want   string
	}{
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
			%0 = stablehlo.custom_call @x(%a) : (tensor<2xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32> }`, one, "stablehlo: evaluating stablehlo.custom_call at test.mlir:2:9: the interpreter does not support this operation"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
			%0 = chlo.acos %a : tensor<2xf32> -> tensor<2xf32>
			return %0 : tensor<2xf32> }`, one, "evaluating chlo.acos at test.mlir:2:9"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
			%0 = func.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32> }
			func.func private @f(tensor<2xf32>) -> tensor<2xf32>`, one, "evaluating func.func at test.mlir:4:4: the interpreter supports only functions with one block"},
		{`func.func @main(%a: tensor<2x0xf32>) -> tensor<2x2xf32> {
			%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x2xf32>
			return %0 : tensor<2x2xf32> }`, nil, "evaluating stablehlo.dot_general at test.mlir:2:9: the interpreter does not support a contracting dimension of size 0"},
		{`func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }`, one,
			"the interpreter does not support its argument type tensor<?xf32>"},
		{`func.func @main() -> !stablehlo.token {
			%0 = stablehlo.after_all : !stablehlo.token
			return %0 : !stablehlo.token }`, nil, "main must take and return tensors of numbers, not !stablehlo.token"},
		{`func.func @main(%a: tensor<2xindex>) -> tensor<2xindex> { return %a : tensor<2xindex> }`, nil,
			"not tensor<2xindex>"},
		{`func.func @other() { return }`, nil,
			"evaluating builtin.module at test.mlir: the module has no function main"},
		{`func.func @main() { return } 
			module @inside { }`, nil, "the interpreter supports only functions in a module"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }`, nil,
			"main takes 1 arguments, but 0 are given"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }`,
			[]tensor.View{tensor.Vector[int32](1, 2)}, "argument 0 of main is tensor<2xf32>, but s32[2] is given"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }`,
			[]tensor.View{{Shape: tensor.ShapeOf(tensor.F32, 2)}}, "argument 0"},
	}
	for _, test := range tests {
		m := mlirtest.Parse(t, c, test.module)
		_, err := Evaluate(m, test.in...)
		check.Error(t, err, test.want)
		if strings.Contains(test.want, "evaluating") && !errors.As(err, new(*EvaluateError)) {
			t.Errorf("%v is not an EvaluateError", err)
		}
		m.Close()
	}
}

// TestEvaluateErrorOutlives reads an error after its context is closed.
func TestEvaluateErrorOutlives(t *testing.T) {
	err := func() error {
		c := mlirtest.Library(t).NewContext(mlir.ContextOptions{})
		defer c.Close()
		_, err := Evaluate(mlirtest.Parse(t, c, "func.func @other() { return }"))
		return err
	}()
	check.Error(t, err, "the module has no function main")
}

// TestEvaluateElsewhere checks the error of a library without the interpreter.
func TestEvaluateElsewhere(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("func") != nil {
			t.Fatal("there is no func dialect")
		}
		m := mlirtest.Parse(t, c, "func.func @main() { return }")
		defer m.Close()
		_, err := Evaluate(m)
		mlirtest.Supported(t, c.Library(), err, "stablehloEvalModule")
	})
}
