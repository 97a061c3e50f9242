package callop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func parse(t *testing.T, text string) *mlir.Module {
	t.Helper()
	return mlirtest.Parse(t, mlirtest.Context(t), text)
}

// inMain returns a function of one vector with one custom call in it.
func inMain(call string) string {
	return "func.func @main(%x: tensor<4xf32>, %s: tensor<3xui8>, %id: tensor<i64>) -> tensor<4xf32> {\n" + call +
		"\nreturn %x : tensor<4xf32>\n}"
}

func TestCalls(t *testing.T) {
	const (
		v    = "(tensor<4xf32>) -> tensor<4xf32>"
		pass = ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"
		id   = "callback_id = array<i64: 97>, callback_id_size = 1 : ui64"
	)
	for _, test := range []struct {
		name, call string
		want       contract.Config
		err        string
		none       bool
	}{
		{name: "the contract's own", call: `stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "f", optional = true}} : ` + v,
			want: contract.Config{Form: contract.Call, Callback: "f", Optional: true}},
		{name: "as JAX writes it", call: `stablehlo.custom_call @calliope_runtime_call(%x) {backend_config = "", mhlo.backend_config = {v = 1 : i64, form = "pure", callback_id = 3 : i64}} : ` + v,
			want: contract.Config{Form: contract.Pure, ID: 3}},
		{name: "another target", call: `stablehlo.custom_call @mine(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "f"}} : ` + v,
			want: contract.Config{Form: contract.Call, Callback: "f"}},
		{name: "words", call: `stablehlo.custom_call @exla_runtime_callback(%x) {api_version = 4 : i32, backend_config = {` + id + `}} : ` + v,
			want: contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords,
				Opaque: "a"}}},
		{name: "words, aliased",
			call: `stablehlo.custom_call @exla_io_callback(%x) {api_version = 4 : i32, backend_config = {` + id + `}` +
				pass + `} : ` + v,
			want: contract.Config{Form: contract.Passthrough,
				Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "a"}}},
		{name: "server", call: `stablehlo.custom_call @exla_runtime_callback(%s, %x) {api_version = 4 : i32, backend_config = {` + id + `, num_aliased_data_outputs = 0 : ui64}} : (tensor<3xui8>, tensor<4xf32>) -> tensor<4xf32>`,
			want: contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingServer,
				Opaque: "a"}}},
		{name: "operand", call: `stablehlo.custom_call @exla_elixir_callback(%x, %id) {api_version = 4 : i32} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>`,
			want: contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingOperand}}},

		{name: "untyped, because of a string", call: `stablehlo.custom_call @calliope_runtime_call(%x) {backend_config = "x", mhlo.backend_config = {v = 1 : i64, form = "pure", callback_id = 3 : i64}} : ` + v, err: "no dictionary as its backend_config"},
		{name: "no form", call: `stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64}} : ` + v, err: `lacks the key "form"`},
		{name: "no dictionary", call: `stablehlo.custom_call @calliope_io_callback(%x) {api_version = 2 : i32, backend_config = "x"} : ` + v, err: "no dictionary as its backend_config"},
		{name: "an i32", call: `stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i32}} : ` + v, err: `the key "v" is an i64`},
		{name: "an array of i32", call: `stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = array<i32: 1>}} : ` + v, err: `the key "form" is a string`},

		{name: "another target",
			call: `stablehlo.custom_call @mine(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64}} : ` + v, none: true},
		{name: "another target with a string",
			call: `stablehlo.custom_call @mine(%x) {backend_config = "v form"} : ` + v, none: true},
		{name: "no custom call", call: `stablehlo.cosine %x : tensor<4xf32>`, none: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			for call := range callop.Calls(parse(t, inMain(test.call))) {
				n++
				if diff := cmp.Diff(test.want, call.Config); diff != "" {
					t.Errorf("config (-want +got):\n%s", diff)
				}
				if (call.Err == nil) != (test.err == "") || call.Err != nil &&
					!strings.Contains(call.Err.Error(), test.err) {
					t.Errorf("error is %v, want %q", call.Err, test.err)
				}
				if !strings.Contains(test.call, "@"+call.Target+"(") {
					t.Errorf("target is %q", call.Target)
				}
			}
			if (n == 0) != test.none {
				t.Errorf("%d callback operations were found", n)
			}
		})
	}
}

// An iteration over Calls may end early.
func TestCallsStop(t *testing.T) {
	const call = `stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>`
	m := parse(t, inMain(strings.Repeat(call+"\n", 3)))
	n := 0
	for range callop.Calls(m) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d calls", n)
	}
}
