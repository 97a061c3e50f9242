package callop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// ReadConfig reads the result of ConfigAttribute, in every encoding.
func TestConfigAttribute(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range []struct {
		config contract.Config
		want   string // "" for none
	}{
		{
			contract.Config{Form: contract.Passthrough, Callback: "log \"it\"", Registry: "r", NumIDs: 2, NumTokens: 1,
				Effect: "io", Optional: true, Every: 10},
			`{callback = "log \22it\22", effect = "io", every = 10 : i64, form = "passthrough", n_ids = 2 : i64, n_tokens = 1 : i64, optional = true, registry = "r", v = 1 : i64}`,
		},
		{contract.Config{Form: contract.Pure, ID: 1 << 62},
			`{callback_id = 4611686018427387904 : i64, form = "pure", v = 1 : i64}`},
		{
			contract.Config{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "12345678a", Server: "s"},
				Form: contract.Call},
			`{callback_id = array<i64: 4050765991979987505, 97>, callback_id_size = 9 : ui64, callback_server_pid = array<i64: 115>, callback_server_pid_size = 1 : ui64}`,
		},
		{
			contract.Config{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: "a", Aliased: 2},
				Form: contract.Passthrough},
			`{callback_id = array<i64: 97>, callback_id_size = 1 : ui64, num_aliased_data_outputs = 2 : ui64}`,
		},
		{contract.Config{Host: contract.Host{Encoding: contract.EncodingOperand}, Form: contract.Call}, ""},
	} {
		a, err := callop.ConfigAttribute(c, test.config)
		check.NoError(t, err)
		got := ""
		if !a.IsNil() {
			got = a.String()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("attribute (-want +got):\n%s", diff)
		}
		back, err := callop.ReadConfig(a)
		check.Report(t, err)
		if diff := cmp.Diff(test.config, back); diff != "" {
			t.Errorf("config (-want +got):\n%s", diff)
		}
	}
	if _, err := callop.ConfigAttribute(c, contract.Config{}); err == nil {
		t.Error("a Config of no form was written")
	}
}

// A portable artifact has lists as dense elements, and XLA reads them as arrays.
func TestReadConfigOfDenseElements(t *testing.T) {
	c := mlirtest.Context(t)
	size := ", callback_id_size = 16 : ui64}"
	for _, test := range []struct{ text, want, err string }{
		{"{callback_id = dense<[4050765991979987505, 97]> : tensor<2xi64>" + size,
			"12345678a\x00\x00\x00\x00\x00\x00\x00", ""},
		{"{callback_id = dense<97> : tensor<2xi64>" + size,
			"a\x00\x00\x00\x00\x00\x00\x00a\x00\x00\x00\x00\x00\x00\x00", ""},
		{"{callback_id = dense<97> : tensor<4000000000xi64>" + size, "", `the key "callback_id" is an i64`},
		{"{callback_id = dense<97> : tensor<2xi32>" + size, "", `the key "callback_id" is an i64`},
		{"{callback_id = dense<97> : tensor<2x1xi64>" + size, "", `the key "callback_id" is an i64`},
		{"{callback_id = [1, 2]" + size, "", `the key "callback_id" is an i64, not "[1, 2]"`},
	} {
		config, err := callop.ReadConfig(mlirtest.Attribute(c, test.text))
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: the error is %v, want %q", test.text, err, test.err)
		}
		if diff := cmp.Diff(test.want, config.Host.Opaque); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestTokens(t *testing.T) {
	c := mlirtest.Context(t)
	want, err := callop.TokenType(c)
	check.NoError(t, err)
	m := c.NewModule(c.UnknownLocation())
	defer m.Close()
	op, err := callop.FirstToken(m.Body(), c.UnknownLocation())
	check.NoError(t, err)
	if got := op.Result(0).Type(); !got.Equal(want) || got.String() != "tensor<1xi8>" {
		t.Errorf("the token is %s, its type is %s", got, want)
	}
}

func TestSignature(t *testing.T) {
	c := mlirtest.Context(t)
	types := func(list ...string) (out []mlir.Type) {
		for _, text := range list {
			out = append(out, mlirtest.Type(c, text))
		}
		return out
	}
	got, err := callop.Signature(types("tensor<2x?xf32>", "tensor<i32>"), types("tensor<4xi1>"))
	if err != nil || got != "f32[2,?],s32[]->pred[4]" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := callop.Signature(nil, types("tensor<*xf32>")); err == nil {
		t.Error("an array of no rank has a signature")
	}
}
