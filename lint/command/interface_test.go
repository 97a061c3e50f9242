package command_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// outfeeds is a module with an outfeed that is ordered by an argument, so that it has one finding.
const outfeeds = `func.func @f(%x: tensor<f32>, %t: !stablehlo.token) {
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}
`

// few are rules with known findings in the modules here, whatever other rules there are.
var few = []*lint.Analyzer{rules.CreateToken, rules.Layouts, rules.Outfeed}

func withFew(stdin string, args ...string) result { return executeWith(few, stdin, args...) }

// tree writes files and makes their folder the working directory.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, dir, name, text)
	}
	t.Chdir(dir)
}

// briefs returns the findings of a run without their messages.
func (r result) briefs(t *testing.T) []string {
	t.Helper()
	var got []string
	for line := range strings.Lines(r.Stdout) {
		got = append(got, filepath.ToSlash(brief(t, line)))
	}
	return got
}

// want checks the exit status and the findings of a run.
func (r result) want(t *testing.T, exit int, briefs ...string) {
	t.Helper()
	if diff := cmp.Diff(briefs, r.briefs(t)); diff != "" || r.Exit != exit {
		t.Errorf("exit status %d, want %d; findings (-want +got):\n%s%s%s", r.Exit, exit, diff, r.Stdout, r.Stderr)
	}
}

// TestPaths checks what the arguments name.
func TestPaths(t *testing.T) {
	tree(t, map[string]string{
		"a.mlir": outfeeds, "m/b.mlirbc": bytecode(t, outfeeds), "m/c.mlir.bc": bytecode(t, outfeeds),
		"m/d.stablehlo": outfeeds, "m/e.vhlo": outfeeds, "m/f.bc": outfeeds,
		"m/llvm.bc": "BC\xc0\xde\x35", "m/other.txt": "x", "n/g.mlir": outfeeds,
	})
	in := func(names ...string) (all []string) {
		for _, name := range names {
			place := ":2:8"
			if strings.Contains(name, "bc") && name != "m/f.bc" {
				place = ":1:1"
			}
			all = append(all, name+place+": error [outfeed]")
		}
		return all
	}
	m := []string{"m/b.mlirbc", "m/c.mlir.bc", "m/d.stablehlo", "m/e.vhlo", "m/f.bc"}
	everything := append(append([]string{"a.mlir"}, m...), "n/g.mlir")
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"./..."}, everything},
		{[]string{"..."}, everything},
		{[]string{"."}, everything},
		{[]string{"m/..."}, m},
		{[]string{"n", "a.mlir", "./a.mlir", "n/g.mlir"}, []string{"n/g.mlir", "a.mlir"}},
	} {
		withFew("", test.args...).want(t, 1, in(test.want...)...)
	}
	withFew("", "m/llvm.bc").want(t, 2, "m/llvm.bc:1:1: error [invalid]") // named, so it is read
	withFew("", "a.mlir", "-strict").holds(t, 2,
		"-strict:1:1: error: there is no such file: flags are in front of the paths [invalid]")
}

// TestSplit checks the positions in the parts of a file, and that a bad part hides nothing.
func TestSplit(t *testing.T) {
	text := outfeeds + "// -----\nnonsense\n// -----  \n" + outfeeds + "// ------\n" + outfeeds[:len(outfeeds)-1] +
		"\n// -----"
	withFew(text, "-split-input-file").want(t, 2,
		"<stdin>:2:8: error [outfeed]",
		"<stdin>:6:1: error [invalid]",
		"<stdin>:9:8: error [outfeed]",
		"<stdin>:13:1: error [invalid]", // its two functions have one name
		"<stdin>:14:8: error [outfeed]")
	withFew(outfeeds+"// -----\n"+outfeeds, "-split-input-file").want(t, 1, "<stdin>:2:8: error [outfeed]",
		"<stdin>:7:8: error [outfeed]")
	for _, quick := range [][]string{nil, {"-quick"}} {
		for _, run := range []string{"// RUN: stablehlo-opt %s -split-input-file", " // RUN: mlir-opt --split-input-file"} {
			withFew(run+"\n"+outfeeds+"// -----\n"+outfeeds, quick...).want(t, 1, "<stdin>:3:8: error [outfeed]",
				"<stdin>:8:8: error [outfeed]")
		}
	}
	withFew(outfeeds+"// -----\n// -split-input-file\n"+outfeeds).want(t, 2, "<stdin>:2:8: error [outfeed]",
		"<stdin>:7:1: error [invalid]", "<stdin>:8:8: error [outfeed]")
	const run = "// RUN: mlir-opt -split-input-file\n"
	const test = "// -----\n// expected-error@+1 {{x}}\nnonsense\n"
	check.Diff(t, "repaired", result{0, run + marked + "// -----\n" + marked + test, "<stdin>: findings repaired: 2\n"},
		executeWith(everything, run+unmarked+"// -----\n"+unmarked+test, "-rules", "marks", "-fix"))
	withFew(bytecode(t, outfeeds), "-split-input-file").want(t, 1, "<stdin>:1:1: error [outfeed]")
}

