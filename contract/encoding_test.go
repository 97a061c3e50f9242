package contract_test

import (
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

const (
	id16 = "0123456789abcdef"
	id3  = "\x01\x00\xff"
)

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name   string
		config contract.Config
		target string
		want   []contract.Attr
	}{
		{
			"words with a server",
			contract.Config{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id16, Server: id3},
				Form: contract.Call},
			"exla_runtime_callback",
			[]contract.Attr{
				{"callback_id", []int64{0x3736353433323130, 0x6665646362613938}}, {"callback_id_size", uint64(16)},
				{"callback_server_pid", []int64{0xff0001}}, {"callback_server_pid_size", uint64(3)},
			},
		},
		{
			"words",
			contract.Config{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3}, Form: contract.Call},
			"exla_runtime_callback",
			[]contract.Attr{{"callback_id", []int64{0xff0001}}, {"callback_id_size", uint64(3)}},
		},
		{
			"operand",
			contract.Config{Host: contract.Host{Encoding: contract.EncodingOperand}, Form: contract.Call},
			"exla_elixir_callback", nil,
		},
		{
			"server, passing through",
			contract.Config{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id3, Aliased: 2},
				Form: contract.Passthrough},
			"exla_runtime_callback",
			[]contract.Attr{
				{"callback_id", []int64{0xff0001}}, {"callback_id_size", uint64(3)},
				{"num_aliased_data_outputs", uint64(2)},
			},
		},
		{
			"server, calling",
			contract.Config{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id3}, Form: contract.Call},
			"exla_runtime_callback",
			[]contract.Attr{
				{"callback_id", []int64{0xff0001}}, {"callback_id_size", uint64(3)},
				{"num_aliased_data_outputs", uint64(0)},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			check.Diff(t, "Target", c.target, c.config.Host.Encoding.Target(c.config.Form))
			roundTrip(t, c.config, c.want)
		})
	}
	check.Diff(t, "Target", contract.TargetEXLAIOCallback, contract.EncodingWords.Target(contract.Passthrough))
	check.Diff(t, "Target", contract.TargetIOCallback, contract.EncodingDictionary.Target(contract.Observe))
	check.Diff(t, "names", "dictionary words operand server Encoding(4)", strings.Join([]string{
		contract.EncodingDictionary.String(), contract.EncodingWords.String(), contract.EncodingOperand.String(),
		contract.EncodingServer.String(), contract.Encoding(4).String(),
	}, " "))
}

// EncodingWords does not have the form of a call, and EncodingOperand does not have the id.
func TestEncodingsLeaveOut(t *testing.T) {
	for _, c := range []contract.Config{
		{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3}, Form: contract.Passthrough},
		{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3}, Form: contract.Pure},
		{Host: contract.Host{Encoding: contract.EncodingOperand}, Form: contract.Pure, ID: 7},
		{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id3, Server: "named by the operand"},
			Form: contract.Call},
	} {
		attrs, err := c.Attrs()
		check.NoError(t, err)
		got, err := contract.Decode(attrs)
		check.NoError(t, err)
		c.Form, c.ID, c.Host.Server = contract.Call, 0, ""
		check.Diff(t, "Decode", c, got)
	}
}

func TestEncodingErrors(t *testing.T) {
	words, size := contract.Attr{"callback_id", []int64{0xff0001}}, contract.Attr{"callback_id_size", uint64(3)}
	for _, c := range []struct {
		name  string
		attrs []contract.Attr
		want  string
	}{
		{"size as a signed number", []contract.Attr{words, {"callback_id_size", int64(3)}},
			`the key "callback_id_size" is a ui64, not 3 (int64)`},
		{"size without words", []contract.Attr{{"callback_id", int64(3)}, size}, `unknown key "callback_id_size"`},
		{"too few words", []contract.Attr{words, {"callback_id_size", uint64(9)}},
			"1 words cannot hold exactly 9 bytes"},
		{"too many words", []contract.Attr{{"callback_id", []int64{1, 2}}, size},
			"2 words cannot hold exactly 3 bytes"},
		{"no words", []contract.Attr{{"callback_id", []int64{}}, {"callback_id_size", uint64(0)}}, "is for opaque ids"},
		{"size without end", []contract.Attr{words, {"callback_id_size", uint64(math.MaxUint64)}}, "cannot hold"},
		{"twice", []contract.Attr{words, size, words}, "is an i64"},
		{"server as a number", []contract.Attr{words, size, {"callback_server_pid", int64(1)}},
			`the key "callback_server_pid" is an array of i64`},
		{"server without size", []contract.Attr{words, size, {"callback_server_pid", []int64{1}}},
			`the key "callback_server_pid_size" is a ui64`},
		{"aliased as text", []contract.Attr{words, size, {"num_aliased_data_outputs", "1"}},
			`the key "num_aliased_data_outputs" is a ui64 that counts results`},
		{"aliased without end", []contract.Attr{words, size, {"num_aliased_data_outputs", uint64(math.MaxUint64)}},
			"counts results"},
		{"another key", []contract.Attr{words, size, {"effect", "io"}},
			`unknown key "effect" in backend_config beside an opaque callback_id`},
		{"server and aliased",
			[]contract.Attr{words, size, {"callback_server_pid", []int64{1}}, {"callback_server_pid_size", uint64(1)},
				{"num_aliased_data_outputs", uint64(1)}}, `unknown key "num_aliased_data_outputs"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := contract.Decode(c.attrs)
			check.Error(t, err, c.want)
			check.Diff(t, "config", contract.Config{}, got)
		})
	}
	for _, c := range []struct {
		config contract.Config
		want   string
	}{
		{contract.Config{Form: contract.Call, Host: contract.Host{Opaque: id3}}, "needs another encoding"},
		{contract.Config{Form: contract.Call, Callback: "f", Host: contract.Host{Server: id3}},
			"needs another encoding"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: 9, Opaque: id3}}, "there is no encoding 9"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords}, Callback: "f"},
			"holds an id and nothing else"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3},
			Effect: "io"},
			"holds an id and nothing else"},
		{contract.Config{Form: contract.Observe, Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3}},
			"has no observe form"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords}, ID: 7},
			"is for opaque ids"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingServer}},
			"is for opaque ids"},
		{contract.Config{Form: contract.Passthrough, Host: contract.Host{Encoding: contract.EncodingOperand}, ID: 7},
			"is for calls"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingOperand, Opaque: id3}},
			"its id is a number"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingOperand}, ID: -7},
			"not positive"},
		{contract.Config{Form: contract.Passthrough, Host: contract.Host{Encoding: contract.EncodingServer,
			Opaque: id3}},
			"0 results that pass operands through"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id3,
			Aliased: 1}}, "1 results"},
		{contract.Config{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id3,
			Aliased: 1}}, "1 results"},
	} {
		check.Error(t, c.config.Validate(), c.want)
	}
}

func TestOpaqueName(t *testing.T) {
	check.Diff(t, "Name", "opaque id 0100ff", contract.Config{Host: contract.Host{Opaque: id3}}.Name())
	check.Diff(t, "Name", "opaque id 6964 of server 736572766572", opaque.Name())
}
