package stablehlo

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// compareCalls compares types, values and attributes by identity. A nil list equals an
// empty one, because an absent path means the same as an empty one.
var compareCalls = cmp.Options{
	cmp.Comparer(func(a, b mlir.Type) bool { return a.Equal(b) }),
	cmp.Comparer(func(a, b mlir.Value) bool { return a.Equal(b) }),
	cmp.Comparer(func(a, b mlir.Attribute) bool { return a.Equal(b) }),
	cmpopts.EquateEmpty(),
}

const (
	vector = "tensor<4xf32>"
	matrix = "tensor<2x3xi32>"
	pair   = "tuple<tensor<4xf32>, tensor<2x3xi32>>"
	nested = "tuple<tuple<tensor<4xf32>, tensor<2x3xi32>>, tensor<4xf32>>"
)

func attribute(t testing.TB, c *mlir.Context, text string) mlir.Attribute {
	t.Helper()
	a, err := c.ParseAttribute(text)
	check.NoError(t, err)
	return a
}

var customCalls = []struct {
	name              string
	operands, results []string
	call              CustomCallOp
	config            string // text of the backend config
	want              string // the attributes as they are printed, sorted by name
}{
	{
		name: "version 0, nothing else",
		call: CustomCallOp{Target: "t"},
		want: `api_version = 0 : i32, call_target_name = "t", has_side_effect = false`,
	},
	{
		name: "version 1, string", operands: []string{vector}, results: []string{vector},
		call:   CustomCallOp{Target: "t", APIVersion: 1},
		config: `"opaque \00\FF"`,
		want:   `api_version = 1 : i32, backend_config = "opaque \00\FF", call_target_name = "t", has_side_effect = false`,
	},
	{
		name: "version 2, empty string", operands: []string{vector, vector}, results: []string{matrix, vector},
		call:   CustomCallOp{Target: "t", APIVersion: 2, HasSideEffect: true},
		config: `""`,
		want:   `api_version = 2 : i32, backend_config = "", call_target_name = "t", has_side_effect = true`,
	},
	{
		name: "version 3", results: []string{vector},
		call: CustomCallOp{Target: "a \"name\"", APIVersion: 3},
		want: `api_version = 3 : i32, call_target_name = "a \22name\22", has_side_effect = false`,
	},
	{
		name: "version 4, dictionary", operands: []string{vector},
		call:   CustomCallOp{Target: "t", APIVersion: TypedFFI, HasSideEffect: true},
		config: `{b = 1 : i64, a = "x", c = array<i64: 1, 2>}`,
		want:   `api_version = 4 : i32, backend_config = {a = "x", b = 1 : i64, c = array<i64: 1, 2>}, call_target_name = "t", has_side_effect = true`,
	},
	{
		name:   "version 4, empty dictionary",
		call:   CustomCallOp{Target: "t", APIVersion: TypedFFI},
		config: `{}`,
		want:   `api_version = 4 : i32, backend_config = {}, call_target_name = "t", has_side_effect = false`,
	},
	{
		name: "layouts", operands: []string{matrix, "tensor<f32>", "tensor<2x2x2xf32>"},
		results: []string{matrix, "tensor<?x?xf32>"},
		call: CustomCallOp{
			Target: "t", APIVersion: 1,
			OperandLayouts: [][]int64{{0, 1}, {}, {1, 2, 0}}, ResultLayouts: [][]int64{{1, 0}, {0, 1}},
		},
		want: `api_version = 1 : i32, call_target_name = "t", has_side_effect = false, ` +
			`operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>, dense<[1, 2, 0]> : tensor<3xindex>], ` +
			`result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]`,
	},
	{
		name: "layouts of a tuple and of a token", operands: []string{"!stablehlo.token"}, results: []string{pair},
		call: CustomCallOp{
			Target: "t", APIVersion: 1,
			OperandLayouts: [][]int64{nil}, ResultLayouts: [][]int64{{0}, {0, 1}},
		},
		want: `api_version = 1 : i32, call_target_name = "t", has_side_effect = false, operand_layouts = [dense<> : tensor<0xindex>], ` +
			`result_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>]`,
	},
	{
		name: "no layouts",
		call: CustomCallOp{Target: "t", APIVersion: 1, OperandLayouts: [][]int64{}, ResultLayouts: [][]int64{}},
		want: `api_version = 1 : i32, call_target_name = "t", has_side_effect = false, operand_layouts = [], result_layouts = []`,
	},
	{
		name: "called computations",
		call: CustomCallOp{Target: "t", APIVersion: 1, CalledComputations: []string{"body", "a b"}},
		want: `api_version = 1 : i32, call_target_name = "t", called_computations = [@body, @"a b"], has_side_effect = false`,
	},
	{
		name: "aliases", operands: []string{matrix, vector}, results: []string{vector, matrix},
		call: CustomCallOp{Target: "t", APIVersion: TypedFFI, Aliases: []OutputOperandAlias{
			{OutputTupleIndices: []int64{0}, OperandIndex: 1}, {OutputTupleIndices: []int64{1}, OperandIndex: 0},
		}},
		want: `api_version = 4 : i32, call_target_name = "t", has_side_effect = false, output_operand_aliases = [` +
			`#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>, ` +
			`#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]`,
	},
	{
		name: "aliases of tuples", operands: []string{pair, vector}, results: []string{nested},
		call: CustomCallOp{Target: "t", APIVersion: TypedFFI, Aliases: []OutputOperandAlias{
			{OutputTupleIndices: []int64{0, 1}, OperandIndex: 0, OperandTupleIndices: []int64{1}},
			{OutputTupleIndices: []int64{1}, OperandIndex: 1},
		}},
		want: `api_version = 4 : i32, call_target_name = "t", has_side_effect = false, output_operand_aliases = [` +
			`#stablehlo.output_operand_alias<output_tuple_indices = [0, 1], operand_index = 0, operand_tuple_indices = [1]>, ` +
			`#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]`,
	},
}

