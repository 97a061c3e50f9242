package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// A document is a document that the client has open.
type document struct {
	uri, name string
	version   int32
	text      text
	lost      bool // a change could not be read: the text is not known until it comes whole
	job       *job // of this version; nil for a configuration, and if the text is not known
}

// A job is the check of one version of a document.
type job struct {
	versionedDocument
	name     string
	text     text
	stop     context.CancelFunc
	hurry    chan struct{} // gets a value if somebody waits for the check
	done     chan struct{}
	findings []finding.Finding // to publish, once the check is done
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
	d.version = p.TextDocument.Version
	known := !d.lost
	err = d.change(p.ContentChanges, s.client.encoding)
	if known && d.lost {
		s.clear(d)
		s.notify("window/showMessage", showMessageParams{messageError, fmt.Sprintf(
			"mlir-lint does not check %s, because it cannot read a change that the editor sent: %v. "+
				"Close the file and open it again.", d.name, err)})
	}
	s.start(d, pause)
	return err
}

// change applies changes one after the other. The error is that of the first one that cannot be read.
func (d *document) change(changes json.RawMessage, e encoding) error {
	var each []json.RawMessage
	first := json.Unmarshal(changes, &each)
	d.lost = d.lost || first != nil
	for _, data := range each {
		var c contentChange
		switch err := json.Unmarshal(data, &c); {
		case err != nil:
			d.lost, first = true, cmp.Or(first, err)
		case c.Range == nil:
			d.lost, d.text = false, newText(c.Text)
		case !d.lost:
			d.text = d.text.replace(*c.Range, e, c.Text)
		}
	}
	return first
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
	delete(s.documents, d.uri)
	s.clear(d)
}

// clear ends the check of a document and removes its diagnostics. The caller holds the lock.
func (s *server) clear(d *document) {
	d.stop()
	d.job = nil
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
	if d.lost || s.configures(d.name) {
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
func (s *server) findings(ctx context.Context, j *job, resolve *finding.Finding) ([]finding.Finding, error) {
	if isBytecode(j.text.data) {
		return []finding.Finding{{Line: 1, Column: 1, Severity: finding.Note, Rule: "invalid",
			Message: "this is bytecode, which an editor changes when it reads it: check the file with mlir-lint"}}, nil
	}
	found, err := s.Linter.Check(ctx, j.name, j.text.data, resolve)
	return slices.DeleteFunc(found, func(f finding.Finding) bool { return !f.Open() }), err
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
var severities = map[finding.Severity]int{finding.Error: 1, finding.Warning: 2, finding.Note: 3}

func (s *server) diagnostic(j *job, f finding.Finding) diagnostic {
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
func (j *job) related(places []finding.Related, e encoding) (all []related) {
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
