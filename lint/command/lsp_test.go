package command_test

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp/lsptest"
	"github.com/calliope-mlir/calliope/lint/rules"
)

type params = lsptest.M

// An editor is a client of mlir-lint lsp.
type editor struct {
	*lsptest.Client
	stderr *strings.Builder // to read after the end
}

// edit starts a server and a client that wants edits at once.
func edit(t *testing.T, analyzers []*lint.Analyzer, args ...string) editor {
	t.Helper()
	return editWith(t, params{"codeAction": params{"codeActionLiteralSupport": params{}, "disabledSupport": true}},
		analyzers, args...)
}

// editWith is edit for a client with capabilities for text documents.
func editWith(t *testing.T, capabilities params, analyzers []*lint.Analyzer, args ...string) editor {
	t.Helper()
	e := editor{stderr: new(strings.Builder)}
	e.Client = lsptest.Start(t, func(r io.Reader, w io.Writer) error {
		if exit := command.Run(append([]string{"lsp"}, args...), r, w, e.stderr, analyzers); exit != 0 {
			return fmt.Errorf("exit status %d", exit)
		}
		return nil
	})
	e.Initialize(params{"textDocument": capabilities})
	return e
}

// end ends the server as the protocol wants.
func (e editor) end(t *testing.T) {
	t.Helper()
	e.Must("shutdown", nil, nil)
	e.Notify("exit", nil)
	check.NoError(t, e.Ended())
	e.Quiet()
	check.Diff(t, "standard error", "", e.stderr.String())
}

// want compares the next diagnostics, as "line:begin-end severity rule" with lines from 0.
func (e editor) want(t *testing.T, version int32, want ...string) {
	t.Helper()
	p := e.Published()
	var got []string
	for _, d := range p.Diagnostics {
		got = append(got, fmt.Sprintf("%d:%d-%d %d %s", d.Range.Start.Line, d.Range.Start.Character,
			d.Range.End.Character, d.Severity, d.Code))
	}
	check.Diff(t, "diagnostics", want, got)
	check.Diff(t, "version", version, *p.Version)
	if t.Failed() {
		t.Logf("%+v", p)
	}
}

// says checks that the next diagnostics are one, at the begin of the text, with a message.
func (e editor) says(t *testing.T, messages ...string) {
	t.Helper()
	p := e.Published()
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Range.Start != (lsptest.Position{}) {
		t.Fatalf("the diagnostics are %+v", p)
	}
	for _, m := range messages {
		if !strings.Contains(p.Diagnostics[0].Message, m) {
			t.Errorf("%q is not in %q", m, p.Diagnostics[0].Message)
		}
	}
}

// uriOf returns the URI of a path.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}

func TestEditor(t *testing.T) {
	// What is on the disk does not count.
	uri := uriOf(writeFile(t, t.TempDir(), "a b%é.mlir", "nonsense"))
	e := edit(t, rules.All())
	e.Open(uri, hook)
	p := e.Published()
	check.Diff(t, "URI", uri, p.URI)
	check.Diff(t, "findings", 2, len(p.Diagnostics))
	check.Diff(t, "link", "https://github.com/calliope-mlir/calliope/blob/main/docs/reference/lint-rules.md#outfeed",
		p.Diagnostics[1].CodeDescription.Href)

	const wide = `func.func @f(%x: tensor<f32>) attributes {a = "é😀"} { %t = stablehlo.create_token : !stablehlo.token`
	changed := strings.Join(append([]string{wide}, strings.Split(hook, "\n")[2:]...), "\n")
	e.Change(uri, 2, params{"text": changed})
	e.want(t, 2, "0:60-82 1 create-token", "1:7-26 1 outfeed")
	actions := e.Actions(uri, 0, 65)
	if len(actions) != 3 || actions[0].Kind != "quickfix" || actions[1].Kind != "source.fixAll.mlir-lint" ||
		actions[2].Title != "ignore create-token here" {
		t.Fatalf("the actions are %+v", actions)
	}
	e.Change(uri, 3, params{"text": lsptest.Apply(changed, actions[2].Edit.Changes[uri])})
	e.want(t, 3, "2:7-26 1 outfeed")
	for i, a := range actions[:2] {
		after := lsptest.Apply(changed, a.Edit.Changes[uri])
		if !strings.Contains(after, "calliope_io_callback") {
			t.Errorf("%s makes\n%s", a.Title, after)
		}
		e.Change(uri, int(4+i), params{"text": after})
		e.want(t, int32(4+i))
	}
	e.Change(uri, 6, params{"text": "func.func @f() {\n"})
	e.want(t, 6, "0:16-16 1 invalid")
	check.Diff(t, "actions", 0, len(e.Actions(uri, 0, 16)))
	e.end(t)
}

