package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// marks adds an attribute to every function.
var marks = &lint.Analyzer{Name: "marks", Doc: "functions need a mark", Run: func(p *lint.Pass) error {
	for op := range p.Operations("func.func") {
		if _, ok := op.Attribute("x.mark"); !ok {
			p.ReportFix(op, finding.Warning,
				finding.Fix{Message: "add x.mark", Set: map[string]string{"x.mark": "unit"}}, "no mark")
		}
	}
	return nil
}}

// meddles changes a file while a worker repairs it, and ends the worker on a function @crash.
var meddles = &lint.Analyzer{Name: "meddles", Doc: "disturbs the repair", Run: func(p *lint.Pass) error {
	if path := os.Getenv(meddlesEnv); path != "" {
		return os.WriteFile(path, []byte("// another program's\n"), 0o600)
	}
	for op := range p.Operations("func.func") {
		if name, _ := op.Symbol(); name == "crash" {
			os.Exit(7)
		}
	}
	return nil
}}

const meddlesEnv = "CALLIOPE_TEST_MEDDLES"

const (
	unmarked = "// top\nfunc.func @f() { // why\n  return\n}\n"
	marked   = "// top\nfunc.func @f() attributes {x.mark} { // why\n  return\n}\n"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	return string(check.Must(os.ReadFile(path)))
}

func TestFix(t *testing.T) {
	dir := t.TempDir()
	a, b, c := writeFile(t, dir, "a.mlir", unmarked), writeFile(t, dir, "b.mlir", marked),
		writeFile(t, dir, "c.mlir", "func.func @f() {")
	old := check.Must(os.Stat(b))
	r := executeWith(everything, "", "-rules", "marks", "-fix", dir)
	r.holds(t, 2, "c.mlir:1:", "[invalid]\n", "a.mlir: findings repaired: 1\n")
	check.Diff(t, "a.mlir", marked, readFile(t, a))
	check.Diff(t, "c.mlir", "func.func @f() {", readFile(t, c))
	if !os.SameFile(old, check.Must(os.Stat(b))) {
		t.Error("a file without findings was written")
	}
	check.Diff(t, "files", 3, len(check.Must(os.ReadDir(dir))))
	check.NoError(t, os.Remove(c))
	if r := executeWith(everything, "", "-rules", "marks", "-fix", dir); r != (result{}) {
		t.Errorf("a second run printed %q, %q, status %d", r.Stdout, r.Stderr, r.Exit)
	}
}

func TestFixStandardInput(t *testing.T) {
	r := executeWith(everything, unmarked, "-rules", "marks", "-fix")
	check.Diff(t, "result", result{0, marked, "<stdin>: findings repaired: 1\n"}, r)
	check.Diff(t, "unchanged", result{0, marked, ""}, executeWith(everything, marked, "-rules", "marks", "-fix", "-"))
	r = execute(left, "-fix")
	r.holds(t, 1, "[outfeed]\n", "<stdin>: not written, because not everything can be repaired")
	check.Diff(t, "standard output", "", r.Stdout)
	execute("\x01", "-fix").holds(t, 2, "[invalid]")

	data := check.Must(mlirtest.Parse(t, mlirtest.Context(t), hook).Bytecode())
	r = execute(string(data), "-fix")
	check.Diff(t, "status", 0, r.Exit)
	check.Diff(t, "bytecode", true, mlir.IsBytecode([]byte(r.Stdout)))
	execute(r.Stdout).holds(t, 0)
}

// left has an outfeed that cannot be migrated, and a token that can be removed.
const left = `func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.create_token : !stablehlo.token
  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %o = "stablehlo.outfeed"(%a, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %b : tensor<f32>
  }
  %dead = stablehlo.create_token : !stablehlo.token
  return %r : tensor<f32>
}
`

// A file in which something is left is not written, unless -fix-partial is given.
func TestFixLeft(t *testing.T) {
	path := writeFile(t, t.TempDir(), "left.mlir", left)
	texts := []string{"left.mlir:3:8: error: stablehlo.create_token ", "left.mlir:5:10: error: stablehlo.outfeed sends",
		"cannot replace it: it is in stablehlo.reduce", "[outfeed]\n"}
	execute("", "-fix", path).holds(t, 1, append(texts, "left.mlir: not written")...)
	check.Diff(t, "text", left, readFile(t, path))
	execute("", "-diff", path).holds(t, 1, append([]string{"\n-  %dead = "}, texts...)...)
	check.Diff(t, "text", left, readFile(t, path))
	r := execute("", "-fix-partial", path)
	r.holds(t, 1, "left.mlir:3:8: ", "left.mlir:5:10: error: stablehlo.outfeed sends",
		"left.mlir: findings repaired: 1\n")
	if !strings.Contains(r.Stdout, "-fix cannot replace it") {
		t.Errorf("the reason is missing in\n%s", r.Stdout)
	}
	check.Diff(t, "text", strings.Replace(left, "  %dead = stablehlo.create_token : !stablehlo.token\n", "", 1),
		readFile(t, path))
}

