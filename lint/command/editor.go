//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/native"
)

// An editor checks the documents that an editor has open, in workers. It is an lsp.Linter.
type editor struct {
	options *options
	rules   []report.Rule
	log     *log.Logger
	ctx     context.Context // of fetching libraries, which a check that ends does not stop
	stop    context.CancelFunc

	fetching sync.Mutex
	part     native.Part // the library to fetch, if the settings have none
	settings settings

	places chan struct{} // one for each worker that is busy
	mu     sync.Mutex
	idle   []*slot
}

// link returns the address of the documentation of a rule, unless the rule is the user's own.
func (e *editor) link(rule string) string {
	r, _ := find(rule, e.rules)
	return r.URL
}

// Check implements lsp.Linter. A reason why the document cannot be checked is a finding.
func (e *editor) Check(ctx context.Context, name, text string, resolve *finding.Finding) ([]finding.Finding, error) {
	p, in, err := e.request(name, text)
	if err != nil {
		return []finding.Finding{unable(name, "%v", err)}, nil
	}
	if in == nil {
		return nil, nil
	}
	if resolve != nil {
		in.EditsOf = &spot{resolve.Rule, resolve.Line, resolve.Column}
	}
	a, err := e.ask(ctx, fixing{}, in)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		e.log.Print(err)
		return []finding.Finding{unable(name, "%v", err)}, nil
	}
	return p.finish(*in, outcome{findings: a.Findings, text: a.Text}), nil
}

// Repair implements lsp.Linter.
func (e *editor) Repair(ctx context.Context, name, text, rule string) (string, error) {
	_, in, err := e.request(name, text)
	if err != nil {
		return "", err
	}
	if in == nil {
		return "", errors.New("the configuration ignores the file")
	}
	a, err := e.ask(ctx, fixing{Fix: true, Rule: rule, Unsafe: rule != ""}, in)
	switch {
	case err != nil:
		return "", err
	case a.Mended != nil && a.Mended.Data != nil:
		return string(a.Mended.Data), nil
	case a.Mended != nil && a.Mended.Left == 0 && a.Mended.Changed:
		return "", errors.New(a.Mended.Anew)
	case a.Mended != nil && a.Mended.Left == 0:
		return "", errors.New("there is nothing to repair")
	}
	const why = "not everything can be repaired"
	for _, f := range a.Findings {
		if f.Suppression == nil {
			return "", fmt.Errorf("%s: line %d: %s", why, f.Line, f.Message)
		}
	}
	return "", errors.New(why)
}

// Stop implements lsp.Linter.
func (e *editor) Stop() { e.stop() }

// request returns the plan for a document and its input, or no input if the configuration ignores
// it. The configuration is read each time, because it may have changed.
func (e *editor) request(name, text string) (plan, *input, error) {
	p, err := e.options.plan(e.rules, namesOf(e.rules))
	if err != nil {
		return p, nil, err
	}
	planned := p.apply([]input{ofText(name, text)})
	if len(planned) == 0 {
		return p, nil, nil
	}
	in := &planned[0]
	in.Split = true
	if m := in.mistake; m != nil {
		return p, nil, &config.Error{File: m.File, Line: m.Line, Column: m.Column, Message: m.Message}
	}
	return p, in, nil
}

// ask asks a worker.
func (e *editor) ask(ctx context.Context, f fixing, in *input) (answer, error) {
	e.fetching.Lock()
	err := e.settings.fetchEngine(e.ctx, e.part, e.log.Writer())
	s := e.settings
	e.fetching.Unlock()
	if err != nil {
		return answer{}, err
	}
	s.fixing = f
	d, err := e.take(ctx)
	if err != nil {
		return answer{}, err
	}
	defer e.giveBack(d)
	if problem := s.prepare(in); problem != nil {
		return answer{Findings: []finding.Finding{*problem}}, nil
	}
	a, err := s.ask(ctx, d, *in, s.limit)
	if lost, ok := errors.AsType[*loss](err); ok {
		return s.askOthers(ctx, d, *in, lost)
	}
	return a, err
}

// take waits until a worker may run.
func (e *editor) take(ctx context.Context) (*slot, error) {
	select {
	case e.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.idle); n > 0 {
		d := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return d, nil
	}
	return new(slot), nil
}

func (e *editor) giveBack(d *slot) {
	e.mu.Lock()
	e.idle = append(e.idle, d)
	e.mu.Unlock()
	<-e.places
}

// close ends the workers. No check is under way.
func (e *editor) close() {
	for _, d := range e.idle {
		d.clear()
	}
}