// TestEditorRepairs checks repairs that change the text of an operation, those that are partial, and
// text without a file.
func TestEditorRepairs(t *testing.T) {
	e := edit(t, everything, "-rules", "marks,outfeed,create-token")
	e.Open("untitled:a", unmarked)
	e.want(t, 1, "1:0-9 2 marks")
	if d := e.Actions("untitled:a", 1, 3)[0]; lsptest.Apply(unmarked, d.Edit.Changes["untitled:a"]) != marked {
		t.Errorf("the action is %+v", d)
	}
	check.Diff(t, "actions elsewhere", 0, len(e.Actions("untitled:a", 0, 0, "quickfix")))
	e.Open("untitled:b", left)
	e.Published()
	for _, a := range e.Actions("untitled:b", 2, 8, "source") {
		if a.Disabled == nil || a.Edit != nil ||
			!strings.HasPrefix(a.Disabled.Reason, "not everything can be repaired: line ") {
			t.Errorf("the action is %+v, %+v", a, a.Disabled)
		}
	}
	e.end(t)
}

// TestEditorParts checks a document of several modules, one of which is a test of an error.
func TestEditorParts(t *testing.T) {
	e := edit(t, everything, "-rules", "marks,outfeed")
	text := outfeeds + marker + unmarked + marker + "// expected-error@+1 {{x}}\nfunc.func @f() -> i32 { return }\n"
	e.Open("untitled:a", text)
	e.want(t, 1, "0:0-9 2 marks", "1:7-26 1 outfeed", "6:0-9 2 marks")
	a := e.Actions("untitled:a", 6, 3, "quickfix")[0]
	if got := lsptest.Apply(text, a.Edit.Changes["untitled:a"]); got != strings.Replace(text, unmarked, marked, 1) {
		t.Errorf("the action is %+v", a)
	}
	e.end(t)
}

// TestEditorHostile checks that the server goes on after documents that crash a worker or take too long.
func TestEditorHostile(t *testing.T) {
	t.Parallel()
	analyzers := append(slices.Clone(few), hangs)
	e := edit(t, analyzers, "-max-module", "8MiB")
	const depth = 2_000_000
	e.Open("a:crash", "module attributes {a.b = "+strings.Repeat("[", depth)+strings.Repeat("]", depth)+"} {}")
	e.says(t, "the MLIR library crashed on this file", "it may be nested too deeply")
	e.Open("a:large", strings.Repeat(" ", 9<<20))
	e.says(t, "it is larger than 8MiB: raise -max-module")
	e.Open("a:good", outfeeds)
	e.want(t, 1, "1:7-26 1 outfeed")
	e.Open("a:slow", hanging)
	e.Change("a:slow", 2, params{"text": outfeeds}) // ends the check
	e.want(t, 2, "1:7-26 1 outfeed")
	e.end(t)

	e = edit(t, analyzers, "-timeout", "1s")
	e.Open("a:slow", hanging)
	e.says(t, "reading and checking took longer than 1s and was stopped: raise -timeout")
	e.end(t)
}

// TestEditorConfig checks that the configuration of a document counts as it is now.
func TestEditorConfig(t *testing.T) {
	dir := t.TempDir()
	uri, config := uriOf(filepath.Join(dir, "m", "a.mlir")), uriOf(filepath.Join(dir, ".mlir-lint.yaml"))
	e := edit(t, few)
	e.Open(uri, strings.Replace(outfeeds, "  %u", "  // mlir-lint:ignore outfeed why\n  %u", 1))
	e.want(t, 1)
	e.Change(uri, 2, params{"text": outfeeds})
	e.want(t, 2, "1:7-26 1 outfeed")
	for _, test := range []struct {
		config string
		want   []string
	}{
		{"rules: {outfeed: note}", []string{"1:7-26 3 outfeed"}},
		{"rules: {outfeed: off}", nil},
		{"ignore: [{path: m}]", nil},
		{"rules: {outfed: off}", []string{"0:0-9 1 invalid"}},
		{"rules: {outfeed: warning}", []string{"1:7-26 2 outfeed"}},
	} {
		writeFile(t, dir, ".mlir-lint.yaml", test.config)
		e.Save(config)
		e.want(t, 2, test.want...)
	}
	e.end(t)

	e = edit(t, few, "-config", writeFile(t, dir, "c.yaml", "strict: 3"))
	e.Open(uri, outfeeds)
	e.says(t, "c.yaml:1:9: strict is \"3\", and must be true or false")
	writeFile(t, dir, "c.yaml", "strict: true")
	e.Save(uri)
	e.want(t, 1, "1:7-26 1 outfeed")
	e.end(t)
}

