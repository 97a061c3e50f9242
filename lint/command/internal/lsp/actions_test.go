package lsp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp/lsptest"
)

const document = "é old\nsame\n😀 whole whole\nold"

// brief leaves out what other tests check.
var brief = cmp.Options{cmpopts.IgnoreFields(lsptest.Action{}, "Diagnostics", "Edit", "Data")}

func open(t *testing.T, capabilities M, text string) server {
	s := start(t)
	s.Initialize(capabilities)
	s.Open("a:a", text)
	s.Published()
	return s
}

func TestActions(t *testing.T) {
	s := open(t, plain, document)
	actions := s.Actions("a:a", 0, 3)
	check.Diff(t, "actions", []lsptest.Action{
		{Title: "write new", Kind: "quickfix"},
		{Title: "repair all findings of mlir-lint", Kind: "source.fixAll.mlir-lint"},
		{Title: "ignore old here", Kind: "quickfix"},
	}, actions, brief)
	check.Diff(t, "diagnostics", "old", actions[0].Diagnostics[0].Code)
	for i, want := range []string{"é new\nsame\n😀 whole whole\nold", "é new\nsame\n😀 part part\nnew",
		"// mlir-lint:ignore old TODO: say why\n" + document} {
		check.Diff(t, "text", want, lsptest.Apply(document, actions[i].Edit.Changes["a:a"]))
	}
	// Lines that stay are not edited.
	check.Diff(t, "edits", 2, len(actions[1].Edit.Changes["a:a"]))

	actions = s.Actions("a:a", 2, 8, "quickfix")
	check.Diff(t, "actions", []lsptest.Action{{Title: "free whole", Kind: "quickfix"},
		{Title: "ignore whole here", Kind: "quickfix"}}, actions, brief)
	for _, test := range []struct {
		only  string
		count int
	}{{"source", 1}, {"source.fixAll", 1}, {"source.fixAll.mlir-lint", 1}, {"source.fix", 0},
		{"source.fixAll.other", 0}, {"refactor", 0}} {
		check.Diff(t, test.only, test.count, len(s.Actions("a:a", 0, 3, test.only)))
	}
	check.Diff(t, "elsewhere", 0, len(s.Actions("a:a", 1, 0, "quickfix")))
	s.end(t)
}

// TestOneAction checks that a repair of the whole text is listed once.
func TestOneAction(t *testing.T) {
	s := open(t, plain, "whole\nwhole")
	var actions []lsptest.Action
	both := lsptest.Range{End: lsptest.Position{Line: 1, Character: 5}}
	s.Must("textDocument/codeAction",
		M{"textDocument": M{"uri": "a:a"}, "range": both, "context": M{"only": []string{"quickfix"}}}, &actions)
	if len(actions) != 3 || len(actions[0].Diagnostics) != 2 {
		t.Errorf("the actions are %+v", actions)
	}
	s.end(t)
}

func TestResolve(t *testing.T) {
	s := open(t, lazy, document)
	actions := s.Actions("a:a", 2, 3)
	check.Diff(t, "actions", []lsptest.Action{
		{Title: "free whole", Kind: "quickfix"},
		{Title: "repair all findings of mlir-lint", Kind: "source.fixAll.mlir-lint"},
		{Title: "ignore whole here", Kind: "quickfix"},
	}, actions, brief)
	if actions[0].Edit != nil || actions[0].Data == nil {
		t.Errorf("the action is %+v", actions[0])
	}
	whole := M{"title": "free whole", "kind": "quickfix", "data": actions[0].Data}
	var resolved lsptest.Action
	s.Must("codeAction/resolve", whole, &resolved)
	change := resolved.Edit.DocumentChanges[0]
	check.Diff(t, "version", int32(1), change.TextDocument.Version)
	check.Diff(t, "text", "é new\nsame\n😀 part part\nnew", lsptest.Apply(document, change.Edits))

	old := s.Actions("a:a", 0, 2, "quickfix")[0]
	s.Must("codeAction/resolve", M{"title": old.Title, "kind": "quickfix", "data": old.Data}, &resolved)
	check.Diff(t, "text", "é new\nsame\n😀 whole whole\nold",
		lsptest.Apply(document, resolved.Edit.DocumentChanges[0].Edits))
	s.Must("codeAction/resolve", M{"title": "other", "kind": "quickfix"}, &resolved)

	s.Change("a:a", 2, M{"text": "stuck"})
	check.Error(t, s.Call("codeAction/resolve", whole, nil), "[-32801] the document has changed")
	s.Published()
	stuck := M{"title": "free stuck", "kind": "quickfix", "data": M{"uri": "a:a", "version": 2, "rule": "stuck"}}
	check.Error(t, s.Call("codeAction/resolve", stuck, nil), "[-32803] it is stuck")
	s.end(t)
}

// TestRefused checks clients that want edits at once, and know disabled actions or not.
func TestRefused(t *testing.T) {
	s := open(t, plain, "stuck")
	check.Diff(t, "actions", []lsptest.Action{{Title: "ignore stuck here", Kind: "quickfix"}}, s.Actions("a:a", 0, 0),
		brief)
	s.end(t)

	s = open(t, M{"textDocument": M{"codeAction": M{"codeActionLiteralSupport": M{}, "disabledSupport": true}}},
		"stuck whole")
	why := &struct{ Reason string }{"it is stuck"}
	check.Diff(t, "actions", []lsptest.Action{
		{Title: "free stuck", Kind: "quickfix", Disabled: why},
		{Title: "repair all findings of mlir-lint", Kind: "source.fixAll.mlir-lint", Disabled: why},
		{Title: "ignore stuck here", Kind: "quickfix"},
	}, s.Actions("a:a", 0, 0), brief)
	s.end(t)
}
