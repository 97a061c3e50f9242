package stablehlo

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

var unaryOps = []struct {
	name    string
	element string // a supported element type
	create  func(b *mlir.Builder, x mlir.Value) mlir.Value
	read    mlirtest.Reader
}{
	{"abs", "f32", Abs, reader(AsAbs)},
	{"cbrt", "f32", Cbrt, reader(AsCbrt)},
	{"ceil", "f32", Ceil, reader(AsCeil)},
	{"cosine", "f32", Cosine, reader(AsCosine)},
	{"exponential", "f32", Exponential, reader(AsExponential)},
	{"exponential_minus_one", "f32", ExponentialMinusOne, reader(AsExponentialMinusOne)},
	{"floor", "f32", Floor, reader(AsFloor)},
	{"log", "f32", Log, reader(AsLog)},
	{"log_plus_one", "f32", LogPlusOne, reader(AsLogPlusOne)},
	{"logistic", "f32", Logistic, reader(AsLogistic)},
	{"negate", "i32", Negate, reader(AsNegate)},
	{"not", "i1", Not, reader(AsNot)},
	{"round_nearest_afz", "bf16", RoundNearestAfz, reader(AsRoundNearestAfz)},
	{"round_nearest_even", "f64", RoundNearestEven, reader(AsRoundNearestEven)},
	{"rsqrt", "f32", Rsqrt, reader(AsRsqrt)},
	{"sign", "i64", Sign, reader(AsSign)},
	{"sine", "f32", Sine, reader(AsSine)},
	{"sqrt", "complex<f32>", Sqrt, reader(AsSqrt)},
	{"tan", "f32", Tan, reader(AsTan)},
	{"tanh", "f8E4M3FN", Tanh, reader(AsTanh)},
}

var binaryOps = []struct {
	name    string
	element string
	create  func(b *mlir.Builder, x, y mlir.Value) mlir.Value
	read    mlirtest.Reader
}{
	{"add", "f32", Add, reader(AsAdd)},
	{"and", "i1", And, reader(AsAnd)},
	{"atan2", "f32", Atan2, reader(AsAtan2)},
	{"divide", "ui8", Divide, reader(AsDivide)},
	{"maximum", "bf16", Maximum, reader(AsMaximum)},
	{"minimum", "i4", Minimum, reader(AsMinimum)},
	{"multiply", "complex<f64>", Multiply, reader(AsMultiply)},
	{"or", "ui64", Or, reader(AsOr)},
	{"power", "f32", Power, reader(AsPower)},
	{"remainder", "i16", Remainder, reader(AsRemainder)},
	{"shift_left", "i32", ShiftLeft, reader(AsShiftLeft)},
	{"shift_right_arithmetic", "i32", ShiftRightArithmetic, reader(AsShiftRightArithmetic)},
	{"shift_right_logical", "ui32", ShiftRightLogical, reader(AsShiftRightLogical)},
	{"subtract", "f64", Subtract, reader(AsSubtract)},
	{"xor", "i1", Xor, reader(AsXor)},
}

func reader[T any](read func(mlir.Operation) (T, bool)) mlirtest.Reader {
	return func(op mlir.Operation) (any, bool) { return read(op) }
}

// creator is an operation that a function creates.
type creator func(b *mlir.Builder) mlir.Value

func (f creator) Create(b *mlir.Builder) mlir.Operation { return f(b).Owner() }

