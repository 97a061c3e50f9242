package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/creachadair/jrpc2"

	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// The kinds of the code actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.mlir-lint"
)

// codeActions returns the repairs of the findings in a range, that of all findings, and comments that ignore
// those in the range. It waits for the check of the current version.
func (s *server) codeActions(ctx context.Context, p codeActionParams) ([]codeAction, error) {
	j, err := s.checked(ctx, p.TextDocument.URI)
	if err != nil || j == nil {
		return []codeAction{}, err
	}
	wanted := func(kind string) bool {
		return p.Context.Only == nil || slices.ContainsFunc(p.Context.Only, func(only string) bool {
			return kind == only || only == "" || strings.HasPrefix(kind, only+".")
		})
	}
	actions := []codeAction{}
	if wanted(quickFix) {
		actions = s.quickFixes(j, p.Range)
	}
	safe := func(f finding.Finding) bool { return f.Fix != nil && !f.Fix.Unsafe }
	if wanted(fixAll) && slices.ContainsFunc(j.findings, safe) {
		actions = append(actions, codeAction{Title: "repair all findings of mlir-lint", Kind: fixAll,
			Data: &repairData{versionedDocument: j.versionedDocument}})
	}
	if !s.client.resolve {
		if actions, err = s.complete(ctx, j, actions); err != nil {
			return nil, err
		}
	}
	if wanted(quickFix) {
		actions = append(actions, s.ignores(j, p.Range)...)
	}
	return actions, nil
}

// ignores returns the actions that write comments above the findings in a range, one for each rule and line.
func (s *server) ignores(j *job, r span) (actions []codeAction) {
	seen := map[string]bool{}
	for _, f := range j.findings {
		d := s.diagnostic(j, f)
		place := fmt.Sprint(f.Line, f.Rule)
		if f.NoPlace || f.Rule == finding.Invalid || f.Rule == ignore.Rule || seen[place] || !d.Range.overlaps(r) {
			continue
		}
		seen[place] = true
		at := j.text.place(f.Line, 1)
		comment := ignore.Line(j.text.data[at:], []string{f.Rule}, "TODO: say why")
		actions = append(actions, codeAction{Title: "ignore " + f.Rule + " here", Kind: quickFix,
			Diagnostics: []diagnostic{d},
			Edit:        s.edit(j, []textEdit{{j.text.span(at, at, s.client.encoding), comment}})})
	}
	return actions
}

// checked returns the check of the current version of a document, when it is done. It is nil for a
// configuration.
func (s *server) checked(ctx context.Context, uri string) (*job, error) {
	s.mu.Lock()
	d, err := s.document(uri)
	if err != nil || d.job == nil {
		s.mu.Unlock()
		return nil, err
	}
	j := d.job
	s.mu.Unlock()
	select {
	case j.hurry <- struct{}{}:
	default:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-j.done:
		return j, s.current(j)
	}
}

// current returns an error if the document of a check has changed.
func (s *server) current(j *job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[j.URI]; d == nil || d.job != j {
		return jrpc2.Errorf(codeModified, "the document has changed")
	}
	return nil
}

// quickFixes returns the repairs of the findings in a range, without their edits. One of the whole
// document repairs all findings of its rule, and is listed once.
func (s *server) quickFixes(j *job, r span) []codeAction {
	actions := []codeAction{}
	whole := map[string]int{} // by title
	for i, f := range j.findings {
		d := s.diagnostic(j, f)
		if f.Fix == nil || !d.Range.overlaps(r) {
			continue
		}
		a := codeAction{Title: f.Fix.Title(), Kind: quickFix, Diagnostics: []diagnostic{d}, IsPreferred: !f.Fix.Unsafe,
			Data: &repairData{versionedDocument: j.versionedDocument, Rule: f.Rule}}
		if !f.Fix.Whole() {
			a.Data.Finding = &i
		} else if first, ok := whole[a.Title]; ok {
			actions[first].Diagnostics = append(actions[first].Diagnostics, d)
			continue
		} else {
			whole[a.Title] = len(actions)
		}
		actions = append(actions, a)
	}
	return actions
}

// complete returns actions with their edits. One that is not possible is disabled, or left out if the
// client does not know that.
func (s *server) complete(ctx context.Context, j *job, actions []codeAction) ([]codeAction, error) {
	done := actions[:0]
	for _, a := range actions {
		edit, err := s.repair(ctx, j, *a.Data)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !s.client.disabled:
			continue
		case err != nil:
			a.Disabled, a.IsPreferred = &disabled{err.Error()}, false
		}
		a.Edit, a.Data = edit, nil
		done = append(done, a)
	}
	return done, s.current(j)
}

// resolve adds the edit to an action that codeActions returned.
func (s *server) resolve(ctx context.Context, a codeAction) (codeAction, error) {
	if a.Data == nil {
		return a, nil
	}
	j, err := s.checked(ctx, a.Data.URI)
	if err != nil {
		return a, err
	}
	if j == nil || j.Version != a.Data.Version {
		return a, jrpc2.Errorf(codeModified, "the document has changed")
	}
	if a.Edit, err = s.repair(ctx, j, *a.Data); err != nil {
		return a, jrpc2.Errorf(codeFailed, "%v", err)
	}
	return a, s.current(j)
}

// repair returns the edit of a repair. One of a finding that has no edits of its own repairs all findings of the rule.
func (s *server) repair(ctx context.Context, j *job, d repairData) (*workspaceEdit, error) {
	if d.Finding != nil && 0 <= *d.Finding && *d.Finding < len(j.findings) {
		i := *d.Finding
		found, err := s.findings(ctx, j, &j.findings[i])
		if err != nil {
			return nil, err
		}
		if i < len(found) && found[i].Fix != nil && len(found[i].Fix.Edits) > 0 {
			return s.edit(j, s.textEdits(j.text, found[i].Fix.Edits)), nil
		}
	}
	repaired, err := s.Linter.Repair(ctx, j.name, j.text.data, d.Rule)
	if err != nil {
		return nil, err
	}
	var edits []textEdit
	for _, e := range udiff.Lines(j.text.data, repaired) {
		edits = append(edits, textEdit{j.text.span(e.Start, e.End, s.client.encoding), e.New})
	}
	return s.edit(j, edits), nil
}

// textEdits returns the edits of a finding.
func (s *server) textEdits(t text, edits []finding.Edit) (all []textEdit) {
	for _, e := range edits {
		all = append(all,
			textEdit{t.span(t.place(e.Line, e.Column), t.place(e.EndLine, e.EndColumn), s.client.encoding), e.Text})
	}
	return all
}

// edit returns the edit of a document, for its version if the client can.
func (s *server) edit(j *job, edits []textEdit) *workspaceEdit {
	if s.client.versioned {
		return &workspaceEdit{DocumentChanges: []documentEdit{{j.versionedDocument, edits}}}
	}
	return &workspaceEdit{Changes: map[string][]textEdit{j.URI: edits}}
}