// TestCustomCall makes each call, verifies it, reads it back, and makes it again from the
// result.
func TestCustomCall(t *testing.T) {
	for _, test := range customCalls {
		t.Run(test.name, func(t *testing.T) {
			c := mlirtest.Context(t)
			call := test.call
			call.Operands, call.Results = values(t, c, test.operands...), mlirtest.Types(c, test.results...)
			if test.config != "" {
				call.BackendConfig = attribute(t, c, test.config)
			}
			op, err := mlirtest.CreateAt(c, c.FileLocation("call.go", 3, 4), call)
			check.NoError(t, err)
			check.NoError(t, op.Verify())
			var entries []mlir.NamedAttribute
			for name, a := range op.Attributes() {
				entries = append(entries, mlir.NamedAttribute{Name: name, Value: a})
			}
			check.Diff(t, "attributes", "{"+test.want+"}", c.DictionaryAttribute(entries...).String())
			check.Diff(t, "position", mlir.Position{File: "call.go", Line: 3, Column: 4}, op.Location().Position())

			read, ok := AsCustomCall(op)
			if d := cmp.Diff(call, read, compareCalls); d != "" || !ok {
				t.Errorf("read back: %v (-want +got):\n%s", ok, d)
			}
			for _, presence := range []struct {
				what      string
				want, got [][]int64
			}{{"operand", call.OperandLayouts, read.OperandLayouts},
				{"result", call.ResultLayouts, read.ResultLayouts}} {
				if (presence.want == nil) != (presence.got == nil) {
					t.Errorf("%s layouts are %v, want %v", presence.what, presence.got, presence.want)
				}
			}
			again, err := mlirtest.CreateAt(c, c.FileLocation("call.go", 3, 4), read)
			check.NoError(t, err)
			generic := mlir.PrintOptions{Generic: true}
			check.Diff(t, "made again", op.Print(generic), again.Print(generic))
		})
	}
}