// -diff writes nothing.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.mlir", unmarked)
	writeFile(t, dir, "b.mlir", marked)
	t.Chdir(dir)
	r := executeWith(everything, "", "-rules", "marks", "-diff", "a.mlir", "b.mlir")
	check.Diff(t, "result", result{1, "--- a/a.mlir\n+++ b/a.mlir\n@@ -1,4 +1,4 @@\n // top\n-func.func @f() { // why\n+func.func @f() attributes {x.mark} { // why\n   return\n }\n", "a.mlir: findings that -fix repairs: 1\n"}, r)
	check.Diff(t, "file", unmarked, readFile(t, "a.mlir"))
	apply := exec.Command("git", "apply", "-")
	apply.Stdin = strings.NewReader(executeWith(everything, "", "-rules", "marks", "-diff", "./a.mlir").Stdout)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	check.Diff(t, "applied", marked, readFile(t, "a.mlir"))
	check.Diff(t, "no difference", result{}, executeWith(everything, "", "-rules", "marks", "-fix", "-diff", "b.mlir"))

	m := mlirtest.Parse(t, mlirtest.Context(t), hook)
	for name, data := range map[string][]byte{"h.mlirbc": check.Must(m.Bytecode()),
		"h.artifact": check.Must(stablehlo.PortableArtifact(m, ""))} {
		writeFile(t, dir, name, string(data))
		r := execute("", "-diff", name)
		r.holds(t, 1, "+++ b/"+name+"\n", `-    %1 = "stablehlo.outfeed"(`, "\n+",
			"stablehlo.custom_call @calliope_io_callback(")
		check.Diff(t, name, string(data), readFile(t, name))
		execute("", "-fix", name).holds(t, 0)
		execute("", name).holds(t, 0)
	}
}

// TestFixCorpus repairs the modules of the corpus. Those with old hooks are clean then, and the
// others are as they were.
func TestFixCorpus(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	dir := t.TempDir()
	var all []string
	rows := check.Rows(t, filepath.Join(corpus, "INDEX.tsv"))
	for _, row := range rows {
		if row["kind"] == "good" {
			all = append(all, writeFile(t, dir, row["file"], readFile(t, filepath.Join(corpus, row["file"]))))
		}
	}
	r := execute("", append([]string{"-fix", "-rules", "outfeed,infeed,create-token,after-all"}, all...)...)
	r.holds(t, 0)
	repaired := 0
	for _, row := range rows {
		if row["kind"] != "good" {
			continue
		}
		hooks := row["legacy_hooks"] == "yes" || row["legacy_hooks"] == "token-only"
		changed := readFile(t, filepath.Join(dir, row["file"])) != readFile(t, filepath.Join(corpus, row["file"]))
		if hooks != changed {
			t.Errorf("%s: changed %v, hooks %v", row["file"], changed, hooks)
		}
		if changed {
			repaired++
			execute("", filepath.Join(dir, row["file"])).holds(t, 0)
		}
	}
	if repaired < 10 {
		t.Errorf("only %d files were repaired", repaired)
	}
}

// A file that another program writes while it is repaired keeps that program's content.
func TestFixChanged(t *testing.T) {
	path := writeFile(t, t.TempDir(), "a.mlir", unmarked)
	t.Setenv(meddlesEnv, path)
	executeWith(everything, "", "-rules", "marks,meddles", "-fix", path).holds(t, 2, "a.mlir:1:1: error: cannot be written: it changed while it was repaired: run the command again [invalid]\n")
	check.Diff(t, "file", "// another program's\n", readFile(t, path))
}

// The rules of the command say how they are repaired.
func TestFixRules(t *testing.T) {
	o := lint.Options{Analyzers: rules.All()}
	for _, d := range check.Must(lint.Check(mlirtest.Library(t), "f", []byte(hook), o)) {
		if d.Fix == nil || !d.Fix.Migrate || d.Fix.Message == "" {
			t.Errorf("%v has the repair %+v", d, d.Fix)
		}
	}
}

// A finding that a comment, an attribute or the configuration ignores is not repaired.
func TestFixIgnored(t *testing.T) {
	dir := t.TempDir()
	comment := strings.Replace(unmarked, "func.func", "// mlir-lint:ignore marks it is right\nfunc.func", 1)
	attribute := strings.Replace(unmarked, "@f()", `@f() attributes {mlir_lint.ignore = "marks it is right"}`, 1)
	for name, text := range map[string]string{"comment.mlir": comment, "attribute.mlir": attribute} {
		path := writeFile(t, dir, name, text)
		r := executeWith(everything, "", "-rules", "marks", "-fix", path)
		check.Diff(t, name, result{}, r)
		check.Diff(t, name, text, readFile(t, path))
	}
}

// hides repairs an operation that has no text of its own.
var hides = &lint.Analyzer{Name: "hides", Doc: "sums need a mark", Run: func(p *lint.Pass) error {
	for op := range p.Operations("stablehlo.add") {
		if _, ok := op.Attribute("x.mark"); !ok {
			p.ReportFix(op, finding.Warning,
				finding.Fix{Message: "add x.mark", Set: map[string]string{"x.mark": "unit"}}, "no mark")
		}
	}
	return nil
}}

