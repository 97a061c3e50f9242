package fix_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const corpus = "../../tests/testdata/modules"

func mend(t *testing.T, data []byte, analyzers ...*lint.Analyzer) fix.Result {
	t.Helper()
	r, err := fix.Apply(mlirtest.LibraryFor(t, data), "folder/f.mlir", data,
		fix.Options{Options: lint.Options{Analyzers: analyzers}, Texts: true, Unsafe: true})
	check.NoError(t, err)
	return r
}

// Each module of the corpus with old hooks is clean after its repair, in its own form.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	ran := 0
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if row["legacy_hooks"] == "no" || row["legacy_hooks"] == "-" || row["kind"] == "bad" {
			continue
		}
		ran++
		t.Run(row["file"], func(t *testing.T) {
			data := check.Must(os.ReadFile(filepath.Join(corpus, row["file"])))
			r := mend(t, data, rules.All()...)
			check.Diff(t, "left", 0, len(r.Left))
			check.Diff(t, "bytecode", mlir.IsBytecode(data), mlir.IsBytecode(r.Data))
			if !r.Changed || len(r.Fixed) == 0 {
				t.Error("nothing was repaired")
			}
			for _, d := range r.Found {
				if d.Severity == finding.Error {
					t.Error(d)
				}
			}
			if strings.Contains(string(r.After), "!stablehlo.token") {
				t.Errorf("tokens are left:\n%s", r.After)
			}
			again := mend(t, r.Data, rules.All()...)
			check.Diff(t, "changed again", false, again.Changed)
			check.Diff(t, "data", string(r.Data), string(again.Data))
		})
	}
	if ran < 10 {
		t.Errorf("only %d modules ran", ran)
	}
}

const hook = `module @model attributes {mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<f32>) -> tensor<f32> { // the program
    %t = stablehlo.create_token : !stablehlo.token
    // a hook
    %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return %x : tensor<f32>
  }
}
`

// A module that is migrated has other hooks, and is else as it was.
func TestMigrateText(t *testing.T) {
	const (
		signature = `signature = "678eb138d5f242b5", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>`
		callback  = `%u = stablehlo.custom_call @calliope_io_callback(%x, %t) {api_version = 4 : i32, backend_config = {callback = "outfeed_0", form = "observe", loc = "f.mlir:5", n_tokens = 1 : i64, ` + signature
		outfeed   = `%u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token`
		create    = "%t = stablehlo.create_token : !stablehlo.token"
		first     = "%t = stablehlo.constant dense<0> : tensor<1xi8>"
	)
	lines := func(names ...string) *strings.Replacer { return strings.NewReplacer(names...) }
	for _, test := range []struct {
		name string
		text *strings.Replacer // of hook
		want []string          // replaces some of the result's text
	}{
		{"plain", lines(), nil},
		{"comments at the top", lines("module", "// one\n// two\n\nmodule"), []string{"mlir:5", "mlir:8"}},
		{"CRLF", lines("\n", "\r\n"), nil},
		{"byte order mark", lines("module", "\ufeff// one\nmodule"), []string{"mlir:5", "mlir:6"}},
		{"several operations on a line", lines("token\n    // a hook\n    ", "token "), []string{"mlir:5", "mlir:3"}},
		{"no line of its own", lines("// the program\n    %t", "%t"), []string{"mlir:5", "mlir:4"}},
		{"over lines", lines("(%x, %t) :", "(%x, // the value\n      %t) // the token\n      :"),
			[]string{"    %u", "    // the value\n    // the token\n    %u"}},
		{"a location", lines("token\n    ret", "token loc(\"model.py\":3:4)\n    ret"),
			[]string{"f.mlir:5", "model.py:3", "1xi8>\n    ret", "1xi8> loc(\"model.py\":3:4)\n    ret"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := test.text.Replace(hook)
			want := strings.NewReplacer(create, first, outfeed, callback).Replace(before)
			if test.name == "over lines" {
				want = strings.NewReplacer(create, first, outfeed, callback).Replace(hook)
			}
			r := mend(t, []byte(before), rules.All()...)
			check.Diff(t, "left and found", 0, len(r.Left)+len(r.Found))
			check.Diff(t, "fixed", 2, len(r.Fixed))
			check.Diff(t, "printed anew", "", r.Anew)
			check.Diff(t, "text", strings.NewReplacer(test.want...).Replace(want), string(r.Data))
		})
	}
}