// TestAsCustomCall reads parsed calls.
func TestAsCustomCall(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, `func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @short(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @jax(%0) {mhlo.backend_config = {x = 1 : i64}, backend_config = "", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}`)
	var got []CustomCallOp
	m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
		call, ok := AsCustomCall(o)
		if ok != (o.Name() == "stablehlo.custom_call") {
			t.Errorf("%s is a custom call: %v", o.Name(), ok)
		}
		if ok {
			got = append(got, call)
		}
		return mlir.WalkContinue
	})
	if len(got) != 2 {
		t.Fatalf("found %d custom calls", len(got))
	}
	typ := mlirtest.Types(c, "tensor<2xf32>")
	want := []CustomCallOp{
		{Target: "short", APIVersion: 1, Operands: got[0].Operands, Results: typ},
		{
			Target: "jax", APIVersion: 1, Operands: got[1].Operands, Results: typ, BackendConfig: c.StringAttribute(""),
			OperandLayouts: [][]int64{{0}}, ResultLayouts: [][]int64{{0}},
		},
	}
	if d := cmp.Diff(want, got, compareCalls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	check.Diff(t, "the operand is the other call", true, got[1].Operands[0].Owner().Result(0).Equal(got[1].Operands[0]))
}

func TestCustomCallErrors(t *testing.T) {
	c := mlirtest.Context(t)
	in, types := values(t, c, vector), mlirtest.Types(c, vector)
	dictionary, text := attribute(t, c, "{}"), attribute(t, c, `"x"`)
	tests := []struct {
		call CustomCallOp
		want string
	}{
		{CustomCallOp{}, "stablehlo.custom_call @: the name of the target is missing"},
		{CustomCallOp{Target: "t", APIVersion: -1}, "stablehlo.custom_call @t: there is no API version -1: use 4"},
		{CustomCallOp{Target: "t", APIVersion: 5}, "there is no API version 5: use 4"},
		{CustomCallOp{Target: "t", APIVersion: 4, BackendConfig: text},
			"with API version 4 the backend config must be a dictionary"},
		{CustomCallOp{Target: "t", APIVersion: 0, BackendConfig: dictionary},
			"with API version 0 the backend config must be a string: only version 4 takes a dictionary"},
		{CustomCallOp{Target: "t", APIVersion: 3, BackendConfig: dictionary},
			"with API version 3 the backend config must be a string"},
		{CustomCallOp{Target: "t", APIVersion: 1, BackendConfig: c.BoolAttribute(true)},
			"with API version 1 the backend config must be a string"},
		{CustomCallOp{Target: "t", APIVersion: 4, BackendConfig: c.ArrayAttribute()},
			"with API version 4 the backend config must be a dictionary"},
		{CustomCallOp{Target: "t", OperandLayouts: [][]int64{}},
			"operand layouts and result layouts must be given together"},
		{CustomCallOp{Target: "t", ResultLayouts: [][]int64{}},
			"operand layouts and result layouts must be given together"},
		{CustomCallOp{Target: "t", Operands: in, OperandLayouts: [][]int64{}, ResultLayouts: [][]int64{}},
			"operand_layouts has 0 entries, but needs 1"},
		{CustomCallOp{Target: "t", Results: types, OperandLayouts: [][]int64{}, ResultLayouts: [][]int64{{0}, {0}}},
			"result_layouts has 2 entries, but needs 1"},
		{CustomCallOp{Target: "t", Results: mlirtest.Types(c, pair), OperandLayouts: [][]int64{},
			ResultLayouts: [][]int64{{}}}, "result_layouts has 1 entries, but needs 2"},
		{CustomCallOp{Target: "t", Operands: in, Aliases: []OutputOperandAlias{{}}},
			"there is no result to alias an operand to"},
		{CustomCallOp{Target: "t", CalledComputations: []string{"f", ""}}, "a called computation has no name"},
	}
	for _, test := range tests {
		_, err := mlirtest.Create(c, test.call)
		check.Error(t, err, test.want)
	}
}

