package contract_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// byName and byID together have every field set.
var (
	byName = contract.Config{
		Form: contract.Passthrough, Callback: "log", Signature: "f73cfbb21f2ae831", Registry: "main",
		NumIDs: 2, NumTokens: 1, Effect: "io", Policy: "once", Transforms: "vmap(8)", Loc: "main.go:12",
		Optional: true, Every: 10,
	}
	byID   = contract.Config{Form: contract.Observe, ID: 7}
	legacy = contract.Config{Form: contract.Call, Callback: "f",
		Legacy: contract.Legacy{Version: 3, Opaque: "a\x00\xff", Tuples: "(.)->."}}
	derived = contract.Config{Form: contract.Pure, Callback: "f",
		Derivative: contract.Derivative{JVP: "j", VJP: "@v", Transpose: "t"},
		Batching:   contract.Batching{Method: "b", Parallel: "*."}}
	// opaque has the fields of the further encodings.
	opaque = contract.Config{Form: contract.Passthrough, Host: contract.Host{Opaque: "id", Server: "server",
		Encoding: contract.EncodingServer, Aliased: 2}}
)

func TestAttrs(t *testing.T) {
	for _, c := range []struct {
		name   string
		config contract.Config
		want   []contract.Attr
	}{
		{"by name", byName, []contract.Attr{
			{"callback", "log"}, {"effect", "io"}, {"every", int64(10)}, {"form", "passthrough"}, {"loc", "main.go:12"},
			{"n_ids", int64(2)}, {"n_tokens", int64(1)}, {"optional", true}, {"policy", "once"}, {"registry", "main"},
			{"signature", "f73cfbb21f2ae831"}, {"transforms", "vmap(8)"}, {"v", int64(1)},
		}},
		{"by id", byID, []contract.Attr{{"callback_id", int64(7)}, {"form", "observe"}, {"v", int64(1)}}},
		{"legacy", legacy, []contract.Attr{
			{"callback", "f"}, {"form", "call"}, {"legacy", int64(3)}, {"legacy_opaque", "6100ff"},
			{"legacy_tuples", "(.)->."}, {"v", int64(2)},
		}},
		{"derived", derived, []contract.Attr{
			{"batch", "b"}, {"callback", "f"}, {"form", "pure"}, {"jvp", "j"}, {"parallel", "*."},
			{"transpose", "t"}, {"v", int64(4)}, {"vjp", "@v"},
		}},
		{"least", contract.Config{Form: contract.Pure, Callback: "f"}, []contract.Attr{
			{"callback", "f"}, {"form", "pure"}, {"v", int64(1)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := roundTrip(t, c.config, c.want)
			slices.Reverse(got)
			back, err := contract.Decode(got)
			check.NoError(t, err)
			check.Diff(t, "Decode, in another order", c.config, back)
		})
	}
}

// roundTrip converts a configuration to its attributes and back, and returns the attributes.
func roundTrip(t *testing.T, config contract.Config, want []contract.Attr) []contract.Attr {
	t.Helper()
	got, err := config.Attrs()
	check.NoError(t, err)
	check.Diff(t, "Attrs", want, got)
	back, err := contract.Decode(got)
	check.NoError(t, err)
	check.Diff(t, "Decode", config, back)
	return got
}

// The tests above set every field and every key.
func TestEveryFieldAndKeyIsTested(t *testing.T) {
	for i := range reflect.TypeFor[contract.Config]().NumField() {
		if reflect.ValueOf(byName).Field(i).IsZero() && reflect.ValueOf(byID).Field(i).IsZero() &&
			reflect.ValueOf(opaque).Field(i).IsZero() && reflect.ValueOf(legacy).Field(i).IsZero() &&
			reflect.ValueOf(derived).Field(i).IsZero() {
			t.Errorf("no test sets %s", reflect.TypeFor[contract.Config]().Field(i).Name)
		}
	}
	var keys []string
	for _, c := range []contract.Config{byName, byID, legacy, derived} {
		attrs, err := c.Attrs()
		check.NoError(t, err)
		for _, a := range attrs {
			keys = append(keys, a.Key)
		}
	}
	slices.Sort(keys)
	_, err := contract.Decode([]contract.Attr{{"nonsense", true}})
	check.Error(t, err, `unknown key "nonsense" in backend_config; known are `+strings.Join(slices.Compact(keys), ", "))
}

// Each field alone.
func TestRoundTripOfEveryField(t *testing.T) {
	full := reflect.ValueOf(byName)
	for i := range full.NumField() {
		name := full.Type().Field(i).Name
		if !reflect.ValueOf(opaque).Field(i).IsZero() && name != "Form" {
			continue // see TestEncodings
		}
		t.Run(name, func(t *testing.T) {
			config := contract.Config{Form: contract.Passthrough, Callback: "f"}
			if name == "ID" {
				config = byID
			} else {
				reflect.ValueOf(&config).Elem().Field(i).Set(full.Field(i))
			}
			attrs, err := config.Attrs()
			check.NoError(t, err)
			back, err := contract.Decode(attrs)
			check.NoError(t, err)
			check.Diff(t, "Decode", config, back)
		})
	}
}

// A key with its zero value is the same as no key.
func TestDecodeZeroValues(t *testing.T) {
	got, err := contract.Decode([]contract.Attr{
		{"v", int64(1)}, {"form", "observe"}, {"callback", ""}, {"signature", ""}, {"callback_id", int64(7)},
		{"registry", ""},
		{"n_ids", int64(0)}, {"n_tokens", int64(0)}, {"effect", ""}, {"policy", ""}, {"transforms", ""}, {"loc", ""},
		{"optional", false}, {"every", int64(0)},
	})
	check.NoError(t, err)
	check.Diff(t, "Decode", byID, got)
}

func TestDecodeErrors(t *testing.T) {
	v, form, name := contract.Attr{"v", int64(1)}, contract.Attr{"form", "call"}, contract.Attr{"callback", "f"}
	for _, c := range []struct {
		name  string
		attrs []contract.Attr
		want  string
	}{
		{"no version", []contract.Attr{form, name}, `lacks the key "v"`},
		{"no form", []contract.Attr{v, name}, `lacks the key "form"`},
		{"neither binding", []contract.Attr{v, form},
			`needs a name (key "callback") or a positive id (key "callback_id")`},
		{"both bindings", []contract.Attr{v, form, name, {"callback_id", int64(3)}}, `callback "f" has the id 3 too`},
		{"empty name", []contract.Attr{v, form, {"callback", ""}}, `needs a name`},
		{"id zero", []contract.Attr{v, form, {"callback_id", int64(0)}}, "a positive id"},
		{"negative id", []contract.Attr{v, form, {"callback_id", int64(-1)}}, "a positive id"},
		{"name and negative id", []contract.Attr{v, form, name, {"callback_id", int64(-1)}}, "has the id -1 too"},
		{"signature of an id", []contract.Attr{v, form, {"callback_id", int64(1)}, {"signature", "00"}},
			"bound by name"},
		{"unknown key", []contract.Attr{v, form, name, {"Effect", "io"}}, `unknown key "Effect"`},
		{"empty key", []contract.Attr{v, form, name, {"", "io"}}, `unknown key ""`},
		{"twice", []contract.Attr{v, form, name, {"every", int64(1)}, {"every", int64(1)}}, `"every" occurs twice`},
		{"version twice", []contract.Attr{v, form, name, v}, `"v" occurs twice`},
		{"unknown form", []contract.Attr{v, {"form", "tap"}, name},
			`no form "tap": it is passthrough, observe, call or pure`},
		{"empty form", []contract.Attr{v, {"form", ""}, name}, `no form ""`},
		{"no such version", []contract.Attr{{"v", int64(0)}, form, name},
			"states version 0 of the callback contract, and the first version is 1"},
		{"newer version", []contract.Attr{{"v", int64(contract.Version + 1)}, form, name}, "needs version 5 of the callback contract, and this release of Calliope reads versions 1 to 4: use a newer release"},
		{"newer version with a new key, in order", []contract.Attr{name, {"colour", "red"}, form, {"v", int64(5)}},
			"version 5"},
		{"version as text", []contract.Attr{{"v", "1"}, form, name}, `the key "v" is an i64, not "1" (string)`},
		{"version of another width", []contract.Attr{{"v", int32(1)}, form, name},
			`the key "v" is an i64, not 1 (int32)`},
		{"version as an array", []contract.Attr{{"v", []int64{1}}, form, name},
			`the key "v" is an i64, not []int64{1} ([]int64)`},
		{"version without value", []contract.Attr{{"v", nil}, form, name}, `the key "v" is an i64`},
		{"negative n_ids", []contract.Attr{v, form, name, {"n_ids", int64(-1)}}, "n_ids -1"},
		{"negative n_tokens", []contract.Attr{v, form, name, {"n_tokens", int64(math.MinInt32)}},
			"n_tokens -2147483648"},
		{"every of a call", []contract.Attr{v, {"form", "pure"}, name, {"every", int64(2)}},
			"cannot be called every 2-th time only"},
		{"negative every", []contract.Attr{v, form, name, {"every", int64(-5)}}, "every -5"},
		{"NUL in callback", []contract.Attr{v, form, {"callback", "a\x00b"}}, `"a\x00b" contains a NUL`},
		{"NUL in signature", []contract.Attr{v, form, name, {"signature", "\x00"}}, "contains a NUL"},
		{"NUL in registry", []contract.Attr{v, form, name, {"registry", "\x00"}}, "contains a NUL"},
		{"NUL in effect", []contract.Attr{v, form, name, {"effect", "\x00"}}, "contains a NUL"},
		{"NUL in policy", []contract.Attr{v, form, name, {"policy", "\x00"}}, "contains a NUL"},
		{"NUL in transforms", []contract.Attr{v, form, name, {"transforms", "\x00"}}, "contains a NUL"},
		{"NUL in loc", []contract.Attr{v, form, name, {"loc", "\x00"}}, "contains a NUL"},
		{"NUL in a derivative", []contract.Attr{{"v", int64(3)}, {"form", "pure"}, name, {"jvp", "\x00"}},
			"contains a NUL"},
		{"derivative of a tap", []contract.Attr{{"v", int64(3)}, {"form", "observe"}, name, {"vjp", "g"}},
			"cannot have a derivative"},
		{"NUL in form", []contract.Attr{v, {"form", "call\x00"}, name}, `no form "call\x00"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := contract.Decode(c.attrs)
			check.Error(t, err, c.want)
			check.Diff(t, "config", contract.Config{}, got)
		})
	}
}

// Every key, with a value of every other type.
func TestDecodeWrongTypes(t *testing.T) {
	kinds := map[string]string{
		"form": "a string", "callback": "a string", "signature": "a string", "registry": "a string",
		"effect": "a string",
		"policy": "a string", "transforms": "a string", "loc": "a string", "callback_id": "an i64", "every": "an i64",
		"n_ids": "an i64 that counts operands", "n_tokens": "an i64 that counts operands", "optional": "a bool",
		"v": "an i64",
	}
	values := []any{"x", true, int64(1), int(1), int32(1), uint64(1), 1.5, []int64{1}, []byte("x"), contract.Call, nil}
	for key, kind := range kinds {
		right := map[string]any{"a string": "x", "a bool": true}[kind]
		if right == nil {
			right = int64(1)
		}
		for _, value := range values {
			if reflect.TypeOf(value) == reflect.TypeOf(right) {
				continue
			}
			_, err := contract.Decode([]contract.Attr{{key, value}})
			check.Error(t, err, "the key \""+key+"\" is "+kind+", not ")
		}
	}
}

// An int may be shorter than the module's i64: then the number is an error, and is not cut.
func TestDecodeLengthBeyondInt(t *testing.T) {
	const n = int64(1)<<32 + 1
	for _, key := range []string{"n_ids", "n_tokens"} {
		config, err := contract.Decode([]contract.Attr{{"v", int64(1)}, {"form", "call"}, {"callback", "f"}, {key, n}})
		if n > math.MaxInt {
			check.Error(t, err, key)
			continue
		}
		check.NoError(t, err)
		check.Diff(t, key, n, int64(config.NumIDs+config.NumTokens))
		_, _, _, err = config.Split(3)
		check.Error(t, err, "only 3 operands")
	}
}

func TestAttrsOfInvalidConfig(t *testing.T) {
	for _, c := range []struct {
		config contract.Config
		want   string
	}{
		{contract.Config{}, `no form ""`},
		{contract.Config{Form: contract.Call}, "needs a name"},
		{contract.Config{Form: contract.Call, Callback: "f", ID: 1}, "has the id 1 too"},
		{contract.Config{Form: contract.Call, Callback: "f", NumIDs: -1}, "n_ids -1"},
		{contract.Config{Form: contract.Call, Callback: "f\x00"}, "NUL"},
	} {
		attrs, err := c.config.Attrs()
		check.Error(t, err, c.want)
		check.Diff(t, "attrs", []contract.Attr(nil), attrs)
		check.Diff(t, "Validate", err.Error(), c.config.Validate().Error())
	}
}

func TestSplit(t *testing.T) {
	type parts struct{ Data, IDs, Tokens int }
	for _, c := range []struct {
		name           string
		ids, tokens, n int
		want           parts
		err            string
	}{
		{name: "nothing"},
		{name: "data only", n: 3, want: parts{3, 0, 0}},
		{name: "all three", ids: 1, tokens: 2, n: 5, want: parts{2, 1, 2}},
		{name: "no data", ids: 1, tokens: 1, n: 2, want: parts{0, 1, 1}},
		{name: "too few", ids: 1, tokens: 1, n: 1,
			err: `callback "f" states 1 ids and 1 tokens, but has only 1 operands`},
		{name: "too many ids", ids: 2, n: 1, err: "2 ids"},
		{name: "too many tokens", tokens: 2, n: 1, err: "2 tokens"},
		{name: "sum overflows", ids: math.MaxInt, tokens: math.MaxInt, n: 4, err: "only 4 operands"},
		{name: "sum overflows to zero", ids: math.MaxInt, tokens: math.MaxInt, n: 0, err: "only 0 operands"},
		{name: "negative ids", ids: -1, n: 4, err: "-1 ids"},
		{name: "negative tokens", tokens: -1, n: 4, err: "-1 tokens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := contract.Config{Form: contract.Call, Callback: "f", NumIDs: c.ids, NumTokens: c.tokens}
			var got parts
			var err error
			got.Data, got.IDs, got.Tokens, err = config.Split(c.n)
			if c.err != "" {
				check.Error(t, err, c.err)
			} else {
				check.NoError(t, err)
			}
			check.Diff(t, "parts", c.want, got)
		})
	}
}

func TestForm(t *testing.T) {
	for _, c := range []struct {
		form       contract.Form
		target     string
		sideEffect bool
	}{
		{contract.Passthrough, "calliope_io_callback", true},
		{contract.Observe, "calliope_io_callback", true},
		{contract.Call, "calliope_runtime_call", true},
		{contract.Pure, "calliope_runtime_call", false},
	} {
		check.Diff(t, "Target", c.target, c.form.Target())
		check.Diff(t, "HasSideEffect", c.sideEffect, c.form.HasSideEffect())
		check.NoError(t, contract.Config{Form: c.form, ID: 1}.Validate())
	}
}

func TestName(t *testing.T) {
	check.Diff(t, "Name", "log", byName.Name())
	check.Diff(t, "ByName", true, byName.ByName())
	check.Diff(t, "Name", "id 7", byID.Name())
	check.Diff(t, "ByName", false, byID.ByName())
}

// Decode returns a valid Config, which Attrs writes again as it was, or an error of one line.
// kind selects the type of the value of one further key.
func FuzzDecode(f *testing.F) {
	f.Add("log", int64(0), "call", int64(1), "n_ids", "x", int64(3), byte(1))
	f.Add("", int64(5), "observe", int64(1), "optional", "", int64(0), byte(2))
	f.Add("", int64(5), "pure", int64(2), "colour", "red", int64(0), byte(0))
	f.Add("a\x00", int64(-4), "tap", int64(1), "v", "1", int64(1), byte(3))
	f.Fuzz(func(t *testing.T, callback string, id int64, form string, version int64, key, text string, n int64,
		kind byte) {
		attrs := []contract.Attr{
			{"callback", callback}, {"callback_id", id}, {"form", form}, {"v", version},
			{key, []any{text, n, n%2 == 0, []int64{n}, nil}[kind%5]},
		}
		config, err := contract.Decode(attrs)
		if err != nil {
			check.Error(t, err, "")
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			check.Diff(t, "config", contract.Config{}, config)
			return
		}
		check.NoError(t, config.Validate())
		again, err := config.Attrs()
		check.NoError(t, err)
		if !slices.IsSortedFunc(again, func(a, b contract.Attr) int { return strings.Compare(a.Key, b.Key) }) {
			t.Errorf("not in order: %v", again)
		}
		back, err := contract.Decode(again)
		check.NoError(t, err)
		check.Diff(t, "Decode", config, back)
		for _, operands := range []int{0, 1, 5} {
			data, ids, tokens, err := config.Split(operands)
			if err == nil && (data < 0 || ids < 0 || tokens < 0 || data+ids+tokens != operands) {
				t.Errorf("Split(%d) is %d, %d, %d", operands, data, ids, tokens)
			}
		}
	})
}
