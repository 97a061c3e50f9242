package mlir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

func TestDialectsOf(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"operations", "func.func @f() { %0 = sdy.mesh.x chlo.y\n return }", "chlo func sdy"},
		{"generic form", `"stablehlo.add" (%a, %b)`, "stablehlo"},
		{"types and attributes", "!a.b<c> #d.e !f<g> #h <i> tuple<!j.k> !alias #alias2", "a d f h j"},
		{"names of attributes", "{mhlo.a = 1, sdy.c = #d.e}", "d"},
		{"names of attributes without a value", "{mhlo.a}", "mhlo"},
		{"strings", `"sdy.a" "b\"sdy.c" = "sdy.d(" "\\" loc("sdy.e":1:2)`, ""},
		{"comments", "// sdy.a\nchlo.b // mhlo.c", "chlo"},
		{"symbols and values", "@sdy.a %mhlo.b ^chlo.c", ""},
		{"numbers", "1.0 0x1.8 2.e5", ""},
		{"open string", `"sdy.a`, ""},
		{"open escape", `"sdy.a\`, ""},
		{"bytes", "\xff\x00sdy.a\x80", "sdy"},
	} {
		check.Diff(t, test.name, test.want, strings.Join(mlir.DialectsOf([]byte(test.source)), " "))
	}
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, `func.func @f(%a: tensor<f32>) attributes {sdy.x = "chlo.y"} { %0 = stablehlo.add %a, %a : tensor<f32> return }`)
	data := check.Must(m.Bytecode())
	check.Diff(t, "bytecode", "builtin func stablehlo", strings.Join(mlir.DialectsOf(data), " "))
	for n := range data {
		mlir.DialectsOf(data[:n])
	}
}

// TestMentioned holds that a text mentions each dialect that DialectsOf finds in it.
func TestMentioned(t *testing.T) {
	namespaces := strings.Fields("a d sdy mhlo chlo quant stream stablehlo")
	for _, test := range []struct{ source, want string }{
		{"", ""},
		{".<", ""},
		{"sdy mhlo:", ""},
		{"sdy.mesh x.mhlo.y", "mhlo sdy"},
		{"xsdy.mesh _chlo.a 1quant<", ""},
		{`"chlo.add"() // mhlo.x`, "chlo mhlo"},
		{"!quant<i8> #stream <x>", "quant"},
		{"#d.e a.b", "a d"},
	} {
		found := lex.Mentioned([]byte(test.source), namespaces)
		slices.Sort(found)
		check.Diff(t, test.source, test.want, strings.Join(found, " "))
	}
	files := check.Must(filepath.Glob("../tests/testdata/modules/*.mlir"))
	if len(files) == 0 {
		t.Fatal("there are no modules")
	}
	for _, name := range files {
		source := check.Must(os.ReadFile(name))
		for _, dialect := range mlir.DialectsOf(source) {
			if mentioned := lex.Mentioned(source, []string{"sdy", dialect, "mhlo"}); !slices.Contains(mentioned,
				dialect) {
				t.Errorf("%s: %s is not mentioned", name, dialect)
			}
		}
	}
}

func FuzzDialectsOf(f *testing.F) {
	f.Add([]byte(`"a.b"(!c<d>) // #e.f`))
	f.Add([]byte("ML\xefR\r\x00"))
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, name := range mlir.DialectsOf(source) {
			if name == "" || strings.Contains(name, ".") && !mlir.IsBytecode(source) {
				t.Errorf("%q is not a namespace", name)
			}
			// A space may be between the name of a type and its bracket.
			if spaced := bytes.Contains(source, []byte(name+" ")) || bytes.ContainsAny(source, "\t\r\n"); !spaced &&
				!mlir.IsBytecode(source) && len(lex.Mentioned(source, []string{name})) == 0 {
				t.Errorf("%q is not mentioned", name)
			}
		}
	})
}

func TestOpenFor(t *testing.T) {
	mlirtest.Jaxlib(t) // fetches it
	for _, test := range []struct{ name, source, want string }{
		{"empty", "", "torch-mlir 20261001"},
		{"usual", "func.func @f() { chlo.x }", "torch-mlir 20261001"},
		{"sdy", "func.func @f() { sdy.return }", "torch-mlir 20261001"},
		{"mhlo", "!mhlo.token", "jaxlib 0.5.3"},
		{"unknown", "nobody.has", "torch-mlir 20261001"},
		{"unknown and mhlo", "nobody.has mhlo.return", "jaxlib 0.5.3"},
		{"in no library together", "mhlo.return torch.x", "torch-mlir 20261001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Diff(t, "the library", test.want, check.Must(mlir.OpenFor([]byte(test.source))).Version())
		})
	}
	check.Diff(t, "has sdy", true, mlirtest.Jaxlib(t).HasDialect("sdy"))
	check.Diff(t, "the default library has mhlo", false, mlirtest.Library(t).HasDialect("mhlo"))
	_, err := mlir.Open(mlir.OpenOptions{Path: mlirtest.Library(t).Path(), Dialects: []string{"stablehlo", "mhlo"}})
	check.Error(t, err, "lacks the dialect mhlo", "-fetch jaxlib`")
	check.Diff(t, "the library of a part", "jaxlib 0.5.3",
		check.Must(mlir.Open(mlir.OpenOptions{Part: native.Jaxlib})).Version())
	for _, o := range []mlir.OpenOptions{{Part: native.Jaxlib, Path: "x"}, {Part: native.Jaxlib, Process: true}} {
		_, err = mlir.Open(o)
		check.Error(t, err, "names the MLIR library of jaxlib, and a Path or Process")
	}
	check.Must(native.Ensure(t.Context(), native.PJRTPlugin, native.EnsureOptions{}))
	_, err = mlir.Open(mlir.OpenOptions{Part: native.PJRTPlugin})
	check.Error(t, err, "MLIR")

	t.Setenv(native.MLIR.Env(), mlirtest.Library(t).Path())
	t.Setenv("CALLIOPE_CACHE", t.TempDir())
	_, err = mlir.OpenFor([]byte("mhlo.return"))
	if missing, ok := errors.AsType[*native.NotFoundError](err); !ok || missing.Part != native.Jaxlib {
		t.Errorf("without jaxlib's library: %v", err)
	}
	check.Diff(t, "the library that is set", "", check.Must(mlir.OpenFor([]byte("func.func"))).Version())
}

// A dialect that no known library has is an error, but not one that a module is written in.
func TestOpenUnknownDialect(t *testing.T) {
	path := mlirtest.Library(t).Path()
	_, err := mlir.Open(mlir.OpenOptions{Path: path, Dialects: []string{"func", "stablhlo"}})
	check.Error(t, err, "OpenOptions.Dialects", `"stablhlo" (is it "stablehlo"?)`)
	_, err = mlir.Open(mlir.OpenOptions{Path: path, Dialects: []string{"zzzzzzzz"}})
	check.Error(t, err, `"zzzzzzzz": correct the name`)
	_, err = mlir.OpenFor([]byte(`"zzzzzzzz.op"() : () -> ()`))
	check.NoError(t, err)
}
