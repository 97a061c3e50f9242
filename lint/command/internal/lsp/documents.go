package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// A document is a document that the client has open.
type document struct {
	uri, name string
	version   int32
	text      text
	job       *job // of this version; nil for a configuration
}

// A job is the check of one version of a document.
type job struct {
	versionedDocument
	name     string
	text     text
	stop     context.CancelFunc
	hurry    chan struct{} // gets a value if somebody waits for the check
	done     chan struct{}
	findings []report.Finding // to publish, once the check is done
}

// stop ends the check, whose result is not published then. The caller holds the lock.
func (d *document) stop() {
	if d.job != nil {
		d.job.stop()
	}
}

// pause is how long a check waits for the next change, unless code actions are asked for.
const pause = 200 * time.Millisecond

func (s *server) didOpen(p didOpenParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := p.TextDocument.URI
	if old := s.documents[uri]; old != nil {
		old.stop()
	}
	d := &document{uri: uri, name: nameOf(uri), version: p.TextDocument.Version, text: newText(p.TextDocument.Text)}
	s.documents[uri] = d
	s.start(d, 0)
	return nil
}

func (s *server) didChange(p didChangeParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return err
	}
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			d.text = newText(c.Text)
			continue
		}
		changed, err := d.text.replace(*c.Range, s.client.encoding, c.Text)
		if err != nil { // the text is not known any more
			s.forget(d)
			s.notify("window/showMessage", showMessageParams{messageError, fmt.Sprintf(
				"mlir-lint no longer checks %s, because the editor sent a change that does not fit: %v. Close the file and open it again.", d.name, err)})
			return err
		}
		d.text = changed
	}
	d.version = p.TextDocument.Version
	s.start(d, pause)
	return nil
}

// didSave checks the document again, because its configuration may have changed.
func (s *server) didSave(p documentParams) error {
	if s.configures(nameOf(p.TextDocument.URI)) {
		s.startAll()
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.document(p.TextDocument.URI)
	if err == nil {
		s.start(d, 0)
	}
	return err
}

func (s *server) didClose(p documentParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.document(p.TextDocument.URI)
	if err == nil {
		s.forget(d)
	}
	return err
}

func (s *server) didChangeWatchedFiles(struct{}) error {
	s.startAll()
	return nil
}

// document returns an open document. The caller holds the lock.
func (s *server) document(uri string) (*document, error) {
	if d := s.documents[uri]; d != nil {
		return d, nil
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "the document %q is not open", uri)
}

// forget removes a document and its diagnostics. The caller holds the lock.
func (s *server) forget(d *document) {
	d.stop()
	delete(s.documents, d.uri)
	s.notify("textDocument/publishDiagnostics", publishParams{URI: d.uri, Diagnostics: []diagnostic{}})
}

// configures reports whether a file configures the linter. It may be open, but is no module.
func (s *server) configures(name string) bool { return filepath.Base(name) == s.Config }

// startAll checks all documents again.
func (s *server) startAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.documents {
		s.start(d, 0)
	}
}

// start checks a document after a delay, unless it changes. It ends the check of an earlier version.
// The caller holds the lock.
func (s *server) start(d *document, delay time.Duration) {
	if s.configures(d.name) {
		return
	}
	d.stop()
	ctx, stop := context.WithCancel(s.ctx)
	j := &job{versionedDocument: versionedDocument{d.uri, d.version}, name: d.name, text: d.text, stop: stop,
		hurry: make(chan struct{}, 1), done: make(chan struct{})}
	d.job = j
	s.work.Go(func() {
		defer close(j.done)
		defer stop()
		select {
		case <-ctx.Done():
			return
		case <-j.hurry:
		case <-time.After(delay):
		}
		findings, err := s.findings(ctx, j, nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() != nil { // nobody ends the check while this goroutine has the lock
			return
		}
		if err != nil {
			s.Log.Printf("checking %s: %v", j.name, err)
			return
		}
		j.findings = findings
		s.publish(j)
	})
}

// findings returns the findings of a document that count. resolve is that of Linter.Check.
func (s *server) findings(ctx context.Context, j *job, resolve *report.Finding) ([]report.Finding, error) {
	if isBytecode(j.text.data) {
		return []report.Finding{{Line: 1, Column: 1, Severity: report.Note, Rule: "invalid",
			Message: "this is bytecode, which an editor changes when it reads it: check the file with mlir-lint"}}, nil
	}
	found, err := s.Linter.Check(ctx, j.name, j.text.data, resolve)
	return slices.DeleteFunc(found, func(f report.Finding) bool { return !f.Open() }), err
}

// isBytecode reports whether a text was bytecode, whose first bytes are "ML\xefR", before an
// editor read it as UTF-8 or Latin-1.
func isBytecode(text string) bool {
	return strings.HasPrefix(text, "ML\ufffdR") || strings.HasPrefix(text, "MLïR")
}

// publish sends the findings of a check.
func (s *server) publish(j *job) {
	diagnostics := make([]diagnostic, len(j.findings))
	for i, f := range j.findings {
		diagnostics[i] = s.diagnostic(j, f)
	}
	s.notify("textDocument/publishDiagnostics", publishParams{j.URI, &j.Version, diagnostics})
}

// severities are those of the protocol.
var severities = map[report.Severity]int{report.Error: 1, report.Warning: 2, report.Note: 3}

func (s *server) diagnostic(j *job, f report.Finding) diagnostic {
	d := diagnostic{
		Range:    j.text.wordAt(j.text.place(f.Line, f.Column), s.client.encoding),
		Severity: severities[f.Severity],
		Code:     f.Rule,
		Source:   "mlir-lint",
		Message:  f.Text(),
	}
	if s.client.related {
		d.Message, d.Related = f.Message, j.related(f.Related, s.client.encoding)
	}
	if link := s.Link(f.Rule); link != "" {
		d.CodeDescription = &codeDescription{link}
	}
	return d
}

// related returns the places beside that of a finding. The name of a file is relative to the folder of the
// document. A place in no file is at the begin of the document.
func (j *job) related(places []report.Related, e encoding) (all []related) {
	for _, r := range places {
		at := related{location{URI: j.URI}, cmp.Or(r.Message, "in the program that made the module")}
		name := filepath.FromSlash(r.File)
		if r.File != "" && !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(j.name), name)
		}
		from := position{uint32(max(r.Line, 1) - 1), uint32(max(r.Column, 1) - 1)}
		switch {
		case r.File == j.name:
			place := j.text.place(r.Line, r.Column)
			at.Location.Range = j.text.span(place, place, e)
		case filepath.IsAbs(name):
			at.Location = location{uriOf(name), span{from, from}}
		}
		all = append(all, at)
	}
	return all
}
