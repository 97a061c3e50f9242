package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp/lsptest"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// located returns a module of JAX with debug information.
func located(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, filepath.Join("testdata", "located_"+name+".mlir"))
}

// lineOf returns the number of the n-th line that contains a text, and the column of the text.
func lineOf(text, part string, n int) (line, column int) {
	for i, s := range strings.Split(text, "\n") {
		if at := strings.Index(s, part); at >= 0 {
			if n--; n < 0 {
				return i + 1, at + 1
			}
		}
	}
	return 0, 0
}

// TestLocated checks that findings in text with locations have their positions in the text, and beside
// them those in the program, in every format.
func TestLocated(t *testing.T) {
	t.Parallel()
	program := readFile(t, "testdata/located.py")
	feed, _ := lineOf(program, "# line of the outfeed", 0)
	call, _ := lineOf(program, "# line of the callback", 0)
	for _, test := range []struct {
		name, rule, operation string
		n, line               int
	}{
		{"feeds", "outfeed", `"stablehlo.outfeed"`, 2, feed},
		{"feeds", "create-token", "stablehlo.create_token", 2, feed},
		{"callbacks", "callback-binding", "stablehlo.custom_call", 1, call},
	} {
		t.Run(test.name+" "+test.rule, func(t *testing.T) {
			text := located(t, test.name)
			run := func(format string) string {
				return execute(text, "-rules", test.rule, "-format", format).Stdout
			}
			lines := strings.Split(strings.TrimSuffix(run("text"), "\n"), "\n")
			check.Diff(t, "findings", test.n, len(lines))
			for i := range lines {
				line, column := lineOf(text, test.operation, i)
				fill := strings.NewReplacer("LINE", fmt.Sprint(line), "COLUMN", fmt.Sprint(column),
					"PROGRAM", fmt.Sprint(test.line))
				for format, want := range map[string]string{
					"text":       `<stdin>:LINE:COLUMN: .* \(at located.py:PROGRAM:\d+\) \[`,
					"json":       `"line":LINE,"column":COLUMN,.*"file":"located.py","line":PROGRAM,`,
					"github":     `line=LINE,col=COLUMN,.*\(at located.py:PROGRAM:`,
					"gitlab":     `(?s)\(at located.py:PROGRAM:.*"begin": LINE\n`,
					"junit":      `:LINE:COLUMN" .* line="LINE"(?s:.*)located.py:PROGRAM:`,
					"checkstyle": `line="LINE" column="COLUMN" .*located.py:PROGRAM:`,
					"sarif": `(?s)"startLine": LINE,\s+"startColumn": COLUMN\s.*"uri": "located.py"\s+},\s+` +
						`"region": {\s+"startLine": PROGRAM,`,
				} {
					if got := run(format); !regexp.MustCompile(fill.Replace(want)).MatchString(got) {
						t.Errorf("%s: %q does not match\n%.2000s", format, fill.Replace(want), got)
					}
				}
			}
			if test.name == "feeds" {
				check.Diff(t, "-quick", places(execute(text, "-rules", test.rule).Stdout),
					places(execute(text, "-quick", "-rules", test.rule).Stdout))
			}
		})
	}
}

// places returns the positions in lines.
func places(lines string) []string {
	return regexp.MustCompile(`(?m)^<stdin>:[\d:]+|\(at [^)]*\)`).FindAllString(lines, -1)
}

