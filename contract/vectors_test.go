package contract_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/text/words"
	"github.com/calliope-mlir/calliope/tensor"
)

// vectors has the test vectors of one version of the contract. docs/contract.md describes
// them. Each implementation must agree with them.
type vectors struct {
	Contract int
	About    string
	Forms    []struct {
		Encoding, Form, Target string
		Effect                 bool `json:"has_side_effect"`
	}
	Canonical, Readable []struct {
		Name   string
		Config vectorConfig
		Attrs  []vectorAttr
	}
	Refused []struct {
		Name       string
		Attrs      []vectorAttr
		Error, Key string
	}
	Unwritable []struct {
		Name   string
		Config vectorConfig
		Error  string
	}
	Operands []struct {
		IDs      int `json:"n_ids"`
		Tokens   int `json:"n_tokens"`
		Operands int
		Data     int
		Error    string
	}
	Signatures []struct {
		Operands, Results []string
		Signature, Hash   string
	}
	Words    []struct{ Bytes, Words any }
	BadWords []struct {
		Words []string
		Size  uint64 `json:",string"`
	} `json:"bad_words"`
}

// vectorErrors has this implementation's message for each kind of error.
var vectorErrors = map[string]string{
	"missing-key":      "lacks the key %q",
	"unknown-key":      "unknown key %q",
	"duplicate-key":    "the key %q occurs twice",
	"wrong-type":       "the key %q is ",
	"newer-version":    "use a newer release",
	"no-such-version":  "the first version is 1",
	"unknown-form":     "there is no form",
	"bad-binding":      "needs a name|has the id|is bound by name|opaque id",
	"bad-count":        "cannot be negative|cannot be called every|results that pass operands",
	"nul":              "contains a NUL",
	"bad-words":        "words cannot hold exactly",
	"not-in-encoding":  "holds an id and nothing else|has no observe form|is for calls",
	"too-few-operands": "but has only",
	"newer-key":        "the key %q was added in version",
	"bad-derivative":   "cannot have a derivative",
	"bad-parallel":     "cannot be called in parallel|has the key parallel",
	"bad-legacy":       "there is no legacy custom call|without the key \"legacy\"|use the form call or pure",
	"bad-tuples":       "is no legacy_tuples",
}

func wantVectorError(t *testing.T, err error, kind, key string) {
	t.Helper()
	text, ok := vectorErrors[kind]
	if !ok {
		t.Fatalf("there is no error %q", kind)
	}
	if strings.Contains(text, "%q") {
		text = fmt.Sprintf(text, key)
	}
	for part := range strings.SplitSeq(text, "|") {
		if err != nil && strings.Contains(err.Error(), part) {
			return
		}
	}
	t.Errorf("the error is %v, want %s: %s", err, kind, text)
}

func TestVectors(t *testing.T) {
	for version := 1; version <= contract.Version; version++ {
		data, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("v%d.json", version)))
		check.NoError(t, err)
		var v vectors
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.DisallowUnknownFields()
		check.NoError(t, d.Decode(&v))
		check.Diff(t, "version", version, v.Contract)
		t.Run(strconv.Itoa(version), v.test)
	}
}

func (v vectors) test(t *testing.T) {
	for _, f := range v.Forms {
		form := contract.Form(f.Form)
		check.Diff(t, "target", f.Target, encodingOf(t, f.Encoding).Target(form))
		check.Diff(t, "side effect", f.Effect, form.HasSideEffect())
	}
	for _, c := range v.Canonical {
		t.Run("canonical/"+c.Name, func(t *testing.T) {
			config := c.Config.of(t)
			want := attrsOf(t, c.Attrs)
			got, err := config.Attrs()
			check.NoError(t, err)
			check.Diff(t, "Attrs", want, got)
			back, err := contract.Decode(want)
			check.NoError(t, err)
			check.Diff(t, "Decode", config, back)
		})
	}
	for _, c := range v.Readable {
		t.Run("readable/"+c.Name, func(t *testing.T) {
			got, err := contract.Decode(attrsOf(t, c.Attrs))
			check.NoError(t, err)
			check.Diff(t, "Decode", c.Config.of(t), got)
		})
	}
	for _, c := range v.Refused {
		t.Run("refused/"+c.Name, func(t *testing.T) {
			got, err := contract.Decode(attrsOf(t, c.Attrs))
			wantVectorError(t, err, c.Error, c.Key)
			check.Diff(t, "config", contract.Config{}, got)
		})
	}
	for _, c := range v.Unwritable {
		t.Run("unwritable/"+c.Name, func(t *testing.T) {
			_, err := c.Config.of(t).Attrs()
			wantVectorError(t, err, c.Error, "")
		})
	}
	for _, c := range v.Operands {
		data, ids, tokens, err := contract.Config{Form: contract.Call, Callback: "f", NumIDs: c.IDs,
			NumTokens: c.Tokens}.Split(c.Operands)
		if c.Error != "" {
			wantVectorError(t, err, c.Error, "")
			continue
		}
		check.NoError(t, err)
		check.Diff(t, "operands", []int{c.Data, c.IDs, c.Tokens}, []int{data, ids, tokens})
	}
	for _, c := range v.Signatures {
		check.Diff(t, "signature", c.Signature, contract.Signature(shapesOf(t, c.Operands), shapesOf(t, c.Results)))
		check.Diff(t, "hash of "+c.Signature, c.Hash, contract.SignatureHash(c.Signature))
	}
	for _, c := range v.Words {
		bytes, want := unhex(t, c.Bytes.(string)), integers(t, c.Words)
		check.Diff(t, "words", want, words.Pack(bytes))
		back, err := words.Unpack(want, uint64(len(bytes)))
		check.NoError(t, err)
		check.Diff(t, "bytes", bytes, back)
	}
	for _, c := range v.BadWords {
		_, err := words.Unpack(integers(t, c.Words), c.Size)
		wantVectorError(t, err, "bad-words", "")
	}
}