// TestExpectedErrors checks that tests of errors are not reported as invalid.
func TestExpectedErrors(t *testing.T) {
	const wrong = "func.func @f() -> i32 { return }\n"
	const after = "// -----\n" + wrong
	for comment, exit := range map[string]int{
		"// expected-error@+1 {{'func.return' op has 0 operands}}": 0,
		"// expected-error @below {{has 0 operands}}":              0,
		"//expected-error-re@+1{{has {{.*}}}}":                     0,
		"// @expected-error@+1 {{has 0 operands}}":                 0,
		"// an expected-error":                                     2,
	} {
		r := withFew(comment+"\n"+wrong+after, "-split-input-file")
		r.holds(t, 2, "<stdin>:4:25: error: 'func.return' op has 0 operands")
		check.Diff(t, comment, exit == 2, strings.Contains(r.Stdout, "<stdin>:2:25: "))
		check.Diff(t, comment, exit, withFew(comment+"\n"+wrong).Exit)
	}
	const unclosed = "// expected-error@+1 {{expected}}\n\"stablehlo.outfeed\n"
	withFew(unclosed, "-quick").want(t, 0)
	withFew("// RUN: x -split-input-file\n"+unclosed+"// -----\n"+outfeeds, "-quick").want(t, 1,
		"<stdin>:6:8: error [outfeed]")
}

// TestConfig checks severities, ignores and mistakes of configurations.
func TestConfig(t *testing.T) {
	tree(t, map[string]string{
		".mlir-lint.yaml":        "rules: {outfeed: warning}\nignore:\n- path: gone/**\n- path: '*.pb.mlir'\n  rules: [outfeed]\n",
		"a.mlir":                 outfeeds,
		"a.pb.mlir":              outfeeds,
		"gone/b.mlir":            "nonsense",
		"off/.mlir-lint.yaml":    "rules: {outfeed: off}\n",
		"off/c.mlir":             outfeeds,
		"bad/.mlir-lint.yaml":    "rules: {outfed: off}\n",
		"bad/d.mlir":             outfeeds,
		"bad/e/f.mlir":           outfeeds,
		"strict/.mlir-lint.yaml": "strict: true\nknown-targets: [mine]\n",
		"strict/g.mlir":          outfeeds,
		"other.yaml":             "rules: {outfeed: note}\n",
		"wrong.yaml":             "strict: 3\n",
	})
	all := withFew("", "-j", "1", ".")
	all.want(t, 2,
		"a.mlir:2:8: warning [outfeed]",
		"bad/.mlir-lint.yaml:1:9: error [invalid]",
		"strict/g.mlir:2:8: error [outfeed]")
	all.holds(t, 2, `there is no rule "outfed", did you mean "outfeed": choose from create-token`)
	withFew("", "a.mlir").want(t, 0, "a.mlir:2:8: warning [outfeed]")
	withFew("", "-werror", "a.mlir").want(t, 1, "a.mlir:2:8: warning [outfeed]")
	withFew(outfeeds).want(t, 0, "<stdin>:2:8: warning [outfeed]")
	withFew("", "-werror", "-config", "other.yaml", "a.mlir", "bad/d.mlir").want(t, 0, "a.mlir:2:8: note [outfeed]",
		"bad/d.mlir:2:8: note [outfeed]")
	withFew("", "off/c.mlir").want(t, 0)
	withFew("", "-rules", "outfeed", "off/c.mlir").want(t, 1, "off/c.mlir:2:8: error [outfeed]")
	withFew("", "gone/b.mlir").want(t, 0)
	withFew("", "-config", "wrong.yaml", "a.mlir").holds(t, 2,
		"wrong.yaml:1:9: strict is \"3\", and must be true or false\n")
	withFew("", "-config", "none.yaml", "a.mlir").holds(t, 2, "none.yaml:1:1: the configuration cannot be read: ")
}

