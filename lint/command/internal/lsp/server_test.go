package lsp_test

import (
	"context"
	"errors"
	"io"
	"log"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp/lsptest"
	"github.com/calliope-mlir/calliope/lint/finding"
)

type M = lsptest.M

// words is a linter of words. Each has its own rule: old has a repair of some edits, whole and stuck
// have one of the whole text, which fails for stuck, hidden is ignored, and hang takes forever.
type words struct{ hung chan string }

func (w words) Check(
	ctx context.Context, name, text string, resolve *finding.Finding,
) (found []finding.Finding, err error) {
	for i, line := range strings.Split(text, "\n") {
		for _, rule := range []string{"old", "whole", "stuck", "hidden"} {
			at := strings.Index(line, rule)
			if at < 0 {
				continue
			}
			f := finding.Finding{Line: i + 1, Column: at + 1, Severity: finding.Warning, Rule: rule, Message: name}
			switch rule {
			case "old":
				f.Fix = &finding.Fix{Message: "write new"}
				if resolve != nil && resolve.Line == f.Line && resolve.Column == f.Column && resolve.Rule == rule {
					f.Fix.Edits = []finding.Edit{
						{Line: i + 1, Column: at + 1, EndLine: i + 1, EndColumn: at + 4, Text: "new"}}
				}
			case "hidden":
				f.Suppression = &finding.Suppression{Reason: "the test"}
			default:
				f.Fix = &finding.Fix{Message: "free " + rule, Migrate: true}
			}
			found = append(found, f)
		}
	}
	if strings.Contains(text, "hang") {
		w.hung <- text
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return found, nil
}

func (words) Repair(_ context.Context, _, text, rule string) (string, error) {
	if strings.Contains(text, "stuck") && rule != "whole" {
		return "", errors.New("it is stuck")
	}
	return strings.NewReplacer("whole", "part", "old", "new").Replace(text), nil
}

func (w words) Stop() {}

type server struct {
	*lsptest.Client
	words
	log *strings.Builder // to read after the end
}

func start(t *testing.T) server {
	w, logged := words{make(chan string, 10)}, new(strings.Builder)
	c := lsptest.Start(t, func(r io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), r, out, lsp.Options{
			Linter: w, Config: "words.yaml", Version: "1.2", Log: log.New(logged, "", 0),
			Link: func(rule string) string {
				return strings.Replace("x:#old", "old", rule, strings.Count(rule, "old"))
			},
		})
	})
	return server{c, w, logged}
}

// end ends the server as the protocol wants.
func (s server) end(t *testing.T) {
	t.Helper()
	s.Must("shutdown", nil, nil)
	s.Notify("exit", nil)
	check.NoError(t, s.Ended())
	s.Quiet()
}

// codes returns the version and the rules of the next diagnostics.
func (s server) codes(t *testing.T) (version int32, rules []string) {
	t.Helper()
	p := s.Published()
	for _, d := range p.Diagnostics {
		rules = append(rules, d.Code)
	}
	if p.Version == nil {
		return 0, rules
	}
	return *p.Version, rules
}

func (s server) wantCodes(t *testing.T, version int32, rules ...string) {
	t.Helper()
	v, got := s.codes(t)
	check.Diff(t, "version", version, v)
	check.Diff(t, "rules", rules, got)
}

var (
	literals = M{"codeActionLiteralSupport": M{"codeActionKind": M{"valueSet": []string{}}}}
	plain    = M{"textDocument": M{"codeAction": literals}}
	lazy     = M{
		"general":   M{"positionEncodings": []string{"utf-16"}},
		"workspace": M{"workspaceEdit": M{"documentChanges": true}},
		"textDocument": M{"codeAction": M{
			"codeActionLiteralSupport": M{}, "dataSupport": true, "resolveSupport": M{"properties": []string{"edit"}},
		}},
	}
)

func TestInitialize(t *testing.T) {
	sync := M{"openClose": true, "change": 2.0, "save": true}
	for name, test := range map[string]struct {
		capabilities M
		want         M
	}{
		"nothing": {M{}, M{"positionEncoding": "utf-16", "textDocumentSync": sync}},
		"utf-8": {M{"general": M{"positionEncodings": []string{"utf-32", "utf-8"}}},
			M{"positionEncoding": "utf-8", "textDocumentSync": sync}},
		"lazy": {lazy, M{"positionEncoding": "utf-16", "textDocumentSync": sync,
			"codeActionProvider": M{"codeActionKinds": []any{"quickfix", "source.fixAll.mlir-lint"},
				"resolveProvider": true}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			check.Diff(t, "result", M{"capabilities": test.want, "serverInfo": M{"name": "mlir-lint", "version": "1.2"}},
				s.Initialize(test.capabilities))
			s.end(t)
		})
	}
}