// A file that must be printed anew is written only with -reprint.
func TestReprint(t *testing.T) {
	const text = `// top
func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> { // why
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
`
	path := writeFile(t, t.TempDir(), "a.mlir", text)
	run := func(flags ...string) result {
		return executeWith(everything, "", append([]string{"-rules", "hides"}, append(flags, path)...)...)
	}
	const why = "stablehlo.add in line 3, column 24, has no text of its own, so the module is printed anew; 1 comment inside is lost"
	r := run("-diff")
	check.Diff(t, "status", 1, r.Exit)
	check.Diff(t, "first line", path+": "+why+": -fix needs -reprint", strings.SplitN(r.Stdout, "\n", 2)[0])
	run("-fix").holds(t, 1, "a.mlir: not written, because "+why+": see it with -diff, and use -fix -reprint\n")
	check.Diff(t, "text", text, readFile(t, path))
	run("-fix", "-reprint").holds(t, 0, "a.mlir: findings repaired: 1\n", "a.mlir: "+why+"\n")
	if !strings.HasPrefix(readFile(t, path), "// top\n") || !strings.Contains(readFile(t, path), "x.mark") {
		t.Errorf("the text is\n%s", readFile(t, path))
	}
	run("-reprint").holds(t, 2, "-reprint says how -fix writes files: add -fix\n")
}

// What is ignored, by any means, is not replaced by the repair of something else.
func TestFixIgnoredHooks(t *testing.T) {
	const (
		ignored = "which stays: its finding is ignored"
		silent  = "which stays: no rule that runs reports it"
		at      = "its token is also that of stablehlo.outfeed at a.mlir:3:8, "
	)
	commented := strings.Replace(hook, "  %u", "  // mlir-lint:ignore outfeed it is right\n  %u", 1)
	attributed := strings.Replace(hook, "%t) :", `%t) {mlir_lint.ignore = "outfeed it is right"} :`, 1)
	for _, test := range []struct {
		name, text, config, rules string
		output                    string
	}{
		{"comment", commented, "", "", strings.Replace(at, "3:8", "4:8", 1) + ignored},
		{"attribute", attributed, "", "", at + ignored},
		{"configuration", hook, "rules: {outfeed: off}", "", at + silent},
		{"path", hook, "ignore: [{path: '*.mlir', rules: [outfeed]}]", "", at + silent},
		{"flag", hook, "", "create-token", at + silent},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree(t, map[string]string{"a.mlir": test.text, ".mlir-lint.yaml": test.config})
			args := []string{"-fix", "a.mlir"}
			if test.rules != "" {
				args = append([]string{"-rules", test.rules}, args...)
			}
			execute("", args...).holds(t, 1, "a.mlir:2:8: error: ", "(-fix cannot replace it: "+test.output)
			check.Diff(t, "text", test.text, readFile(t, "a.mlir"))
		})
	}
}

// Hooks that break their protocol are replaced only by -fix-partial, which says what is not kept.
func TestFixHookFlag(t *testing.T) {
	const file = "hook_flag_end.mlir"
	text := readFile(t, "../rules/testdata/"+file)
	tree(t, map[string]string{file: text})
	const lost = file + ":5:8: error: no flag 0 follows: the host waits for more hooks after the program's end: send the flag 0 last (the repair does not keep this) [hook-flag]\n"
	execute("", "-fix", file).holds(t, 1, lost, file+": not written, because not everything can be repaired")
	check.Diff(t, "text", text, readFile(t, file))
	execute("", "-fix-partial", file).holds(t, 1, lost)
	if !strings.Contains(readFile(t, file), "hook_1") {
		t.Errorf("the text is\n%s", readFile(t, file))
	}
}

// A repair after which the program does something else needs -fix-unsafe.
func TestFixUnsafe(t *testing.T) {
	text := unused + marker + observed
	tree(t, map[string]string{"a.mlir": text})
	const note = "a.mlir: findings whose repair changes what the program does: 1: use -fix-unsafe\n"
	split := func(flags ...string) result { return execute("", append(flags, "-split-input-file", "a.mlir")...) }
	split("-fix").holds(t, 1, "[side-effect]\n", note, "a.mlir: not written, because not everything can be repaired")
	check.Diff(t, "text", text, readFile(t, "a.mlir"))
	split("-diff").holds(t, 1, "create_token", note)
	split("-fix-partial").holds(t, 1, "[side-effect]\n", note)
	check.Diff(t, "text", execute(unused, "-fix").Stdout+marker+observed, readFile(t, "a.mlir"))
	split("-fix-unsafe").holds(t, 0, "a.mlir: findings repaired: 1\n")
	if !strings.Contains(readFile(t, "a.mlir"), "has_side_effect = true") {
		t.Errorf("the text is\n%s", readFile(t, "a.mlir"))
	}
	execute(observed, "-format", "json").holds(t, 1, `"unsafe":true`)
	execute(observed, "-format", "sarif").holds(t, 1, `set has_side_effect = true (changes what the program does)`)
}