// inFunction makes operations on arguments of the given types in a function of a module, and
// verifies it. It returns the types of the operations' results.
func inFunction(
	t *testing.T, c *mlir.Context, types []string, create func([]mlir.Value) (mlir.Operation, error),
) (result string, err error) {
	t.Helper()
	arguments := mlirtest.Types(c, types...)
	block := c.NewBlock(mlir.Location{}, arguments...)
	in := block.ArgumentValues()
	op, err := create(in)
	if err != nil {
		return "", err
	}
	block.Append(op)
	ret, err := mlir.Create(c, mlir.OperationState{Name: "func.return"})
	check.NoError(t, err)
	block.Append(ret)
	region := c.NewRegion()
	region.Append(block)
	fn, err := mlir.Create(c, mlir.OperationState{
		Name: "func.func",
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute("f")},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(arguments, nil))},
		},
		Regions: []mlir.Region{region},
	})
	check.NoError(t, err)
	m := c.NewModule(mlir.Location{})
	m.Body().Append(fn)
	return op.Result(0).Type().String(), m.Verify()
}

func TestUnary(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range unaryOps {
		t.Run(test.name, func(t *testing.T) {
			for _, dims := range []string{"", "2x3x", "0x", "?x4x"} {
				typ := "tensor<" + dims + test.element + ">"
				got, err := inFunction(t, c, []string{typ}, func(in []mlir.Value) (mlir.Operation, error) {
					op, err := mlirtest.Create(c,
						creator(func(b *mlir.Builder) mlir.Value { return test.create(b, in[0]) }))
					if err == nil {
						check.Diff(t, "name", "stablehlo."+test.name, op.Name())
					}
					return op, err
				})
				check.NoError(t, err)
				check.Diff(t, "inferred type", typ, got)
			}
		})
	}
	got, err := inFunction(t, c, []string{"tensor<3xcomplex<f32>>"}, func(in []mlir.Value) (mlir.Operation, error) {
		return mlirtest.Create(c, AbsOp{Operand: in[0]})
	})
	check.NoError(t, err)
	check.Diff(t, "abs of complex numbers", "tensor<3xf32>", got)
}

func TestBinary(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range binaryOps {
		t.Run(test.name, func(t *testing.T) {
			for _, dims := range []struct{ lhs, rhs, want string }{
				{"", "", ""},
				{"2x3x", "2x3x", "2x3x"},
				{"0x", "0x", "0x"},
				{"?x", "?x", "?x"},
				{"?x3x", "2x?x", "2x3x"}, // each operand has a dimension that is dynamic in the other
			} {
				typ := func(d string) string { return "tensor<" + d + test.element + ">" }
				got, err := inFunction(t, c, []string{typ(dims.lhs), typ(dims.rhs)},
					func(in []mlir.Value) (mlir.Operation, error) {
						op, err := mlirtest.Create(c,
							creator(func(b *mlir.Builder) mlir.Value { return test.create(b, in[0], in[1]) }))
						if err == nil {
							check.Diff(t, "name", "stablehlo."+test.name, op.Name())
						}
						return op, err
					})
				check.NoError(t, err)
				check.Diff(t, "inferred type", typ(dims.want), got)
			}
		})
	}
}

// strange lists types that no elementwise operation supports.
var strange = []string{
	"!stablehlo.token", "tuple<>", "tuple<tensor<4xf32>>", "f32", "i1", "index", "none", "() -> ()",
	"tensor<*xf32>", "memref<4xf32>", "vector<4xf32>", "tensor<4xindex>", "tensor<4xvector<2xf32>>",
}

// TestStrangeOperands checks that Create or the verifier returns an error for operands of
// other types, and does not crash.
func TestStrangeOperands(t *testing.T) {
	c := mlirtest.Context(t)
	wrong := func(what string, types []string, create func([]mlir.Value) (mlir.Operation, error)) {
		t.Helper()
		if _, err := inFunction(t, c, types, create); err == nil {
			t.Errorf("%s of %v returned no error", what, types)
		}
	}
	for _, typ := range strange {
		for _, test := range unaryOps {
			wrong(test.name, []string{typ}, func(in []mlir.Value) (mlir.Operation, error) {
				return mlirtest.Create(c, creator(func(b *mlir.Builder) mlir.Value { return test.create(b, in[0]) }))
			})
		}
		for _, test := range binaryOps {
			good := "tensor<4x" + test.element + ">"
			for _, types := range [][]string{{typ, typ}, {typ, good}, {good, typ}} {
				wrong(test.name, types, func(in []mlir.Value) (mlir.Operation, error) {
					return mlirtest.Create(c,
						creator(func(b *mlir.Builder) mlir.Value { return test.create(b, in[0], in[1]) }))
				})
			}
		}
	}
	_, err := mlirtest.Create(c, AbsOp{Operand: values(t, c, "!stablehlo.token")[0]})
	check.Error(t, err, "stablehlo.abs: operand 0 must be a ranked tensor, not !stablehlo.token")
}

