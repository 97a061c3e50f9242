package lint

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"slices"

	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Analyzer is one rule.
type Analyzer struct {
	// Name is in brackets at the end of each finding and selects the rule with -rules. It
	// consists of lower-case words joined by hyphens.
	Name string
	// Doc is one line that says what the rule finds.
	Doc string
	// Details explains the rule to its users: what it finds and why, an example, and what to
	// do. It is Markdown. It may be empty.
	Details string
	// Severity is the greatest severity of the rule's findings without Strict; "" is finding.Error.
	Severity finding.Severity
	// OffByDefault says that the rule runs only if it is asked for.
	OffByDefault bool
	// ByHand says that its findings have no repair, not even one of another rule that removes their
	// operations.
	ByHand bool
	// Run checks one module and reports findings through the pass. It must not print, and
	// must not change the module. An error means that the rule could not check the module;
	// it is reported as invalid input.
	Run func(*Pass) error
	// Relax, if it is not nil, lets Run explain why the library refuses a module. The errors of
	// the library are not reported at the places at which Run then reports an error.
	Relax *Relaxation
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Validate returns an error for the first mistake in a program's rules: a name of another form
// or one that occurs twice, or a rule without Doc or Run.
func Validate(analyzers []*Analyzer) error {
	seen := map[string]bool{finding.Invalid: true}
	for _, a := range analyzers {
		switch {
		case !nameForm.MatchString(a.Name):
			return fmt.Errorf("the rule name %q does not consist of lower-case words joined by hyphens", a.Name)
		case seen[a.Name]:
			return fmt.Errorf("the rule name %q is already in use: choose another one", a.Name)
		case a.Doc == "":
			return fmt.Errorf("the rule %s has no Doc: say in one line what it finds", a.Name)
		case a.Run == nil:
			return fmt.Errorf("the rule %s has no Run function", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// A Pass is the run of one rule on one module. One goroutine uses it, and everything in it is
// invalid after Run.
type Pass struct {
	Module          *mlir.Module
	Index           *mlir.Index // of Module.Operation
	Strict          bool        // see Options
	KnownTargets    []string    // see Options
	TargetStableHLO string      // see Options

	check    *check
	analyzer *Analyzer
}

// Operations returns an iterator over the module's operations of the given full names, in all
// regions: in the order of the names and, for each, of the text.
func (p *Pass) Operations(names ...string) iter.Seq[mlir.Operation] {
	return p.Index.Named(names...)
}

// Mentions reports whether the input may contain one of the texts, in a name or a string. It may
// report true if it contains none, but not the other way round. Rules use it to leave out a
// search of all operations.
func (p *Pass) Mentions(texts ...string) bool {
	data := p.check.data
	if data == nil || bytes.IndexByte(data, '\\') >= 0 { // of an escape
		return true
	}
	return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(data, []byte(text)) })
}

// Shared returns what make returns. Rules that pass the same key share the result: make is called
// once for a module. The key belongs to one type T.
func Shared[T any](p *Pass, key any, make func() T) T {
	if v, ok := p.check.shared[key]; ok {
		return v.(T)
	}
	v := make()
	p.check.shared[key] = v
	return v
}

// Report adds a finding at the position of the operation.
func (p *Pass) Report(at mlir.Operation, severity finding.Severity, format string, args ...any) {
	p.Add(at, finding.Finding{Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// ReportFix is Report for a finding that has a repair.
func (p *Pass) ReportFix(at mlir.Operation, severity finding.Severity, fix finding.Fix, format string, args ...any) {
	p.Add(at, finding.Finding{Severity: severity, Message: fmt.Sprintf(format, args...), Fix: &fix})
}

// Add adds a finding at the position of the operation. It has a severity and a message, and may have a repair and
// places of other operations: see Related. Add sets the other fields, and puts the places in the operation's location
// before those.
func (p *Pass) Add(at mlir.Operation, f finding.Finding) {
	f.File, f.Rule, f.Operation = p.check.file, p.analyzer.Name, p.check.number(at)
	setPlace(&f, p.check.placeOf(at), at.Location())
	if p.check.contexts {
		f.Context = contextOf(at)
	}
	p.check.found = append(p.check.found, f)
}

// Related returns the place of an operation that a finding is about, too, if it is in the text. what says what is
// there.
func (p *Pass) Related(op mlir.Operation, what string) []finding.Related {
	at := p.check.placeOf(op)
	if at.Line == 0 {
		return nil
	}
	return []finding.Related{{Message: what, File: p.check.file, Line: at.Line, Column: max(at.Column, 1)}}
}

// Place returns where an operation is, for messages: its position in the file, or else that of its
// location.
func (p *Pass) Place(op mlir.Operation) string {
	if at := p.check.placeOf(op); at.Line > 0 {
		at.File = p.check.file
		return at.String()
	}
	if related := relatedTo(op.Location()); related != nil {
		return related[0].String()
	}
	return "an unknown place"
}