// TestRelated checks all places in a location.
func TestRelated(t *testing.T) {
	t.Parallel()
	type place struct {
		Message, File string
		Line, Column  int
	}
	for location, want := range map[string][]place{
		`"model.py":12:3`:              {{"", "model.py", 12, 3}},
		`"model.py":12:3 to :9`:        {{"", "model.py", 12, 3}},
		`"f"("model.py":12:3)`:         {{"f", "model.py", 12, 3}},
		`"g"("f"("model.py":12:3))`:    {{"g, f", "model.py", 12, 3}},
		`"alone"`:                      {{"alone", "", 0, 0}},
		`fused["a":1:2, "b", "c":3:4]`: {{"", "a", 1, 2}, {"b", "", 0, 0}, {"", "c", 3, 4}},
		`callsite("f"("x":1:2) at callsite("g"("y":3:4) at "z":5:6))`: {{"f", "x", 1, 2}, {"called from g", "y", 3, 4},
			{"called from here", "z", 5, 6}},
		`"-":7:8`: {{"line 7, column 8 of the text that the module was made from", "", 7, 8}},
		`unknown`: nil,
	} {
		text := strings.Replace(outfeeds, "\n  return", " loc("+location+")\n  return", 1)
		for line, input := range map[int]string{1: bytecode(t, text), 2: text} {
			var got struct {
				Line    int
				Message string
				Related []place
			}
			r := execute(input, "-rules", "outfeed", "-format", "json")
			check.NoError(t, json.Unmarshal([]byte(r.Stdout), &got))
			check.Diff(t, location+": related", want, got.Related)
			check.Diff(t, location+": line", line, got.Line)
			check.Diff(t, location+" is in the message", false, strings.Contains(got.Message, "(at"))
		}
	}
}

// TestRelatedOperation checks the place of another operation that a finding is about.
func TestRelatedOperation(t *testing.T) {
	const call = `  %N = stablehlo.custom_call @calliope_io_callback(%t) {api_version = 4 : i32, has_side_effect = true, ` +
		`backend_config = {v = 1 : i64, form = "observe", callback = "log", effect = "e", n_tokens = 1 : i64}} ` +
		": (tensor<1xi8>) -> tensor<1xi8>\n"
	text := "func.func @main(%t: tensor<1xi8>) {\n" + strings.Replace(call, "N", "0", 1) +
		strings.Replace(call, "N", "1", 1) + "  return\n}\n"
	const at = `callback "log" does not depend on callback "log" at <stdin>:2:8, which is before it (effect "e"): it may run ` +
		"before it, or at the same time: pass a token from one to the other"
	check.Diff(t, "text", result{0, "<stdin>:3:8: warning: " + at + " [unordered-effects]\n", ""},
		execute(text, "-rules", "unordered-effects"))
	execute(text, "-rules", "unordered-effects", "-format", "json").holds(t, 0,
		`"related":[{"message":"callback \"log\"","file":"<stdin>","line":2,"column":8}]`)
	uri := uriOf(filepath.Join(t.TempDir(), "é.mlir"))
	e := editWith(t, params{"publishDiagnostics": params{"relatedInformation": true}}, rules.All(),
		"-rules", "unordered-effects")
	e.Open(uri, text)
	related := e.Published().Diagnostics[0].RelatedInformation
	check.Diff(t, "related", fmt.Sprint([]any{uri, "1:7", `callback "log"`}), fmt.Sprint([]any{related[0].Location.URI,
		fmt.Sprintf("%d:%d", related[0].Location.Range.Start.Line, related[0].Location.Range.Start.Character),
		related[0].Message}))
	e.end(t)
}

// TestLocatedErrors checks that the errors of the library in text with locations have positions in it.
func TestLocatedErrors(t *testing.T) {
	const text = "func.func @f(%x: tensor<f32> loc(\"x\")) -> tensor<f32> {\n" +
		"  %y = stablehlo.add %x, %x : tensor<f32> loc(\"model.py\":3:4)\n" +
		"  return END loc(\"model.py\":5:6)\n} loc(#loc)\n#loc = loc(\"model.py\":1:1)\n"
	for end, want := range map[string]string{
		": loc(":                            "<stdin>:3:9: error: ",
		"%y, %y : tensor<f32>, tensor<f32>": "<stdin>:3:3: error: 'func.return' op has 2 operands, but enclosing function (@f) returns 1 (only these rules ran, without the library: infeed, outfeed) (at model.py:5:6) [invalid]\n",
	} {
		execute(strings.Replace(text, "END", end, 1)).holds(t, 2, want)
	}
}

