package mlir_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// artifact is a portable artifact of StableHLO 1.9.0.
func artifact(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../tests/testdata/modules/layernorm_swish_portable_1_9_0.mlirbc")
	check.NoError(t, err)
	return data
}

// otherProducer returns an artifact that another program than StableHLO's library wrote, as
// far as it states.
func otherProducer(t testing.TB) []byte {
	data := bytes.Replace(artifact(t), []byte("StableHLO_v1.9.0"), []byte("MLIR19.0.0-trunk"), 1)
	if bytes.Equal(data, artifact(t)) {
		t.Fatal("the artifact does not state its producer")
	}
	return data
}

func TestIsPortableArtifact(t *testing.T) {
	c := mlirtest.Context(t)
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile("../tests/testdata/modules/" + name)
		check.NoError(t, err)
		return data
	}
	for _, test := range []struct {
		what               string
		data               []byte
		bytecode, artifact bool
	}{
		{"an artifact", artifact(t), true, true},
		{"an artifact of jaxlib", read("jax053_export_portable.mlirbc"), true, true},
		{"an artifact with another producer", otherProducer(t), true, true},
		{"bytecode", read("fft_dynslice_bytecode.mlirbc"), true, false},
		{"bytecode of this library", check.Must(mlirtest.Parse(t, c, sumModule).Bytecode()), true, false},
		{"an empty module", check.Must(mlirtest.Parse(t, c, "module {}").Bytecode()), true, false},
		{"text", []byte("module {}"), false, false},
		{"the magic", []byte("ML\xefR"), true, false},
		{"nothing", nil, false, false},
	} {
		check.Diff(t, test.what+": is bytecode", test.bytecode, mlir.IsBytecode(test.data))
		check.Diff(t, test.what+": is an artifact", test.artifact, stablehlo.IsPortableArtifact(test.data))
	}
}

// TestParseArtifactOfOtherProducer parses an artifact that does not name StableHLO.
func TestParseArtifactOfOtherProducer(t *testing.T) {
	c := mlirtest.Context(t)
	want := check.Must(c.Parse("", artifact(t)))
	got := check.Must(c.Parse("", otherProducer(t)))
	check.Diff(t, "the module", want.String(), got.String())
}

func FuzzIsPortableArtifact(f *testing.F) {
	f.Add(artifact(f))
	f.Add(otherProducer(f))
	f.Add([]byte("ML\xefR\x0dx\x00\x81\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) { stablehlo.IsPortableArtifact(data) })
}

// TestNewerArtifact parses an artifact with an operation that no release has. The error
// states both versions.
func TestNewerArtifact(t *testing.T) {
	data := bytes.ReplaceAll(artifact(t), []byte("StableHLO_v1.9.0"), []byte("StableHLO_v9.9.0"))
	m, err := mlirtest.Context(t).Parse("readable.mlirbc", data)
	check.NoError(t, err) // nothing in it is new
	check.NoError(t, m.Close())
	data = bytes.ReplaceAll(data, []byte("add_v1\x00"), []byte("add_v9\x00"))
	_, err = mlirtest.Context(t).Parse("newer.mlirbc", data)
	check.Error(t, err, "add_v9", "; the portable artifact is of StableHLO 9.9.0, and the library reads artifacts up to 1.19.0: write it for that version")
	_, err = mlirtest.Context(t).Parse("same.mlirbc",
		bytes.ReplaceAll(artifact(t), []byte("add_v1\x00"), []byte("add_v9\x00")))
	check.Error(t, err, "add_v9")
	if d, _ := errors.AsType[*mlir.DiagnosticError](err); d == nil || d.Hint != "" {
		t.Errorf("an artifact of an older version has a hint: %v", err)
	}
}