// Bytecode stays bytecode of its version.
func TestBytecode(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), hook)
	for _, version := range []int{1, 3, 6} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			data := check.Must(m.Operation().BytecodeVersion(version))
			r := mend(t, data, rules.All()...)
			check.Diff(t, "left and found", 0, len(r.Left)+len(r.Found))
			check.Diff(t, "printed anew", "", r.Anew)
			check.Diff(t, "version", data[:5], r.Data[:5])
			if !bytes.Contains(r.Before, []byte("outfeed\"(")) || bytes.Contains(r.After, []byte("outfeed\"(")) {
				t.Errorf("texts:\n%s\n%s", r.Before, r.After)
			}
		})
	}
}

// An artifact keeps its version, or gets the lowest later one that has everything in it.
func TestArtifact(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), hook)
	for _, test := range []struct{ own, want string }{{"1.10.0", "1.10.0"}, {"1.0.0", "1.3.0"}, {"0.9.0", "1.3.0"}} {
		t.Run(test.own, func(t *testing.T) {
			data := check.Must(stablehlo.PortableArtifact(m, test.own))
			r := mend(t, data, rules.All()...)
			check.Diff(t, "left and found", 0, len(r.Left)+len(r.Found))
			check.Diff(t, "artifact", true, stablehlo.IsPortableArtifact(r.Data))
			producer, _, _ := strings.Cut(string(r.Data[5:]), "\x00")
			check.Diff(t, "version", "StableHLO_v"+test.want, producer)
			var notes []string
			if test.own != test.want {
				notes = []string{"StableHLO " + test.own + " cannot express the result: written as an artifact of " +
					test.want}
			}
			check.Diff(t, "notes", notes, r.Notes)
		})
	}
}

// What cannot be repaired is left, with its place and the reason.
func TestLeft(t *testing.T) {
	const text = `func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.create_token : !stablehlo.token
  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %o = "stablehlo.outfeed"(%a, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %b : tensor<f32>
  }
  %dead = stablehlo.create_token : !stablehlo.token // one
  return %r : tensor<f32>
}
`
	r := mend(t, []byte(text), rules.All()...)
	var left []string
	for _, d := range r.Left {
		left = append(left, fmt.Sprintf("%d:%d %.44s", d.Line, d.Column, d.Message))
	}
	check.Diff(t, "left", []string{
		"3:8 stablehlo.create_token creates a token that ",
		"5:10 stablehlo.outfeed sends values to a host que",
	}, left)
	check.Diff(t, "fixed", 1, len(r.Fixed))
	check.Diff(t, "text", strings.Replace(text, "  %dead = stablehlo.create_token : !stablehlo.token // one",
		"  // one", 1), string(r.Data))
}

// A repair of an operation that has no text of its own prints the module anew.
func TestNotLocal(t *testing.T) {
	const text = `// top
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32> // zero
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
`
	r := mend(t, []byte(text), &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.add") {
			if _, ok := op.Attribute("x.y"); !ok {
				p.ReportFix(op, finding.Note, finding.Fix{Set: map[string]string{"x.y": "1 : i32"}}, "m")
			}
		}
		return nil
	}})
	check.Diff(t, "printed anew", "stablehlo.add in line 4, column 24, has no text of its own, so the module is printed anew; 1 comment inside is lost", r.Anew)
	if !strings.HasPrefix(string(r.Data), "// top\n") || !strings.Contains(string(r.Data), "x.y = 1 : i32") {
		t.Errorf("the text is\n%s", r.Data)
	}
}

