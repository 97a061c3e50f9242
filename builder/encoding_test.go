package builder_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The two listings of the proposal for passthrough callbacks. They leave the content of
// backend_config open. Their output path of several results is wrong: it must be [i],
// because an empty one means the tuple of the results.
var listings = []struct {
	name    string
	params  string
	results string
	text    string
}{
	{"one", "%input: tensor<2x3xf32>", "tensor<2x3xf32>", `
%result = "stablehlo.custom_call"(%input) {
  call_target_name = "exla_io_callback",
  has_side_effect = true,
  api_version = 4 : i32,
  output_operand_aliases = [
    #stablehlo.output_operand_alias<
      output_tuple_indices = [],
      operand_index = 0,
      operand_tuple_indices = []>
  ],
  backend_config = { ... }
} : (tensor<2x3xf32>) -> tensor<2x3xf32>
return %result : tensor<2x3xf32>`},
	{"two", "%input0: tensor<2x3xf32>, %input1: tensor<4xf32>", "tensor<2x3xf32>, tensor<4xf32>", `
%out0, %out1 = "stablehlo.custom_call"(%input0, %input1) {
  call_target_name = "exla_io_callback",
  has_side_effect = true,
  api_version = 4 : i32,
  output_operand_aliases = [
    #stablehlo.output_operand_alias<
      output_tuple_indices = [0],
      operand_index = 0,
      operand_tuple_indices = []>,
    #stablehlo.output_operand_alias<
      output_tuple_indices = [1],
      operand_index = 1,
      operand_tuple_indices = []>
  ],
  backend_config = { ... }
} : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
return %out0, %out1 : tensor<2x3xf32>, tensor<4xf32>`},
}

// TestListings builds the listings of the proposal, with an id in its encoding, and
// compares the operation with the parsed listing. MLIR prints both, so line breaks and the
// order of attributes do not matter.
func TestListings(t *testing.T) {
	config := `{callback_id = array<i64: 435475931745>, callback_id_size = 5 : ui64, ` +
		`callback_server_pid = array<i64: 6875999>, callback_server_pid_size = 3 : ui64}`
	for i, listing := range listings {
		t.Run(listing.name, func(t *testing.T) {
			b := newBuilder(t)
			shapes := []tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.F32, 4)}[:i+1]
			f := b.Func("main", shapes...)
			cb := builder.Callback{
				Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "abcde", Server: "_\xebh"}}
			var args []builder.Value
			for j := range shapes {
				args = append(args, f.Param(j))
			}
			f.Return(builder.Passthrough(args, cb)...)
			m := finish(t, b)
			text := strings.ReplaceAll(listing.text, "{ ... }", config)
			want, err := m.Context().Parse("listing",
				[]byte("func.func @main("+listing.params+") -> ("+listing.results+") {"+text+"\n}"))
			check.NoError(t, err)
			defer want.Close()
			check.NoError(t, want.Verify())
			if diff := cmp.Diff(generic(want), generic(m)); diff != "" {
				t.Errorf("the listing and what is built (-want +got):\n%s", diff)
			}
		})
	}
}

func generic(m *mlir.Module) string { return m.Operation().Print(mlir.PrintOptions{Generic: true}) }

