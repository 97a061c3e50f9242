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
)

// edited returns a text after edits.
func edited(t *testing.T, data []byte, edits []fix.Edit) []byte {
	t.Helper()
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(data) {
			t.Fatalf("an edit from %d to %d, after %d, of %d", e.Start, e.End, at, len(data))
		}
		b.Write(data[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.Write(data[at:])
	return b.Bytes()
}

// eachEdited applies the edits of each finding alone and checks that the text is valid and no
// longer has the finding. It returns the texts, or "none" for a finding without edits.
func eachEdited(t *testing.T, data []byte, analyzers ...*lint.Analyzer) (texts []string) {
	t.Helper()
	library, o := mlirtest.LibraryFor(t, data), lint.Options{Analyzers: analyzers}
	found := check.Must(lint.Check(library, "f", data, o))
	for i, edits := range check.Must(fix.Edits(library, data, found, analyzers, all)) {
		if edits == nil {
			texts = append(texts, "none")
			continue
		}
		if found[i].Fix == nil {
			t.Errorf("%v has edits and no repair", found[i])
		}
		after := edited(t, data, edits)
		texts = append(texts, string(after))
		now := check.Must(lint.Check(library, "f", after, o))
		if count(now, finding.Invalid, "") > 0 ||
			count(now, found[i].Rule, found[i].Message) >= count(found, found[i].Rule, found[i].Message) {
			t.Errorf("after the edits of %v:\n%s\n%v", found[i], after, now)
		}
	}
	return texts
}

// all wants the edits of all findings.
func all(finding.Finding) bool { return true }

// Only findings that are wanted have edits, and those do not depend on the others.
func TestEditsOfWanted(t *testing.T) {
	data := check.Must(os.ReadFile("../rules/testdata/side_effect.mlir"))
	library := mlirtest.Library(t)
	found := check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: rules.All()}))
	every, some := check.Must(fix.Edits(library, data, found, rules.All(), all)), 0
	for i, d := range found {
		if every[i] == nil {
			continue
		}
		want := make([][]fix.Edit, len(found))
		want[i] = every[i]
		some++
		is := func(other finding.Finding) bool { return other.Line == d.Line && other.Rule == d.Rule }
		check.Diff(t, d.Text(), want, check.Must(fix.Edits(library, data, found, rules.All(), is)))
	}
	if some < 2 {
		t.Errorf("%d findings have edits", some)
	}
}

// count returns the number of findings of a rule with a message, or with any if it is "".
func count(found []finding.Finding, rule, message string) (n int) {
	for _, d := range found {
		if d.Rule == rule && (message == "" || d.Message == message) {
			n++
		}
	}
	return n
}

