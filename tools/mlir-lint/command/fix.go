package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/unified"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/mlir"
)

// A fixing is what to do with repairs. The zero value only reports findings.
type fixing struct {
	Fix     bool // apply them and write the file
	Partial bool // also if findings are left
	Diff    bool // print what they change, and write nothing
}

// register adds the flags.
func (f *fixing) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.Fix, "fix", false, "repair findings and write the files, unless something is left to do by hand; standard input goes to standard output")
	flags.BoolVar(&f.Partial, "fix-partial", false, "-fix that also writes files in which something is left")
	flags.BoolVar(&f.Diff, "diff", false, "print what -fix would change as a unified diff, and write nothing; exit status 1 if there is a difference")
}

func (f fixing) on() bool { return f.Fix || f.Partial || f.Diff }

// A mended input is the answer of a worker that repaired one.
type mended struct {
	Sum     [sha256.Size]byte // of the input
	Changed bool
	Data    []byte // to write, or nil
	Diff    []byte
	Fixed   int // the number of findings that were repaired
	Left    []lint.Diagnostic
	Found   []lint.Diagnostic
	Notes   []string
}

// mend repairs an input in the worker.
func (in input) mend(library *mlir.Library, o lint.Options, exported bool, sum [sha256.Size]byte) answer {
	var r fix.Result
	var err error
	if exported {
		r, err = unwritable(library, in, o)
	} else {
		r, err = fix.Apply(library, in.Name, in.Data, fix.Options{Options: o, Texts: in.Fixing.Diff})
	}
	if err != nil {
		found := lint.CheckWith(library, in.Name, in.Data, o)
		if !errors.Is(err, fix.ErrInvalid) {
			found = append(found, invalid(in.Name, "cannot be repaired: %v", err))
		}
		return answer{Diagnostics: found}
	}
	m := &mended{Sum: sum, Changed: r.Changed, Fixed: len(r.Fixed), Left: r.Left, Found: r.Found, Notes: r.Notes}
	switch {
	case in.Fixing.Diff:
		m.Diff = unified.Diff(in.Name+".orig", in.Name, r.Before, r.After)
	case r.Changed && (in.Fixing.Partial || len(r.Left) == 0):
		m.Data = r.Data
	}
	return answer{Mended: m}
}

// unwritable is fix.Apply for a file that the command cannot write: an error if there is anything to
// repair.
func unwritable(library *mlir.Library, in input, o lint.Options) (fix.Result, error) {
	r := fix.Result{Data: in.Data, Found: lint.CheckWith(library, in.Name, in.Data, o)}
	if slices.ContainsFunc(r.Found, func(d lint.Diagnostic) bool { return d.Fix != nil }) {
		return r, errors.New("it is a file of jax.export, which has more than the module: mend the program, and export it again")
	}
	return r, nil
}

// finish makes the outcome of a worker's answer. It writes a file that was repaired.
func (s settings) finish(in input, a answer) outcome {
	m := a.Mended
	if m == nil {
		return outcome{diagnostics: a.Diagnostics}
	}
	o := outcome{left: len(m.Left) > 0}
	switch {
	case s.fixing.Diff:
		o.output, o.diagnostics = m.Diff, m.Left
		o.left = o.left || m.Changed
	case m.Data == nil && m.Changed:
		o.diagnostics = m.Left
		o.notes = []string{fmt.Sprintf("%s: not written, because not everything can be repaired: mend the rest by hand, or use -fix-partial", in.Name)}
		return o
	default:
		o.diagnostics = withLeft(m.Found, m.Left)
		if err := s.put(in, m, &o); err != nil {
			o.diagnostics = []lint.Diagnostic{invalid(in.Name, "cannot be written: %v", err)}
			return o
		}
	}
	if m.Changed && !s.fixing.Diff {
		o.notes = append(o.notes, fmt.Sprintf("%s: findings repaired: %d", in.Name, m.Fixed))
	}
	for _, note := range m.Notes {
		o.notes = append(o.notes, in.Name+": "+note)
	}
	return o
}

// put writes what was repaired: to the file, or, for standard input, to standard output, which
// gets it also if nothing changed.
func (s settings) put(in input, m *mended, o *outcome) error {
	switch {
	case in.Name == stdinName && in.Path == nil:
		o.output = in.Data
		if m.Changed {
			o.output = m.Data
		}
	case !m.Changed:
	case in.Path == nil:
		return errors.New("it is not a regular file")
	default:
		return s.disk.replace(string(in.Path), m.Sum, m.Data)
	}
	return nil
}

// aside reports whether findings go to standard error, because standard output gets something else.
func (f fixing) aside(in input) bool {
	return f.Diff || f.on() && in.Name == stdinName && in.Path == nil
}

// withLeft adds the findings of left that are not in found.
func withLeft(found, left []lint.Diagnostic) []lint.Diagnostic {
	all := slices.Clone(found)
	for _, l := range left {
		if !slices.ContainsFunc(found, func(d lint.Diagnostic) bool { return d.Rule == l.Rule && d.Message == l.Message }) {
			all = append(all, l)
		}
	}
	return all
}

// noted returns the lines of the notes for standard error.
func (o outcome) noted() []byte {
	var b bytes.Buffer
	for _, note := range o.notes {
		fmt.Fprintln(&b, note)
	}
	return b.Bytes()
}
