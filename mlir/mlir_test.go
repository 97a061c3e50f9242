package mlir_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const addition = `func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`

// TestForms converts a module to text, the generic form, text with locations and bytecode,
// and expects the same module at the end.
func TestForms(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, addition)
	want := m.String()
	bytecode, err := m.Bytecode()
	check.NoError(t, err)
	if !mlir.IsBytecode(bytecode) || stablehlo.IsPortableArtifact(bytecode) {
		t.Errorf("the bytecode is not recognised")
	}
	forms := map[string]string{
		"text":      want,
		"generic":   m.Operation().Print(mlir.PrintOptions{Generic: true}),
		"locations": m.Operation().Print(mlir.PrintOptions{DebugInfo: true}),
		"bytecode":  string(bytecode),
		"mark":      "\ufeff" + want,
	}
	if !strings.Contains(forms["generic"], `"stablehlo.add"`) {
		t.Errorf("the generic form is missing:\n%s", forms["generic"])
	}
	if !strings.Contains(forms["locations"], "loc(") {
		t.Errorf("the locations are missing:\n%s", forms["locations"])
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, mlirtest.Parse(t, mlirtest.Context(t), form).String()); diff != "" {
				t.Errorf("not the same module (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       mlir.Position
		message    string
	}{
		{"syntax", "module {\n  func.func f()\n}", mlir.Position{File: "test.mlir", Line: 2, Column: 13},
			"expected valid '@'-identifier for symbol name"},
		{"unknown dialect", "\n \"nosuch.op\"() : () -> ()", mlir.Position{File: "test.mlir", Line: 2, Column: 13},
			"unregistered dialect"},
		{"verifier", "func.func @f() -> i32 {\n  return\n}", mlir.Position{File: "test.mlir", Line: 2, Column: 3},
			"has 0 operands, but enclosing function (@f) returns 1"},
		{"truncated bytecode", "ML\xefR\x01", mlir.Position{File: "test.mlir", Line: 0, Column: 0}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := mlirtest.Context(t).Parse("test.mlir", []byte(test.text))
			var d *mlir.DiagnosticError
			if !errors.As(err, &d) {
				t.Fatalf("error is %v, want a DiagnosticError", err)
			}
			if diff := cmp.Diff(test.want, d.Diagnostics[0].Position); diff != "" {
				t.Errorf("position (-want +got):\n%s", diff)
			}
			if !strings.Contains(err.Error(), test.message) {
				t.Errorf("error is %q, want it to say %q", err, test.message)
			}
		})
	}
}

// TestNotes checks that notes stay with the diagnostic that they belong to.
func TestNotes(t *testing.T) {
	_, err := mlirtest.Context(t).Parse("n.mlir", []byte("func.func @f() { return }\nfunc.func @f() { return }"))
	var d *mlir.DiagnosticError
	if !errors.As(err, &d) || len(d.Diagnostics) != 1 || len(d.Diagnostics[0].Notes) != 2 {
		t.Fatalf("error is %#v, want one diagnostic with two notes", err)
	}
	want := mlir.Diagnostic{
		Severity: mlir.SeverityError,
		Position: mlir.Position{File: "n.mlir", Line: 2, Column: 1},
		Message:  "redefinition of symbol named 'f'",
		Notes: []mlir.Diagnostic{{
			Severity: mlir.SeverityNote,
			Position: mlir.Position{File: "n.mlir", Line: 2, Column: 1},
			Message:  "see current operation: \n\"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n  \"func.return\"() : () -> ()\n}) : () -> ()",
		}, {
			Severity: mlir.SeverityNote,
			Position: mlir.Position{File: "n.mlir", Line: 1, Column: 1},
			Message:  "see existing symbol definition here",
		}},
	}
	if diff := cmp.Diff(want, d.Diagnostics[0]); diff != "" {
		t.Errorf("diagnostic (-want +got):\n%s", diff)
	}
}