func TestDiagnostics(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Open("file:///a%20b.mlir", "hidden\n😀 old\n")
	p := s.Published()
	check.Diff(t, "diagnostics", []lsptest.Diagnostic{{
		Range: lsptest.Range{Start: lsptest.Position{Line: 1, Character: 3},
			End: lsptest.Position{Line: 1, Character: 6}},
		Severity: 2, Code: "old", CodeDescription: struct{ Href string }{"x:#old"}, Source: "mlir-lint",
		Message: filepath.FromSlash("/a b.mlir"),
	}}, p.Diagnostics)
	check.Diff(t, "URI", "file:///a%20b.mlir", p.URI)

	// The changes of one message apply one after the other.
	at := func(line, begin, end int) lsptest.Range {
		return lsptest.Range{Start: lsptest.Position{Line: line, Character: begin},
			End: lsptest.Position{Line: line, Character: end}}
	}
	s.Change("file:///a%20b.mlir", 2, M{"range": at(1, 3, 6), "text": "stuck"},
		M{"range": at(0, 0, 6), "text": "é whole"}, M{"range": at(1, 0, 2), "text": ""})
	s.wantCodes(t, 2, "whole", "stuck")
	s.Change("file:///a%20b.mlir", 3, M{"text": "old"})
	s.wantCodes(t, 3, "old")
	s.Close("file:///a%20b.mlir")
	s.wantCodes(t, 0)
	s.end(t)
}

// TestStale checks that a check ends when its document changes or is closed, and that its result is not
// published.
func TestStale(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Open("a:a", "hang old")
	<-s.hung
	s.Open("a:b", "whole") // others go on
	s.wantCodes(t, 1, "whole")
	s.Change("a:a", 2, M{"text": "hang stuck"})
	<-s.hung
	s.Change("a:a", 3, M{"text": "old"})
	s.wantCodes(t, 3, "old")
	s.Change("a:a", 4, M{"text": "hang"})
	<-s.hung
	s.Close("a:a")
	s.wantCodes(t, 0)
	s.Open("a:a", "hang")
	<-s.hung
	s.end(t)
}

// TestWaiting checks requests for actions while a check is under way.
func TestWaiting(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Open("a:a", "hang old")
	<-s.hung
	failed := make(chan error)
	request := M{"textDocument": M{"uri": "a:a"}, "range": lsptest.Range{}, "context": M{}}
	go func() { failed <- s.Call("textDocument/codeAction", request, nil) }()
	s.Change("a:a", 2, M{"text": "old"})
	if err := <-failed; err != nil { // the request may have come after the change
		check.Error(t, err, "[-32801] the document has changed")
	}
	s.wantCodes(t, 2, "old")
	s.Change("a:a", 3, M{"text": "old whole"})
	check.Diff(t, "actions after a change", 5, len(s.Actions("a:a", 0, 4))+len(s.Actions("a:a", 0, 8, "quickfix")))
	s.wantCodes(t, 3, "old", "whole")
	s.end(t)
}

// TestConfiguration checks what checks the documents again.
func TestConfiguration(t *testing.T) {
	s := start(t)
	s.Initialize(M{"workspace": M{"didChangeWatchedFiles": M{"dynamicRegistration": true}}})
	check.Diff(t, "registration",
		`client/registerCapability {"registrations":[{"id":"workspace/didChangeWatchedFiles",`+
			`"method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/words.yaml"}]}}]}`, s.Called())
	s.Open("file:///m/a.mlir", "old")
	s.wantCodes(t, 1, "old")
	s.Open("file:///m/words.yaml", "old") // no module
	check.Diff(t, "actions", 0, len(s.Actions("file:///m/words.yaml", 0, 0)))
	s.Save("file:///m/a.mlir")
	s.wantCodes(t, 1, "old")
	s.Save("file:///m/words.yaml")
	s.wantCodes(t, 1, "old")
	s.Notify("workspace/didChangeWatchedFiles", M{"changes": []M{{"uri": "file:///m/words.yaml", "type": 2}}})
	s.wantCodes(t, 1, "old")
	s.end(t)
}

func TestBytecode(t *testing.T) {
	for _, text := range []string{"ML\ufffdR\x01", "MLïR"} {
		s := start(t)
		s.Initialize(plain)
		s.Open("a:a", text)
		p := s.Published()
		if len(p.Diagnostics) != 1 || p.Diagnostics[0].Severity != 3 ||
			!strings.HasPrefix(p.Diagnostics[0].Message, "this is bytecode") {
			t.Errorf("%q: %+v", text, p)
		}
		s.end(t)
	}
}