// A vectorConfig is a Config with the names of the specification. Bytes are in hex.
type vectorConfig struct {
	Encoding, Form                             string
	Callback, Signature, Registry, Effect, Loc string
	Policy, Transforms                         string
	Opaque, Server                             string
	ID                                         int64 `json:"callback_id,string"`
	Every                                      int64 `json:",string"`
	NumIDs                                     int   `json:"n_ids"`
	NumTokens                                  int   `json:"n_tokens"`
	Optional                                   bool
	Aliased                                    int
	Legacy                                     int64  `json:",string"`
	LegacyOpaque                               string `json:"legacy_opaque"`
	LegacyTuples                               string `json:"legacy_tuples"`
	JVP, VJP, Transpose, Batch, Parallel       string
}

func (c vectorConfig) of(t *testing.T) contract.Config {
	return contract.Config{
		Form: contract.Form(c.Form), Callback: c.Callback, Signature: c.Signature, ID: c.ID, Registry: c.Registry,
		NumIDs: c.NumIDs, NumTokens: c.NumTokens, Effect: c.Effect, Policy: contract.Policy(c.Policy),
		Transforms: c.Transforms, Loc: c.Loc, Optional: c.Optional, Every: c.Every,
		Host: contract.Host{Encoding: encodingOf(t, c.Encoding), Opaque: unhex(t, c.Opaque), Server: unhex(t, c.Server),
			Aliased: c.Aliased},
		Legacy: contract.Legacy{Version: c.Legacy, Opaque: unhex(t, c.LegacyOpaque), Tuples: c.LegacyTuples},
		Derivative: contract.Derivative{
			JVP: contract.Rule(c.JVP), VJP: contract.Rule(c.VJP), Transpose: contract.Rule(c.Transpose)},
		Batching: contract.Batching{Method: contract.BatchMethod(c.Batch), Parallel: c.Parallel},
	}
}

// A vectorAttr is one entry of a backend_config. Integers are in quotes, because not every
// JSON reader has numbers of 64 bits.
type vectorAttr struct {
	Key, Type string
	Value     any
}

func attrsOf(t *testing.T, list []vectorAttr) []contract.Attr {
	var out []contract.Attr
	for _, a := range list {
		attr := contract.Attr{Key: a.Key, Value: a.Value}
		switch a.Type {
		case "string", "bool":
		case "i64":
			attr.Value = integer(t, a.Value)
		case "i32":
			attr.Value = int32(integer(t, a.Value))
		case "ui64":
			n, err := strconv.ParseUint(a.Value.(string), 10, 64)
			check.NoError(t, err)
			attr.Value = n
		case "array<i64>":
			attr.Value = integers(t, a.Value)
		default:
			t.Fatalf("there is no type %q", a.Type)
		}
		out = append(out, attr)
	}
	return out
}

func integer(t *testing.T, v any) int64 {
	n, err := strconv.ParseInt(v.(string), 10, 64)
	check.NoError(t, err)
	return n
}

func integers(t *testing.T, v any) []int64 {
	out := []int64{}
	switch v := v.(type) {
	case []any:
		for _, n := range v {
			out = append(out, integer(t, n))
		}
	case []string:
		for _, n := range v {
			out = append(out, integer(t, n))
		}
	}
	return out
}

func encodingOf(t *testing.T, name string) contract.Encoding {
	if name == "" {
		name = "dictionary"
	}
	for e := contract.EncodingDictionary; e <= contract.EncodingServer; e++ {
		if e.String() == name {
			return e
		}
	}
	t.Fatalf("there is no encoding %q", name)
	return 0
}

func shapesOf(t *testing.T, list []string) []tensor.Shape {
	var out []tensor.Shape
	for _, text := range list {
		s, err := tensor.ParseShape(text)
		check.NoError(t, err)
		out = append(out, s)
	}
	return out
}

func unhex(t *testing.T, text string) string {
	b, err := hex.DecodeString(text)
	check.NoError(t, err)
	return string(b)
}