// TestEditorNoLibrary checks that a library that cannot be loaded is reported in the document.
func TestEditorNoLibrary(t *testing.T) {
	e := edit(t, few, "-engine", writeFile(t, t.TempDir(), "lib.so", "no library"))
	e.Open("a:a", outfeeds)
	e.says(t, "lib.so")
	e.Must("shutdown", nil, nil)
	e.Notify("exit", nil)
	check.NoError(t, e.Ended())
}

func TestEditorUsage(t *testing.T) {
	for _, test := range []struct {
		args   []string
		exit   int
		output []string
	}{
		{[]string{"lsp", "-h"}, 0, []string{"usage: ", " lsp [flags]", "-config", "-engine", "-max-memory",
			"-max-module", "-rules", "-strict", "-target-stablehlo", "-timeout"}},
		{[]string{"lsp", "-fix"}, 2, []string{"flag provided but not defined: -fix: the flags are -h, -allow-unregistered-dialect, -config, -engine, -max-memory, -max-module, -rules, -strict, -target-stablehlo, -timeout\n"}},
		{[]string{"lsp", "a.mlir"}, 2, []string{`lsp checks what the editor opens: leave out "a.mlir"`}},
		{[]string{"lsp", "-timeout", "0"}, 2, []string{"-timeout: give a time of more than zero"}},
		{[]string{"lsp", "-rules", "outfed"}, 2,
			[]string{`there is no rule "outfed", did you mean "outfeed": choose from after-all`}},
		{[]string{"lsp", "-engine", "mlr"}, 2, []string{`-engine: there is no library "mlr", did you mean "mlir"`}},
		{[]string{"lsp"}, 1, []string{"the client ended without the request shutdown\n"}},
		{[]string{"-h"}, 0, []string{" lsp [flags]\n", " lsp -h\" prints its flags"}},
	} {
		execute("", test.args...).holds(t, test.exit, test.output...)
	}
	execute(hook, "lsp").holds(t, 1, "the input is not the Language Server Protocol, which editors speak")
}

// TestEditorIgnored checks that an editor's repair of the module does not replace what is ignored.
func TestEditorIgnored(t *testing.T) {
	text := strings.Replace(hook, "  %t", "  // mlir-lint:ignore create-token it is right\n  %t", 1)
	e := edit(t, rules.All())
	e.Open("untitled:a", text)
	e.want(t, 1, "3:7-26 1 outfeed")
	actions := e.Actions("untitled:a", 3, 8)
	check.Diff(t, "actions", 3, len(actions))
	for _, a := range actions[:2] {
		if a.Disabled == nil || !strings.Contains(a.Disabled.Reason,
			"a:3:8, which stays: its finding is ignored") {
			t.Errorf("the action is %+v, %+v", a, a.Disabled)
		}
	}
	e.end(t)
}

// TestEditorUnsafe checks that an editor's action says that it changes the program, and is not among those
// of all findings.
func TestEditorUnsafe(t *testing.T) {
	e := edit(t, rules.All())
	e.Open("untitled:a", observed)
	p := e.Published()
	at := p.Diagnostics[0].Range.Start
	actions := e.Actions("untitled:a", at.Line, at.Character)
	if len(actions) != 2 || actions[1].Title != "ignore side-effect here" ||
		actions[0].Title != "set has_side_effect = true (changes what the program does)" ||
		!strings.Contains(lsptest.Apply(observed, actions[0].Edit.Changes["untitled:a"]), "has_side_effect = true") {
		t.Errorf("the actions are %+v", actions)
	}
	e.end(t)
}