// TestForeignDialect checks a module with an operation of a dialect that no library has.
func TestForeignDialect(t *testing.T) {
	module := strings.Replace(outfeeds, "  return", `  "mine.op"(%x) : (tensor<f32>) -> ()`+"\n  return", 1)
	const outfeed, op = "a.mlir:2:8: error [outfeed]", "a.mlir:3:3: error [invalid]"
	for _, test := range []struct {
		config string
		args   []string
		exit   int
		want   []string
	}{
		{"", nil, 2, []string{outfeed, op}},
		{"", []string{"-allow-unregistered-dialect"}, 1, []string{outfeed}},
		{"allow-unregistered: true", nil, 1, []string{outfeed}},
		{"allow-unregistered: [mine]", nil, 1, []string{outfeed}},
		{"allow-unregistered: [yours]", nil, 2, []string{outfeed, op}},
		{"allow-unregistered: false", nil, 2, []string{outfeed, op}},
		{"allow-unregistered: [yours]", []string{"-allow-unregistered-dialect"}, 1, []string{outfeed}},
	} {
		tree(t, map[string]string{"a.mlir": module, ".mlir-lint.yaml": test.config})
		withFew("", append(test.args, "a.mlir")...).want(t, test.exit, test.want...)
	}
	// A repair keeps it.
	foreign := strings.Replace(unmarked, "return", `"mine.op"() : () -> () return`, 1)
	fixed := strings.Replace(marked, "return", `"mine.op"() : () -> () return`, 1)
	r := executeWith(everything, foreign, "-rules", "marks", "-fix", "-allow-unregistered-dialect")
	check.Diff(t, "the repaired text", fixed, r.Stdout)
	executeWith(everything, foreign, "-rules", "marks", "-fix").holds(t, 2, "mine.op is of the dialect mine")
}

// TestIgnores checks comments and attributes that ignore findings.
func TestIgnores(t *testing.T) {
	comment := func(lines ...string) string {
		return strings.Replace(outfeeds, "  %u", strings.Join(lines, "\n")+"\n  %u", 1)
	}
	attribute := func(value string) string {
		return strings.Replace(outfeeds, "(%x, %t)", "(%x, %t) {mlir_lint.ignore = "+value+"}", 1)
	}
	function := func(value string) string {
		return strings.Replace(outfeeds, ") {", ") attributes {mlir_lint.ignore = "+value+"} {", 1)
	}
	for _, test := range []struct {
		name, text string
		exit       int
		want       []string
	}{
		{"line above", comment("// mlir-lint:ignore outfeed why"), 0, nil},
		{"same line",
			strings.Replace(outfeeds, "token\n  return", "token // mlir-lint:ignore outfeed why\n  return", 1), 0, nil},
		{"in a string", strings.Replace(outfeeds, "(%x, %t)", `(%x, %t) {a = "// mlir-lint:ignore outfeed why"}`, 1), 1,
			[]string{"<stdin>:2:8: error [outfeed]"}},
		{"no reason", comment("// mlir-lint:ignore outfeed"), 0, []string{"<stdin>:2:1: warning [ignore]"}},
		{"unknown rule", comment("// mlir-lint:ignore outfed why"), 1,
			[]string{"<stdin>:2:1: warning [ignore]", "<stdin>:3:8: error [outfeed]"}},
		{"no effect", comment("// mlir-lint:ignore outfeed why", "// mlir-lint:ignore layouts why"), 0,
			[]string{"<stdin>:3:1: warning [ignore]"}},
		{"attribute", attribute(`"outfeed why"`), 0, nil},
		{"attribute of the function", function(`["outfeed why"]`), 0, nil},
		{"attribute without reason", attribute(`"outfeed"`), 0, []string{"<stdin>:2:8: warning [ignore]"}},
		{"attribute of an unknown rule", attribute(`["outfeed,x why"]`), 0, []string{"<stdin>:2:8: warning [ignore]"}},
		{"attribute without effect", function(`["outfeed why", "layouts why"]`), 0,
			[]string{"<stdin>:1:1: warning [ignore]"}},
		{"attribute of another kind", attribute("3 : i32"), 1,
			[]string{"<stdin>:2:8: error [outfeed]", "<stdin>:2:8: warning [ignore]"}},
		{"attribute of another operation",
			strings.Replace(outfeeds, "  return", `  return {mlir_lint.ignore = "outfeed why"}`, 1), 1,
			[]string{"<stdin>:2:8: error [outfeed]", "<stdin>:3:3: warning [ignore]"}},
		{"invalid module", comment("// mlir-lint:ignore outfeed why", "nonsense"), 2,
			[]string{"<stdin>:3:1: error [invalid]", "<stdin>:4:8: error [outfeed]"}},
	} {
		t.Run(test.name, func(t *testing.T) { withFew(test.text).want(t, test.exit, test.want...) })
	}
	withFew(bytecode(t, function(`"outfeed why"`))).want(t, 0)
	withFew(bytecode(t, attribute(`"outfeed"`))).want(t, 0, "<stdin>:1:1: warning [ignore]")
	// A rule that does not run has nothing to ignore, and the rule ignore can be off.
	withFew(comment("// mlir-lint:ignore layouts why"), "-rules", "outfeed,ignore").want(t, 1,
		"<stdin>:3:8: error [outfeed]")
	withFew(comment("// mlir-lint:ignore outfeed"), "-rules", "outfeed").want(t, 0)
	withFew(function(`["outfeed"]`), "-rules", "outfeed").want(t, 0)
}