// TestCustomCallVerifier checks that the verifier returns an error for mistakes that Create
// does not check, and does not crash.
func TestCustomCallVerifier(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, vector, pair)
	vectors := mlirtest.Types(c, vector, vector)
	alias := func(a OutputOperandAlias) []OutputOperandAlias { return []OutputOperandAlias{a} }
	tests := []struct {
		call CustomCallOp
		want string
	}{
		{CustomCallOp{Results: vectors, Aliases: alias(OutputOperandAlias{})},
			"shapes mismatch in the output_operand_alias attribute"},
		{CustomCallOp{Results: vectors, Aliases: alias(OutputOperandAlias{OutputTupleIndices: []int64{2}})},
			"output_tuple_indices in the output_operand_alias attribute out of bounds"},
		{CustomCallOp{Results: vectors, Aliases: alias(OutputOperandAlias{OutputTupleIndices: []int64{-1}})},
			"output_tuple_indices in the output_operand_alias attribute out of bounds"},
		{CustomCallOp{Results: vectors, Aliases: alias(OutputOperandAlias{OutputTupleIndices: []int64{0, 0}})},
			"output_tuple_indices in the output_operand_alias attribute out of bounds"},
		{CustomCallOp{Results: vectors, Aliases: alias(
			OutputOperandAlias{OutputTupleIndices: []int64{0}, OperandIndex: -1})}, "expects operandIndex"},
		{CustomCallOp{Results: vectors,
			Aliases: alias(
				OutputOperandAlias{OutputTupleIndices: []int64{0}, OperandIndex: 1, OperandTupleIndices: []int64{2}})},
			"operand_tuple_indices in the output_operand_alias attribute out of bounds"},
		{CustomCallOp{Results: vectors[:1], OperandLayouts: [][]int64{{0}, {}}, ResultLayouts: [][]int64{{0}}},
			"Tuple types are not fully supported with layout constraints"},
	}
	for _, test := range tests {
		test.call.Target, test.call.Operands = "t", in
		op, err := mlirtest.Create(c, test.call)
		check.NoError(t, err)
		err = op.Verify()
		check.Error(t, err, test.want)
		if d := new(mlir.DiagnosticError); !errors.As(err, &d) {
			t.Errorf("%v is not a DiagnosticError", err)
		}
	}
	for _, layout := range [][]int64{{1}, {-1}, {0, 1}, {}} {
		op, err := mlirtest.Create(c, CustomCallOp{Target: "t", Results: vectors[:1], OperandLayouts: [][]int64{},
			ResultLayouts: [][]int64{layout}})
		check.NoError(t, err)
		check.Error(t, op.Verify(), "layout must be a permutation of [0, 1)")
	}
}

// TestTypedConfig has what each CPU plugin does with the spellings of a custom call.
func TestTypedConfig(t *testing.T) {
	const b, m, both = "{b = 1 : i64}", "{m = 1 : i64}", "{b = 1 : i64}, mhlo.backend_config = {m = 1 : i64}"
	for _, test := range []struct {
		attributes, dictionary string
		typed                  bool
	}{
		{"api_version = 4 : i32", "", true},
		{"api_version = 4 : i32, backend_config = " + b, b, true},
		{"api_version = 4 : i32, backend_config = " + both, b, true},
		{"api_version = 4 : i32, mhlo.backend_config = " + m, "", true},
		{"mhlo.backend_config = " + m, m, true},
		{`backend_config = "", mhlo.backend_config = ` + m, m, true},
		{"api_version = 1 : i32, mhlo.backend_config = " + m, m, true},
		{"mhlo.backend_config = 1 : i64", "", true},
		{`backend_config = "", mhlo.backend_config = "text"`, "", true},
		{`backend_config = "text", mhlo.backend_config = ` + m, "", false},
		{"api_version = 0 : i32, mhlo.backend_config = " + m, "", false},
		{"api_version = 2 : i32, mhlo.backend_config = " + m, "", false},
		{"api_version = 3 : i32", "", false},
		{`backend_config = ""`, "", false},
		{"", "", false},
	} {
		module := mlirtest.Parse(t, mlirtest.Context(t),
			"func.func @main(%x: tensor<f32>) {\nstablehlo.custom_call @t(%x) {"+test.attributes+
				"} : (tensor<f32>) -> ()\nreturn\n}")
		for op := range module.Operation().Index().Named("stablehlo.custom_call") {
			dictionary, typed := TypedConfig(op)
			text := ""
			if !dictionary.IsNil() {
				text = dictionary.String()
			}
			check.Diff(t, test.attributes, test.dictionary, text)
			check.Diff(t, test.attributes, test.typed, typed)
		}
	}
}