// Functions and modules have their attributes after a keyword.
func TestFunctions(t *testing.T) {
	set := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations("func.func", "builtin.module") {
			if _, ok := op.Attribute("x.y"); !ok {
				p.ReportFix(op, finding.Note, finding.Fix{Set: map[string]string{"x.y": "[]"}}, "m")
			}
		}
		return nil
	}}
	for before, after := range map[string]string{
		"module { func.func @f() { return } } // a":                              "module attributes {x.y = []} { func.func @f() attributes {x.y = []} { return } } // a",
		"module attributes {a.b} { func.func @f() attributes {a.b} { return } }": "module attributes {a.b, x.y = []} { func.func @f() attributes {a.b, x.y = []} { return } }",
	} {
		r := mend(t, []byte(before), set)
		check.Diff(t, "text", after, string(r.Data))
		check.Diff(t, "printed anew", "", r.Anew)
	}
}

// The mistakes of rules are errors, and repairs that do not help end.
func TestMistakes(t *testing.T) {
	rounds := 0
	for _, test := range []struct {
		name string
		fix  finding.Fix
		want string // "" for a finding that is left
	}{
		{"used", finding.Fix{Erase: true},
			"repairing stablehlo.create_token: a rule removes it, and its results are used"},
		{"attribute", finding.Fix{Set: map[string]string{"a.b": "["}}, "repairing stablehlo.create_token: "},
		{"nothing", finding.Fix{}, ""},
		{"no help", finding.Fix{Set: map[string]string{"a.b": "1 : i8"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			rule := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
				for op := range p.Operations("stablehlo.create_token") {
					rounds++
					p.ReportFix(op, finding.Note, test.fix, "m")
				}
				return nil
			}}
			r, err := fix.Apply(mlirtest.Library(t), "f", []byte(hook),
				fix.Options{Options: lint.Options{Analyzers: []*lint.Analyzer{rule}}})
			if test.want != "" {
				check.Error(t, err, test.want)
				return
			}
			check.NoError(t, err)
			check.Diff(t, "left", 1, len(r.Left))
			check.Diff(t, "fixed", 0, len(r.Fixed))
		})
	}
	rounds = 0
	endless := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.create_token") {
			rounds++
			p.ReportFix(op, finding.Note, finding.Fix{Set: map[string]string{"a.b": fmt.Sprint(rounds)}}, "m")
		}
		return nil
	}}
	r := mend(t, []byte(hook), endless)
	check.Diff(t, "left", 1, len(r.Left))
	check.Diff(t, "rounds", 12, rounds) // 10, the last check, and that of the text

	_, err := fix.Apply(mlirtest.Library(t), "f", []byte("func.func @f() {"), fix.Options{})
	check.Error(t, err, "the module is not valid: ")
}

// Findings that are not selected are not repaired, and others count by the severity that they get.
func TestSelect(t *testing.T) {
	const text = "func.func @f() {\n  %a = stablehlo.create_token : !stablehlo.token // keep\n  %b = stablehlo.create_token : !stablehlo.token\n  return\n}\n"
	keep := func(data []byte, found []finding.Finding) []finding.Finding {
		lines := strings.Split(string(data), "\n")
		return slices.DeleteFunc(found,
			func(d finding.Finding) bool { return strings.HasSuffix(lines[d.Line-1], "// keep") })
	}
	o := fix.Options{Options: lint.Options{Analyzers: []*lint.Analyzer{rules.CreateToken}}, Select: keep}
	r := check.Must(fix.Apply(mlirtest.Library(t), "f", []byte(text), o))
	check.Diff(t, "text", strings.Replace(text, "  %b = stablehlo.create_token : !stablehlo.token\n", "", 1),
		string(r.Data))
	check.Diff(t, "fixed", 1, len(r.Fixed))
	check.Diff(t, "left and found", 0, len(r.Left)+len(r.Found))
}