// TestBaseline checks that known findings do not count, also when lines have moved.
func TestBaseline(t *testing.T) {
	tree(t, map[string]string{"a.mlir": outfeeds, "bad.mlir": "nonsense", "other.json": `{"version": 99}`})
	withFew("", "-baseline", "b.json", "a.mlir").holds(t, 2,
		"there is no baseline b.json: make it with -write-baseline")
	withFew("", "-write-baseline", "a.mlir").holds(t, 2, "-write-baseline needs -baseline")
	withFew("", "-baseline", "other.json", "a.mlir").holds(t, 2,
		"other.json is a baseline of version 99, and this mlir-lint reads version 1")
	withFew("", "-baseline", "b.json", "-write-baseline", ".").want(t, 0)
	withFew("", "-baseline", "b.json", "a.mlir").want(t, 0)
	moved := "// moved\n" +
		strings.Replace(outfeeds, "  %u", "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n  %u", 1)
	writeFile(t, ".", "a.mlir", moved)
	withFew("", "-baseline", "b.json", "a.mlir").want(t, 0)
	withFew("", "-baseline", "b.json", ".").want(t, 0)
	t.Run("from a folder", func(t *testing.T) {
		writeFile(t, ".", "sub/readme", "")
		t.Chdir("sub")
		withFew("", "-baseline", "../b.json", "../a.mlir").want(t, 0)
	})
	again := strings.Replace(moved, "  return",
		`  %v = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token`+"\n  return", 1)
	writeFile(t, ".", "a.mlir", again)
	withFew("", "-rules", "outfeed", "-baseline", "b.json", "a.mlir").want(t, 1, "a.mlir:5:8: error [outfeed]")
	// Bytecode has the same fingerprints as text.
	writeFile(t, ".", "a.mlir", bytecode(t, outfeeds))
	withFew("", "-baseline", "b.json", "a.mlir").want(t, 0)
}