// TestLocatedIgnores checks the comments that ignore findings in text with locations.
func TestLocatedIgnores(t *testing.T) {
	text := regexp.MustCompile(`(?m)^.*"stablehlo.outfeed"`).ReplaceAllString(located(t, "feeds"),
		"// mlir-lint:ignore outfeed the host drains it\n$0")
	check.Diff(t, "result", result{}, execute(text, "-rules", "outfeed,ignore"))
	// A finding without a place is not in the first line.
	whole := "func.func @f() { return } // mlir-lint:ignore panics it is known\n"
	executeWith(everything, whole, "-rules", "panics").holds(t, 2, "<stdin>:1:1: error: the rule panics failed")
}

// TestLocatedFix checks that a repair leaves what a comment ignores, and keeps the locations.
func TestLocatedFix(t *testing.T) {
	const token = "  %a = stablehlo.create_token : !stablehlo.token loc(\"model.py\":1:2)\n"
	kept := "func.func @f() {\n  // mlir-lint:ignore create-token a test needs it\n" + token
	const end = "  return loc(\"model.py\":3:4)\n}\n"
	r := execute(kept+strings.Replace(token, "%a", "%b", 1)+end, "-fix", "-")
	check.Diff(t, "result", result{0, kept + end, "<stdin>: findings repaired: 1\n"}, r)
}

// TestLocatedChanges checks -new-from-rev in text with locations, and that it keeps findings that have no
// place.
func TestLocatedChanges(t *testing.T) {
	text := located(t, "feeds")
	tree(t, map[string]string{"a.mlir": text})
	commitAll(t)
	line, column := lineOf(text, `"stablehlo.outfeed"`, 0)
	lines := strings.SplitAfter(text, "\n")
	again := strings.Replace(lines[line-1], "%1 =", "%again =", 1)
	check.NoError(t, os.WriteFile("a.mlir", []byte(strings.Join(slices.Insert(lines, line, again), "")), 0o644))
	execute("", "-rules", "outfeed", "-new-from-rev", "HEAD", ".").want(t, 1,
		fmt.Sprintf("a.mlir:%d:%d: error [outfeed]", line+1, column+4))
	executeWith(everything, "", "-rules", "fails", "-new-from-rev", "HEAD", ".").holds(t, 2,
		"a.mlir:1:1: error: the rule fails failed on this module")
}

// TestLocatedEditor checks the places beside those of diagnostics, for clients that show them and others.
func TestLocatedEditor(t *testing.T) {
	dir := t.TempDir()
	text := located(t, "feeds")
	line, column := lineOf(text, `"stablehlo.outfeed"`, 0)
	for _, shown := range []bool{false, true} {
		e := editWith(t, params{"publishDiagnostics": params{"relatedInformation": shown}}, rules.All(),
			"-rules", "outfeed")
		e.Open(uriOf(filepath.Join(dir, "a.mlir")), text)
		d := e.Published().Diagnostics[0]
		check.Diff(t, "place", lsptest.Position{Line: line - 1, Character: column - 1}, d.Range.Start)
		check.Diff(t, "place in the message", !shown, strings.HasSuffix(d.Message, " (at located.py:28:11)"))
		var got []string
		for _, r := range d.RelatedInformation {
			at := r.Location.Range.Start
			got = append(got, fmt.Sprintf("%s %d:%d %s", r.Location.URI, at.Line, at.Character, r.Message))
		}
		var want []string
		if shown {
			at := uriOf(filepath.Join(dir, "located.py"))
			want = []string{at + " 27:10 jit(feeds)/outfeed, outfeed", at + " 38:29 called from feeds",
				at + " 48:10 called from <module>"}
		}
		check.Diff(t, "related", want, got)
		e.end(t)
	}
}
