//go:build cgo

package command

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/mlir"
)

// A mended input is the answer of a worker that repaired one. Its findings are those of the
// repaired input and of what is left, or only the latter if it is not written.
type mended struct {
	Sum     [sha256.Size]byte // of the input
	Changed bool
	Data    []byte // to write, or nil
	Diff    []byte
	Fixed   int    // the number of findings that were repaired
	Left    int    // of those that must be mended by hand
	Unsafe  int    // of those whose repairs need -fix-unsafe
	Anew    string // see fix.Result
	Notes   []string
}

// mend repairs an input in the worker.
func (w *worker) mend(in input, library *mlir.Library, exported bool, sum [sha256.Size]byte) answer {
	selection := in.repairable(w.analyzers)
	o := fix.Options{Options: selection.options, Select: selection.apply, Texts: in.Fixing.Diff,
		Unsafe: in.Fixing.Unsafe}
	var r fix.Result
	var invalidParts []finding.Finding
	var err error
	switch {
	case exported:
		r, err = unwritable(library, in, o)
	case len(in.modules()) > 1:
		r, invalidParts, err = in.repairParts(library, o)
	default:
		r, err = fix.Apply(library, in.Name, in.Data, o)
	}
	if err != nil {
		a := w.findings(in, library)
		if !errors.Is(err, fix.ErrInvalid) {
			a.Findings = append(a.Findings, unable(in.Name, "cannot be repaired: %v", err))
		}
		return a
	}
	m := &mended{Sum: sum, Changed: r.Changed, Fixed: len(r.Fixed), Left: len(r.Left), Unsafe: r.Unsafe,
		Anew: r.Anew, Notes: r.Notes}
	written := !in.Fixing.Diff && (!r.Changed || in.Fixing.refuses(m) == "")
	a := answer{Text: !mlir.IsBytecode(in.Data)}
	if written {
		after := in
		after.Data = r.Data
		a = w.findings(after, library)
	}
	left := append(r.Left, invalidParts...)
	if !mlir.IsBytecode(in.Data) {
		report.AddSources(in.Data, left)
	}
	report.Fingerprints(left)
	a.addLeft(left)
	switch {
	case in.Fixing.Diff:
		m.Diff = difference(in.Name, r.Before, r.After)
	case r.Changed && written:
		m.Data = r.Data
	}
	a.Mended = m
	return a
}

// refuses returns why a file that was repaired is not written, or "".
func (f fixing) refuses(m *mended) string {
	switch {
	case m.Left > 0 && !f.Partial:
		return "not everything can be repaired: mend the rest by hand, or use -fix-partial"
	case m.Anew != "" && !f.Reprint:
		return m.Anew + ": see it with -diff, and use -fix -reprint"
	}
	return ""
}

// difference returns what a repair changes in a text, for "git apply" or "patch -p1" in the folder. It is nil if
// nothing changes.
func difference(name string, before, after []byte) []byte {
	name = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "/")
	diff := udiff.Unified("a/"+name, "b/"+name, string(before), string(after))
	if diff == "" {
		return nil
	}
	return []byte(diff)
}

// addLeft adds the findings about what is left. They may say more than those that the rules find.
func (a *answer) addLeft(left []finding.Finding) {
	said := map[int]bool{}
	for _, f := range left {
		same := -1
		for i, g := range a.Findings {
			if !said[i] && g.Suppression == nil && g.Rule == f.Rule && strings.HasPrefix(f.Message, g.Message) {
				same = i
				break
			}
		}
		if same < 0 {
			same = len(a.Findings)
			a.Findings = append(a.Findings, f)
		}
		said[same], a.Findings[same].Message = true, f.Message
	}
}

// unwritable is fix.Apply for a file that the command cannot write: an error if there is anything to
// repair.
func unwritable(library *mlir.Library, in input, o fix.Options) (fix.Result, error) {
	found, err := lint.Check(library, in.Name, in.Data, o.Options)
	if err != nil {
		return fix.Result{}, err
	}
	r := fix.Result{Data: in.Data, Found: o.Select(in.Data, found)}
	wanted := func(d finding.Finding) bool { return d.Fix != nil && (o.Unsafe || !d.Fix.Unsafe) }
	if slices.ContainsFunc(r.Found, wanted) {
		return r, errors.New("it is a file of jax.export, which has more than the module: mend the program, and export it again")
	}
	return r, nil
}

// finish adds to the outcome of a worker's answer, and writes a file that was repaired.
func (s settings) finish(in input, m *mended, o *outcome) {
	o.left = m.Left > 0
	if m.Unsafe > 0 {
		o.notes = append(o.notes, fmt.Sprintf("%s: findings whose repair changes what the program does: %d: use -fix-unsafe",
			in.Name, m.Unsafe))
	}
	switch {
	case s.fixing.Diff:
		if m.Anew != "" {
			o.output = fmt.Appendf(nil, "%s: %s: -fix needs -reprint\n", in.Name, m.Anew)
		}
		o.output = append(o.output, m.Diff...)
		o.left = o.left || m.Changed
	case m.Data == nil && m.Changed:
		o.left = true
		o.notes = append(o.notes, fmt.Sprintf("%s: not written, because %s", in.Name, s.fixing.refuses(m)))
		return
	default:
		if err := s.put(in, m, o); err != nil {
			*o = outcome{findings: []finding.Finding{unable(in.Name, "cannot be written: %v", err)}}
			return
		}
	}
	if m.Changed {
		done := "findings repaired"
		if s.fixing.Diff {
			done = "findings that -fix repairs"
		}
		o.notes = append(o.notes, fmt.Sprintf("%s: %s: %d", in.Name, done, m.Fixed))
	}
	if m.Anew != "" && !s.fixing.Diff {
		m.Notes = append(m.Notes, m.Anew)
	}
	for _, note := range m.Notes {
		o.notes = append(o.notes, in.Name+": "+note)
	}
}

// put writes what was repaired: to the file, or, for standard input, to standard output, which
// gets it also if nothing changed.
func (s settings) put(in input, m *mended, o *outcome) error {
	switch {
	case in.stdin:
		o.output = in.Data
		if m.Changed {
			o.output = m.Data
		}
	case !m.Changed:
	case in.Path == nil:
		return errors.New("it is not a regular file")
	default:
		err := write(string(in.Path), m.Sum, m.Data)
		if errors.Is(err, replace.ErrReadOnly) {
			return fmt.Errorf("%w, or see with -diff what would change", inner(err))
		}
		return inner(err)
	}
	return nil
}