// commitAll makes a git repository of the working directory.
func commitAll(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// TestNewFromRev checks that only findings in changed lines are reported.
func TestNewFromRev(t *testing.T) {
	two := strings.ReplaceAll(outfeeds, "  return",
		`  %v = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token`+"\n  return")
	tree(t, map[string]string{"a.mlir": outfeeds, "b.mlir": "nonsense", "c.mlir": outfeeds,
		"d.bc": bytecode(t, outfeeds)})
	withFew("", "-new-from-rev", "HEAD", ".").holds(t, 2,
		"-new-from-rev: git finds no work tree around this folder: run this in a clone (fatal: ")
	commitAll(t)
	withFew("", "-new-from-rev", "HEAD", ".").want(t, 0)
	writeFile(t, ".", "a.mlir", two)
	writeFile(t, ".", "d.bc", bytecode(t, two))
	writeFile(t, ".", "new.mlir", outfeeds)
	withFew("", "-rules", "outfeed", "-new-from-rev", "HEAD", ".").want(t, 1,
		"a.mlir:3:8: error [outfeed]",
		"d.bc:1:1: error [outfeed]", "d.bc:1:1: error [outfeed]",
		"new.mlir:2:8: error [outfeed]")
	withFew("", "-new-from-rev", "none", ".").holds(t, 2, `-new-from-rev: git does not know the revision "none"`)
	withFew("", "-new-from-rev", "HEAD").holds(t, 2, "-new-from-rev needs paths")
	outside := writeFile(t, t.TempDir(), "x.mlir", outfeeds)
	withFew("", "-new-from-rev", "HEAD", outside).holds(t, 2,
		"x.mlir:1:1: error: -new-from-rev: it is outside of git's work tree")
}

// TestShards checks that the reports and baselines of shards make those of one run.
func TestShards(t *testing.T) {
	files := map[string]string{"bad.mlir": "nonsense", "config/.mlir-lint.yaml": "x: y"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		files["m/"+name+".mlir"] = outfeeds
		files[name+".mlirbc"] = bytecode(t, hook)
		files["config/"+name+".mlir"] = clean
	}
	tree(t, files)
	merge := func(command string, all string, parts ...string) {
		t.Helper()
		var names []string
		for i, part := range parts {
			names = append(names, writeFile(t, t.TempDir(), string(rune('a'+i)), part))
		}
		r := withFew("", append([]string{command}, names...)...)
		if diff := cmp.Diff(all, r.Stdout); diff != "" || r.Exit != 0 {
			t.Errorf("%s: %s exit status %d (-all +merged):\n%s", command, r.Stderr, r.Exit, diff)
		}
	}
	shards := []string{"1/3", "2/3", "3/3"}
	exit, lines := 0, 0
	var reports, baselines []string
	for _, shard := range shards {
		r := withFew("", "-shard", shard, "-format", "sarif", ".")
		exit = max(exit, r.Exit)
		reports = append(reports, r.Stdout)
		for _, line := range withFew("", "-shard", shard, ".").briefs(t) {
			if !strings.HasPrefix(line, "config/") { // a mistake that each shard reports
				lines++
			}
		}
		withFew("", "-shard", shard, "-baseline", "part.json", "-write-baseline", ".")
		baselines = append(baselines, string(check.Must(os.ReadFile("part.json"))))
	}
	whole := withFew("", "-format", "sarif", ".")
	merge("merge-sarif", whole.Stdout, reports[2], reports[0], reports[1])
	if text := withFew("", "."); exit != text.Exit || whole.Exit != exit || lines != len(text.briefs(t))-1 {
		t.Errorf("exit status %d and %d findings in shards, %d and %d in one run", exit, lines, text.Exit,
			len(text.briefs(t))-1)
	}
	withFew("", "-baseline", "all.json", "-write-baseline", ".")
	merge("merge-baselines", string(check.Must(os.ReadFile("all.json"))), baselines...)
	for _, command := range []string{"merge-sarif", "merge-baselines"} {
		withFew("", command).holds(t, 2, "give the ")
		withFew("", command, "bad.mlir").holds(t, 2, "bad.mlir is not a ")
		withFew("", command, "none").holds(t, 2, "none cannot be read: ")
	}
}

// TestFormats checks that each format has the findings of a file, and that the fingerprints of
// text and bytecode are the same.
func TestFormats(t *testing.T) {
	tree(t, map[string]string{"a.mlir": outfeeds, "b.bc": bytecode(t, outfeeds), "c.mlir": clean})
	var prints []string
	for line := range strings.Lines(withFew("", "-format", "json", ".").Stdout) {
		var f struct{ File, Rule, Fingerprint string }
		check.NoError(t, json.Unmarshal([]byte(line), &f))
		prints = append(prints, f.Fingerprint)
	}
	if len(prints) != 2 || prints[0] == "" || prints[0] != prints[1] {
		t.Errorf("the fingerprints are %q", prints)
	}
	for format, want := range map[string]string{
		"sarif":      `"uri": "a.mlir"`,
		"github":     "::error file=a.mlir,line=2,col=8,title=mlir-lint outfeed::stablehlo.outfeed sends",
		"gitlab":     `"path": "a.mlir"`,
		"junit":      `<testsuite name="c.mlir" tests="1" failures="0" errors="0">`,
		"checkstyle": `<file name="a.mlir">`,
	} {
		withFew("", "-format", format, ".").holds(t, 1, want)
	}
}

// TestStatistics checks the counts of findings, and that the exit status is that of the findings.
func TestStatistics(t *testing.T) {
	tree(t, map[string]string{"a.mlir": hook, "b.mlir": outfeeds})
	withFew("", "-statistics", ".").holds(t, 1, "2\toutfeed\t[*] an outfeed sends", "1\tcreate-token\t[*] a token")
	withFew("", "-statistics", "-format", "json", ".").holds(t, 1, `{"rule":"outfeed","count":2,"fixable":2,"doc":"`)
}

// TestEngine checks the choice of a library.
func TestEngine(t *testing.T) {
	withFew(outfeeds, "-engine", "mlir").holds(t, 1, "[outfeed]")
	withFew(outfeeds, "-engine", "mlri").holds(t, 2, `-engine: there is no library "mlri", did you mean "mlir": give the path of a shared library, or one of mlir, jaxlib, iree, llvm`)
	withFew(outfeeds, "-engine", ".").holds(t, 2, `-engine: there is no library "."`)
	tree(t, map[string]string{"lib.so": "x"})
	withFew(outfeeds, "-engine", "lib.so").holds(t, 2, "lib.so")
}

// TestExplain checks -explain.
func TestExplain(t *testing.T) {
	for _, a := range rules.All() {
		execute("", "-explain", a.Name).holds(t, 0, a.Name+": "+a.Doc+"\n")
	}
	withFew("", "-explain", "ignore").holds(t, 0, "ignore: ", "// mlir-lint:ignore rule[,rule] reason",
		`mlir_lint.ignore = "rule[,rule] reason"`)
	withFew("", "-explain", "outfed").holds(t, 2, `there is no rule "outfed", did you mean "outfeed": choose from `)
}

// A screen is a terminal.
type screen struct{ bytes.Buffer }

func (*screen) Width() int { return 60 }

// TestTerminal checks that colours, source lines and the summary are printed on a terminal only.
func TestTerminal(t *testing.T) {
	tree(t, map[string]string{"a.mlir": outfeeds, "b.mlir": clean})
	run := func() string {
		var stdout, stderr screen
		if exit := command.Run([]string{"."}, nil, &stdout, &stderr, few); exit != 1 {
			t.Errorf("exit status %d: %s", exit, stderr.String())
		}
		return stdout.String()
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	color := run()
	t.Setenv("NO_COLOR", "1")
	plain := run()
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(color, ""); got == color || got != plain {
		t.Errorf("with colours:\n%s\nwithout:\n%s", color, plain)
	}
	for _, want := range []string{"\n    %u = \"stablehlo.outfeed\"(%x, %t)", "\n         ^\n1 error in 2 files"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing in\n%s", want, plain)
		}
	}
}

// TestNoPath checks that the command does not wait for a module at a terminal.
func TestNoPath(t *testing.T) {
	for _, args := range [][]string{nil, {"-quick"}} {
		var stdout, stderr bytes.Buffer
		exit := command.Run(args, new(screen), &stdout, &stderr, few)
		result{exit, stdout.String(), stderr.String()}.holds(t, 2,
			`no path is given: give files or folders, for example "./..."`)
	}
}

// TestBadFlags checks the errors of flags.
func TestBadFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`there is no format "sarf", did you mean "sarif"`:  {"-format", "sarf"},
		"give a part and the number of parts, such as 1/4": {"-shard", "3/2"},
		"-shard needs paths":                               {"-shard", "1/2", "-"},
		"-j must be at least 1":                            {"-j", "0"},
		"-write-baseline needs all findings: leave out -new-from-rev": {"-baseline", "b", "-write-baseline",
			"-new-from-rev", "x", "."},
		`there is no rule "outfed", did you mean "outfeed": choose from `: {"-rules", "outfed"},
	} {
		r := withFew("", args...)
		r.holds(t, 2, want)
		if r.Stdout != "" || strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%q printed\n%s%s", args, r.Stdout, r.Stderr)
		}
	}
}