// TestEncodings checks the text of each encoding.
func TestEncodings(t *testing.T) {
	const id = "\x83m\x00\x00\x00\x06cosine" // 12 bytes: two words
	words := `callback_id = array<i64: 8026265557974150531, 1701734771>, callback_id_size = 12 : ui64`
	for _, test := range []struct {
		name  string
		build func(f *builder.Func, x builder.Value) builder.Value
		want  string // of the custom call, without its types
	}{
		{"words", func(_ *builder.Func, x builder.Value) builder.Value {
			cb := builder.Callback{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id}}
			return builder.RuntimeCall(x, x, cb)
		}, `@exla_runtime_callback(%arg0) {api_version = 4 : i32, backend_config = {` + words +
			`}, has_side_effect = true}`},
		{"operand", func(_ *builder.Func, x builder.Value) builder.Value {
			cb := builder.Callback{ID: 7, Host: contract.Host{Encoding: contract.EncodingOperand}}
			return builder.RuntimeCall(x, x, cb)
		}, `@exla_elixir_callback(%arg0, %c) {api_version = 4 : i32, has_side_effect = true}`},
		{"operand, pure", func(_ *builder.Func, x builder.Value) builder.Value {
			cb := builder.Callback{ID: 7, Target: "mine", Host: contract.Host{Encoding: contract.EncodingOperand}}
			return builder.PureCall(x, x, cb)
		}, `@mine(%arg0, %c) {api_version = 4 : i32}`},
		{"server, named by a constant", func(_ *builder.Func, x builder.Value) builder.Value {
			cb := builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id, Server: "here"}}
			return builder.RuntimeCall(x, x, cb)
		}, `@exla_runtime_callback(%c, %arg0) {api_version = 4 : i32, backend_config = {` + words +
			`, num_aliased_data_outputs = 0 : ui64}, has_side_effect = true}`},
		{"server, named by a parameter", func(f *builder.Func, x builder.Value) builder.Value {
			cb := builder.Callback{
				Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id}, Server: f.Param(1)}
			return builder.Passthrough(x, cb)
		}, `@exla_runtime_callback(%arg1, %arg0) {api_version = 4 : i32, backend_config = {` + words +
			`, num_aliased_data_outputs = 1 : ui64}, has_side_effect = true, ` +
			`output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main", vector, tensor.ShapeOf(tensor.U8, 4))
			f.Return(test.build(f, f.Param(0)))
			call := mlirtest.Find(finish(t, b), "stablehlo.custom_call")[0].String()
			_, call, _ = strings.Cut(call, "custom_call ")
			call, _, _ = strings.Cut(call, " : (tensor")
			if diff := cmp.Diff(test.want, call); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOrderedCallbacks checks that callbacks with an effect take and return its token.
func TestOrderedCallbacks(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", vector)
	x := builder.Passthrough(f.Param(0), builder.Callback{Name: "a", Effect: "io"})
	y := builder.RuntimeCall(x, x, builder.Callback{Name: "b", Effect: "io"})
	builder.Tap(y, builder.Callback{Name: "c", Effect: "io"})
	builder.RuntimeCall(x, x, builder.Callback{Name: "d"}) // has no order
	f.Return(y)
	calls := mlirtest.Find(finish(t, b), "stablehlo.custom_call")
	var got [][2]int
	for i, call := range calls {
		got = append(got, [2]int{call.NumOperands(), call.NumResults()})
		if last := call.NumOperands() - 1; i > 0 && i < 3 &&
			!call.Operand(last).Equal(calls[i-1].Result(calls[i-1].NumResults()-1)) {
			t.Errorf("call %d does not take the token of the one before it", i)
		}
	}
	if diff := cmp.Diff([][2]int{{2, 2}, {2, 2}, {2, 1}, {1, 1}}, got); diff != "" {
		t.Errorf("operands and results (-want +got):\n%s", diff)
	}
	want := `[#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]`
	if aliases, _ := calls[1].Attribute("output_operand_aliases"); aliases.String() != want {
		t.Errorf("the token of a runtime call is aliased as %s", aliases)
	}
}

func TestPrint(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", vector)
	builder.Print(f.Param(0), builder.Callback{Optional: true})
	builder.Print(f.Param(0), builder.Callback{Name: "show"})
	f.Return()
	var got []string
	for _, call := range mlirtest.Find(finish(t, b), "stablehlo.custom_call") {
		config, _ := call.Attribute("backend_config")
		name, _ := config.Entry("callback")
		form, _ := config.Entry("form")
		got = append(got, name.String()+" "+form.String())
	}
	if diff := cmp.Diff([]string{`"print" "observe"`, `"show" "observe"`}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestSites checks that calls on one line keep their differences.
func TestSites(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", vector, tensor.ShapeOf(tensor.S32))
	x, y := f.Param(0), f.Param(1)
	for _, args := range [][]builder.Value{{x}, {y}, {x, y}, {y, x}, {x}} {
		builder.Passthrough(args, builder.Callback{Name: "f", In: f})
		builder.RuntimeCall(args, args[:1], builder.Callback{Name: "g", In: f})
	}
	f.Return()
	want := []string{
		"f32[4]->f32[4]", "f32[4]->f32[4]", "s32[]->s32[]", "s32[]->s32[]",
		"f32[4],s32[]->f32[4],s32[]", "f32[4]->f32[4],s32[]", "s32[],f32[4]->s32[],f32[4]", "s32[]->s32[],f32[4]",
		"f32[4]->f32[4]", "f32[4]->f32[4]",
	}
	for i, call := range mlirtest.Find(finish(t, b), "stablehlo.custom_call") {
		config, _ := call.Attribute("backend_config")
		hash, _ := config.Entry("signature")
		if got, _ := hash.Text(); got != contract.SignatureHash(want[i]) {
			t.Errorf("call %d has another signature than %s", i, want[i])
		}
	}
}