func TestMismatch(t *testing.T) {
	c := mlirtest.Context(t)
	tests := []struct {
		lhs, rhs, want string
	}{
		{"tensor<4xf32>", "tensor<3xf32>",
			"creating stablehlo.add failed: error: Mismatched dimension sizes 4 and 3 in dimension 0"},
		{"tensor<4xf32>", "tensor<4x1xf32>", "creating stablehlo.add failed: error: Mismatched ranks"},
		{"tensor<f32>", "tensor<1xf32>", "creating stablehlo.add failed: error: Mismatched ranks"},
		{"tensor<4xf32>", "tensor<4xi32>",
			"verify failed: error: op requires the same element type for all operands and results"},
		{"tensor<4xi32>", "tensor<4xui32>",
			"verify failed: error: op requires the same element type for all operands and results"},
		{"tensor<4xf32>", "tuple<tensor<4xf32>>", "creating stablehlo.add failed: error: Mismatched type kinds"},
	}
	for _, test := range tests {
		t.Run(test.lhs+" "+test.rhs, func(t *testing.T) {
			_, err := inFunction(t, c, []string{test.lhs, test.rhs}, func(in []mlir.Value) (mlir.Operation, error) {
				return mlirtest.Create(c, AddOp{LHS: in[0], RHS: in[1]})
			})
			check.Error(t, err, test.want)
			if d := new(mlir.DiagnosticError); !errors.As(err, &d) {
				t.Errorf("%v is not a DiagnosticError", err)
			}
		})
	}
	// Element types that an operation does not support.
	for _, test := range []struct {
		create        func(b *mlir.Builder, x mlir.Value) mlir.Value
		name, element string
	}{{Tanh, "tanh", "i32"}, {Not, "not", "f32"}, {Negate, "negate", "i1"}, {Floor, "floor", "complex<f32>"},
		{Abs, "abs", "ui8"}} {
		_, err := inFunction(t, c, []string{"tensor<4x" + test.element + ">"},
			func(in []mlir.Value) (mlir.Operation, error) {
				return mlirtest.Create(c, creator(func(b *mlir.Builder) mlir.Value { return test.create(b, in[0]) }))
			})
		check.Error(t, err, "verify failed: error: 'stablehlo."+test.name+"' op operand #0 must be ranked tensor of")
	}
}

// TestOtherOperations checks that names of other operations are rejected before the
// library's inference reads operands that do not exist.
func TestOtherOperations(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, "tensor<4xf32>")
	for op, want := range map[string]string{
		"":            `does not know the operation "stablehlo."`,
		"nosuch":      `does not know the operation "stablehlo.nosuch"`,
		"add":         "stablehlo.add takes 2 operands, but 1 are given",
		"constant":    "stablehlo.constant takes 0 operands, but 1 are given",
		"dot_general": `the results of "stablehlo.dot_general" cannot be inferred, because AllowInference was not called for it`,
	} {
		_, err := mlir.Create(c, mlir.OperationState{Name: dialect + op, Operands: in[:1], InferResults: true})
		check.Error(t, err, want)
	}
	_, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo.abs", Operands: []mlir.Value{in[0], in[0]},
		InferResults: true})
	check.Error(t, err, "stablehlo.abs takes 1 operands, but 2 are given")
}