func TestWalk(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%arg0) ({
    %1 = stablehlo.negate %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}`)
	visit := func(answer func(string) mlir.WalkAction) (names []string, whole bool) {
		whole = m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
			names = append(names, o.Name())
			return answer(o.Name())
		})
		return names, whole
	}
	tests := []struct {
		name   string
		answer func(string) mlir.WalkAction
		want   []string
		whole  bool
	}{
		{"all", func(string) mlir.WalkAction { return mlir.WalkContinue },
			[]string{"builtin.module", "func.func", "stablehlo.if", "stablehlo.negate", "stablehlo.return",
				"stablehlo.return", "func.return"}, true},
		{"skip", func(n string) mlir.WalkAction {
			if n == "stablehlo.if" {
				return mlir.WalkSkip
			}
			return mlir.WalkContinue
		}, []string{"builtin.module", "func.func", "stablehlo.if", "func.return"}, true},
		{"stop", func(n string) mlir.WalkAction {
			if n == "stablehlo.negate" {
				return mlir.WalkStop
			}
			return mlir.WalkContinue
		}, []string{"builtin.module", "func.func", "stablehlo.if", "stablehlo.negate"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, whole := visit(test.answer)
			if diff := cmp.Diff(test.want, got); diff != "" || whole != test.whole {
				t.Errorf("whole = %v, visited (-want +got):\n%s", whole, diff)
			}
		})
	}
}

func TestNavigation(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, addition)
	functions := slices.Collect(m.Body().Operations())
	if len(functions) != 1 || functions[0].Name() != "func.func" {
		t.Fatalf("the module holds %v", functions)
	}
	block := functions[0].Region(0).First()
	ops := slices.Collect(block.Operations())
	add, ret := ops[0], ops[1]
	arg := block.Argument(0)

	check.Diff(t, "position", mlir.Position{File: "test.mlir", Line: 2, Column: 8}, add.Location().Position())
	check.Diff(t, "operands", 2, add.NumOperands())
	check.Diff(t, "operand values", true,
		slices.Equal([]mlir.Value{add.Operand(0), add.Operand(1)}, add.OperandValues()))
	check.Diff(t, "result values", true, slices.Equal([]mlir.Value{add.Result(0)}, add.ResultValues()))
	check.Diff(t, "values of an operation without any", []int{0}, []int{len(ret.ResultValues())})
	check.Diff(t, "same operand", true, add.Operand(1).Equal(arg))
	check.Diff(t, "result type", "tensor<2x3xf32>", add.Result(0).Type().String())
	check.Diff(t, "owner", true, add.Result(0).Owner().Equal(add))
	check.Diff(t, "argument's block", true, arg.Block().Parent().Equal(functions[0]))
	check.Diff(t, "argument has no owner", true, arg.Owner().IsNil())
	check.Diff(t, "parent", true, add.Parent().Equal(functions[0]))
	check.Diff(t, "terminator", true, block.Terminator().Equal(ret))
	check.Diff(t, "top has no parent", true, m.Operation().Parent().IsNil())
	var uses []string
	for use := range arg.Uses() {
		uses = append(uses, fmt.Sprint(use.Owner.Name(), " ", use.Operand))
	}
	slices.Sort(uses)
	check.Diff(t, "uses", []string{"stablehlo.add 0", "stablehlo.add 1"}, uses)
	name, ok := functions[0].Attribute("sym_name")
	text, _ := name.Text()
	check.Diff(t, "symbol name", []any{true, "main"}, []any{ok, text})
	var attributes []string
	for n := range functions[0].Attributes() {
		attributes = append(attributes, n)
	}
	check.Diff(t, "attributes", []string{"function_type", "sym_name"}, attributes)

	check.Error(t, add.Erase(), "its result 0 is used by func.return")
	add.Result(0).ReplaceAllUses(arg)
	if err := add.Erase(); err != nil {
		t.Errorf("erasing an unused operation: %v", err)
	}
	check.Diff(t, "returned", true, ret.Operand(0).Equal(arg))
	check.Report(t, m.Verify())
}

func TestTypes(t *testing.T) {
	c := mlirtest.Context(t)
	tensor, err := c.TensorType(c.F32Type(), 2, mlir.Dynamic)
	check.NoError(t, err)
	for _, test := range []struct {
		typ  mlir.Type
		want string
	}{
		{tensor, "tensor<2x?xf32>"},
		{c.IntegerType(8, mlir.Unsigned), "ui8"},
		{c.IntegerType(4, mlir.Signed), "si4"},
		{c.IntegerType(1, mlir.Signless), "i1"},
		{c.F64Type(), "f64"},
		{c.IndexType(), "index"},
		{c.TupleType(tensor, c.F32Type()), "tuple<tensor<2x?xf32>, f32>"},
		{c.FunctionType([]mlir.Type{tensor}, nil), "(tensor<2x?xf32>) -> ()"},
	} {
		if got := test.typ.String(); got != test.want {
			t.Errorf("type prints as %s, want %s", got, test.want)
		}
		parsed, err := c.ParseType(test.want)
		if err != nil || !parsed.Equal(test.typ) {
			t.Errorf("%s parses as %v, %v", test.want, parsed, err)
		}
	}
	dims, ok := tensor.Dims()
	if diff := cmp.Diff([]int64{2, mlir.Dynamic}, dims); diff != "" || !ok {
		t.Errorf("dims (-want +got):\n%s", diff)
	}
	if _, ok := c.F32Type().Dims(); ok {
		t.Error("a scalar type has dims")
	}
	if elem, _ := tensor.Element(); !elem.Equal(c.F32Type()) {
		t.Errorf("element type is %v", elem)
	}
	for _, bad := range []string{"tensor<2x", "tensor<2xf32> tensor", "!nosuch.type"} {
		if _, err := c.ParseType(bad); err == nil {
			t.Errorf("ParseType(%q) gave no error", bad)
		}
	}
	if _, err := c.TensorType(c.F32Type(), -3); err == nil {
		t.Error("a negative dimension gave no error")
	}
	if _, err := c.TensorType(c.FunctionType(nil, nil), 3); err == nil {
		t.Error("a tensor of functions gave no error")
	}
}

func TestAttributes(t *testing.T) {
	c := mlirtest.Context(t)
	i64 := c.IntegerType(64, mlir.Signless)
	vector, _ := c.TensorType(c.IntegerType(8, mlir.Signless), 3)
	dense, err := c.DenseAttribute(vector, []byte{1, 2, 3})
	check.NoError(t, err)
	for _, test := range []struct {
		attribute mlir.Attribute
		want      string
	}{
		{c.StringAttribute("a\x00\"b"), `"a\00\22b"`},
		{c.BoolAttribute(true), "true"},
		{c.IntegerAttribute(i64, -7), "-7 : i64"},
		{c.UnitAttribute(), "unit"},
		{c.TypeAttribute(c.F32Type()), "f32"},
		{c.SymbolAttribute("main"), "@main"},
		{c.ArrayAttribute(c.BoolAttribute(false), c.StringAttribute("x")), `[false, "x"]`},
		{c.ArrayAttribute(), "[]"},
		{c.DictionaryAttribute(mlir.NamedAttribute{Name: "b", Value: c.UnitAttribute()},
			mlir.NamedAttribute{Name: "a", Value: c.BoolAttribute(true)}), "{a = true, b}"},
		{c.Int64ArrayAttribute(3, 1), "array<i64: 3, 1>"},
		{c.Int64ArrayAttribute(), "array<i64>"},
		{dense, "dense<[1, 2, 3]> : tensor<3xi8>"},
	} {
		if got := test.attribute.String(); got != test.want {
			t.Errorf("attribute prints as %s, want %s", got, test.want)
		}
		parsed, err := c.ParseAttribute(test.want)
		if err != nil || !parsed.Equal(test.attribute) {
			t.Errorf("%s parses as %v, %v", test.want, parsed, err)
		}
	}
	if v, ok := c.IntegerAttribute(i64, -7).Int(); v != -7 || !ok {
		t.Errorf("Int() = %d, %v", v, ok)
	}
	if v, ok := c.IntegerAttribute(c.IntegerType(8, mlir.Unsigned), 200).Int(); v != 200 || !ok {
		t.Errorf("Int() of ui8 = %d, %v", v, ok)
	}
	if _, ok := c.StringAttribute("x").Int(); ok {
		t.Error("a string has an integer value")
	}
	if _, err := c.DenseAttribute(vector, []byte{1, 2}); err == nil {
		t.Error("two bytes made a tensor<3xi8>")
	}
	empty, _ := c.TensorType(c.F32Type(), 0)
	if a, err := c.DenseAttribute(empty, nil); err != nil || a.String() != "dense<> : tensor<0xf32>" {
		t.Errorf("an empty dense attribute is %v, %v", a, err)
	}
}

func TestCreate(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(c.FileLocation("gen.go", 12, 0))
	tensor, _ := c.TensorType(c.F32Type(), 4)
	block := c.NewBlock(mlir.Location{}, tensor)
	region := c.NewRegion()
	region.Append(block)
	ret, err := mlir.Create(c, mlir.OperationState{Name: "func.return", Operands: []mlir.Value{block.Argument(0)}})
	check.NoError(t, err)
	block.Append(ret)
	fn, err := mlir.Create(c, mlir.OperationState{
		Name: "func.func",
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute("id")},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType([]mlir.Type{tensor}, []mlir.Type{tensor}))},
		},
		Regions: []mlir.Region{region},
	})
	check.NoError(t, err)
	m.Body().Append(fn)
	check.NoError(t, m.Verify())
	want := "module {\n  func.func @id(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    return %arg0 : tensor<4xf32>\n  }\n}\n"
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
	if got := m.Operation().Location().Position(); got != (mlir.Position{File: "gen.go", Line: 12}) {
		t.Errorf("the module's position is %v", got)
	}
	if _, err := mlir.Create(c, mlir.OperationState{Name: "nosuch.op"}); err == nil ||
		!strings.Contains(err.Error(), `does not know the operation "nosuch.op"`) {
		t.Errorf("an unknown operation: %v", err)
	}
	if _, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo.dot", InferResults: true}); err == nil ||
		!strings.Contains(err.Error(), "AllowInference was not called for it: set Results") {
		t.Errorf("inference of an operation that AllowInference does not know: %v", err)
	}
}

// TestMisuse checks that misuse panics with a message where C would crash.
func TestMisuse(t *testing.T) {
	c, other := mlirtest.Context(t), mlirtest.Context(t)
	m := mlirtest.Parse(t, c, addition)
	fn := slices.Collect(m.Body().Operations())[0]
	tensor, _ := c.TensorType(c.F32Type(), 1)
	check.Panics(t, "Operation.Operand(0): index out of range with length 0", func() { fn.Operand(0) })
	check.Panics(t, "Operation.Region(-1)", func() { fn.Region(-1) })
	check.Panics(t, "a type of another context", func() { other.TupleType(tensor) })
	check.Panics(t, "is in a block already", func() { m.Body().Append(fn) })
	check.Panics(t, "Operation.Name called on a nil handle", func() { mlir.Operation{}.Name() })
	check.Panics(t, "Library.NewContext called on a nil Library",
		func() { (*mlir.Library)(nil).NewContext(mlir.ContextOptions{}) })
	check.Panics(t, "Library.NewContext called on a nil Library",
		func() { new(mlir.Library).NewContext(mlir.ContextOptions{}) })
	check.Panics(t, "Module.Context called on a nil Module", func() { (*mlir.Module)(nil).Context() })
	check.Panics(t, "Module.Operation called on a nil Module", func() { (*mlir.Module)(nil).Operation() })
	check.Panics(t, "Module.Bytecode called on a nil Module", func() { _, _ = (*mlir.Module)(nil).Bytecode() })
	check.Panics(t, "an attribute with an empty name", func() {
		_, _ = mlir.Create(c,
			mlir.OperationState{Name: "func.return", Attributes: []mlir.NamedAttribute{{Value: c.UnitAttribute()}}})
	})
	unit := c.UnitAttribute()
	_, err := mlir.Create(c, mlir.OperationState{Name: "func.return", Attributes: []mlir.NamedAttribute{
		{Name: "x.a", Value: unit}, {Name: "x.b", Value: unit}, {Name: "x.a", Value: c.StringAttribute("a")}}})
	check.Error(t, err, `mlir: Create was given the attribute "x.a" of func.return twice`)
	check.Panics(t, "not an integer or index type", func() { c.IntegerAttribute(c.F32Type(), 1) })
	check.Panics(t, "16777216 is not a valid width", func() { c.IntegerType(1<<24, mlir.Signless) })
	m.Close()
	m.Close()
	check.Panics(t, "Operation.Name called after Module.Close", func() { fn.Name() })
	check.Panics(t, "Module.String called after Module.Close", func() { _ = m.String() })
	if got := tensor.String(); got != "tensor<1xf32>" {
		t.Errorf("a type ended with a module: %s", got)
	}
	c.Close()
	c.Close()
	check.Panics(t, "Type.String called after Context.Close", func() { _ = tensor.String() })
	check.Panics(t, "Context.Parse called after Context.Close", func() { c.Parse("", nil) })
}

// TestDeepNesting nests much deeper than the usual stack of a thread allows.
func TestDeepNesting(t *testing.T) {
	depth := 50000
	text := "module attributes {a.b = " + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "} {}"
	err := mlir.OnLargeStack(func() error {
		c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer c.Close()
		m, err := c.Parse("deep.mlir", []byte(text))
		if err != nil {
			return err
		}
		if got := len(m.String()); got < 2*depth {
			return fmt.Errorf("the module prints %d bytes", got)
		}
		return m.Verify()
	})
	check.Report(t, err)
}

func TestOnLargeStackPanics(t *testing.T) {
	check.Panics(t, "boom", func() { mlir.OnLargeStack(func() error { panic("boom") }) })
	if err := mlir.OnLargeStack(func() error { return os.ErrClosed }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the error came out as %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := mlir.Open(mlir.OpenOptions{Path: "/nonexistent/libMLIR.so"}); err == nil ||
		!strings.Contains(err.Error(), "/nonexistent/libMLIR.so") {
		t.Errorf("a missing library: %v", err)
	}
	// Any shared library that is not MLIR: the C library always exists.
	other := map[string]string{"darwin": "libSystem.dylib", "windows": "kernel32.dll"}[runtime.GOOS]
	if other == "" {
		other = "libc.so.6"
	}
	_, err := mlir.Open(mlir.OpenOptions{Path: other})
	if !errors.Is(err, mlir.ErrUnsupported) {
		t.Errorf("a library without the C API: %v", err)
	}
}

// TestStablehloNames compares the declarations in tools/bindgen/stablehlo with jaxlib's library:
// each name must exist there.
func TestStablehloNames(t *testing.T) {
	have := 0
	for _, name := range mlirtest.Jaxlib(t).Functions() {
		if strings.HasPrefix(name, "stablehlo") || strings.HasPrefix(name, "chlo") {
			have++
		}
	}
	const want = 139 // the number that jaxlib's library exports
	if have != want {
		t.Errorf("%d StableHLO and CHLO functions are bound, the library exports %d", have, want)
	}
}