// The edits of each finding make its repair alone.
func TestEdits(t *testing.T) {
	const (
		none     = "none"
		type1    = " : (tensor<f32>) -> tensor<f32>\n"
		dead     = "%a = stablehlo.create_token : !stablehlo.token\n"
		jax      = `%j = stablehlo.custom_call @f(%x) {backend_config = "", mhlo.backend_config = {a = "b"}}` + type1
		typed    = `%j = stablehlo.custom_call @f(%x) {backend_config = {a = "b"}, api_version = 4 : i32}` + type1
		callback = `%c = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {callback = "c", form = "passthrough", v = 1 : i64}`
		applied  = "%r = stablehlo.reduce(%v init: %x) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
		add      = "%s = stablehlo.add %x, %x : tensor<f32>\n"
		added    = "%s = stablehlo.add %x, %x {x.y = 1 : i32} : tensor<f32>\n"
	)
	// pair returns a call with an alias of the operand and one of two results.
	pair := func(name, path, first string) string {
		return name + `:2 = "stablehlo.custom_call"(%x) <{api_version = 4 : i32, call_target_name = "f", output_operand_aliases = [` +
			"#stablehlo.output_operand_alias<output_tuple_indices = [" + path +
			"], operand_index = 0, operand_tuple_indices = []>]}>" +
			" : (tensor<f32>) -> (" + first + ", tensor<f32>)\n"
	}
	both := pair("%p", "1", "tensor<2xf32>") + pair("%q", "1", "tensor<3xf32>")
	set := each("stablehlo.add", false, finding.Fix{Set: map[string]string{"x.y": "1 : i32"}})
	chain := each("stablehlo.add", false, finding.Fix{Erase: true})
	for _, test := range []struct {
		name, lines string
		rules       []*lint.Analyzer // nil for those of mlir-lint
		want        []string         // for each finding
	}{
		{"an operation", jax, nil, []string{typed}},
		{"an erased operation", dead, nil, []string{""}},
		{"several operations", dead + jax, nil, []string{jax, dead + typed}},
		{"several findings of an operation", callback + "}" + type1, nil, []string{
			callback + ", output_operand_aliases = " + alias + "}" + type1,
			callback + ", has_side_effect = true}" + type1,
		}},
		{"locations", strings.ReplaceAll(dead+jax, "\n", " loc(\"a\")\n"), nil, []string{
			strings.ReplaceAll(jax, "\n", " loc(\"a\")\n"), strings.ReplaceAll(dead+typed, "\n", " loc(\"a\")\n")}},
		{"repairs of the module", dead + "%b = stablehlo.after_all %a, %a : !stablehlo.token\n", nil,
			[]string{none, none}},
		{"a refused text", pair("%p", "", "tensor<2xf32>"), nil, []string{pair("%p", "1", "tensor<2xf32>")}},
		{"a refused text twice", pair("%p", "", "tensor<2xf32>") + pair("%q", "", "tensor<3xf32>"), nil,
			[]string{both, both}},
		{"a refused text and another rule", pair("%p", "", "tensor<2xf32>") + dead, nil,
			[]string{pair("%p", "1", "tensor<2xf32>") + dead, none}},
		{"a refused text without a repair", pair("%p", "", "tensor<2xf32>") + pair("%q", "", "tensor<f32>"), nil,
			[]string{none, none}},
		{"an invalid text", "nonsense", nil, []string{none}},
		{"no text of its own", add + applied + strings.Replace(add, "%s", "%u", 1), []*lint.Analyzer{set}, []string{
			added + applied + strings.Replace(add, "%s", "%u", 1), none,
			add + applied + strings.Replace(added, "%s", "%u", 1),
		}},
		{"erased operations that use others", add + "%u = stablehlo.add %s, %s : tensor<f32>\n",
			[]*lint.Analyzer{chain}, []string{none, add}},
		{"no such attribute", add,
			[]*lint.Analyzer{each("stablehlo.add", false, finding.Fix{Set: map[string]string{"x.y": "["}})},
			[]string{none}},
	} {
		t.Run(test.name, func(t *testing.T) {
			analyzers := test.rules
			if analyzers == nil {
				analyzers = rules.All()
			}
			for _, mark := range []string{"", "\ufeff"} {
				inside := func(lines string) string {
					return mark + "func.func @main(%x: tensor<f32>, %v: tensor<2xf32>) { // é\n" + lines +
						"  return\n}\n"
				}
				var want []string
				for _, lines := range test.want {
					if lines != none {
						lines = inside(lines)
					}
					want = append(want, lines)
				}
				check.Diff(t, "texts", want, eachEdited(t, []byte(inside(test.lines)), analyzers...))
			}
		})
	}
}

// Repairs that are needed together have no edits if they are too many: each finding would have all.
func TestEditsOfMany(t *testing.T) {
	for n, with := range map[int]int{100: 100, 101: 0} {
		var text strings.Builder
		text.WriteString("#a = #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>\nfunc.func @f(%x: tensor<f32>) {\n")
		for range n {
			text.WriteString("  stablehlo.custom_call @f(%x) {output_operand_aliases = [#a]} : (tensor<f32>) -> (tensor<2xf32>, tensor<f32>)\n")
		}
		text.WriteString("  return\n}\n")
		data := []byte(text.String())
		library := mlirtest.Library(t)
		found := check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: rules.All()}))
		edits := check.Must(fix.Edits(library, data, found, rules.All(), all))
		check.Diff(t, fmt.Sprint("findings with edits, of ", n), with,
			len(slices.DeleteFunc(edits, func(e []fix.Edit) bool { return e == nil })))
	}
}

// Bytecode has no edits.
func TestEditsOfBytecode(t *testing.T) {
	data := check.Must(mlirtest.Parse(t, mlirtest.Context(t),
		"func.func @f() { %0 = stablehlo.create_token : !stablehlo.token return }").Bytecode())
	check.Diff(t, "texts", []string{"none"}, eachEdited(t, data, rules.All()...))
}

// The findings in the texts of the corpus and of the tests of the rules have edits, unless their repair is
// one of the module.
func TestEditsOfRules(t *testing.T) {
	edits := map[string]int{} // by rule
	for _, pattern := range []string{"../rules/testdata/*.mlir", corpus + "/*.mlir"} {
		for _, file := range check.Must(filepath.Glob(pattern)) {
			data := check.Must(os.ReadFile(file))
			library := mlirtest.LibraryFor(t, data)
			found := check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: rules.All()}))
			for i, text := range eachEdited(t, data, rules.All()...) {
				local := found[i].Fix != nil && !found[i].Fix.Whole()
				if filepath.Base(file) == "alias_whole_tuple.mlir" {
					local = false // one of its calls has no repair
				}
				check.Diff(t, file+": edits of "+found[i].Rule, local, text != "none")
				if local {
					edits[found[i].Rule]++
				}
			}
		}
	}
	for _, rule := range []string{"alias-missing", "create-token", "jax-spelling", "side-effect"} {
		if edits[rule] == 0 {
			t.Errorf("no finding of %s has edits: %v", rule, edits)
		}
	}
}
