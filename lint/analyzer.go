package lint

import (
	"fmt"
	"iter"
	"regexp"

	"github.com/calliope-mlir/calliope/mlir"
)

// Analyzer is one rule.
type Analyzer struct {
	// Name stands in brackets at the end of each finding and selects the rule with
	// -rules: lower-case words joined by hyphens.
	Name string
	// Doc is one line that says what the rule finds.
	Doc string
	// Run looks at one module and reports through the pass. It neither prints nor
	// changes the module. An error says that the rule could not judge the module,
	// which counts as invalid input.
	Run func(*Pass) error
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Validate finds the mistakes that a program can make in its rules: a name that is of
// another form or given twice, and a rule without Doc or Run.
func Validate(analyzers []*Analyzer) error {
	seen := map[string]bool{Invalid: true}
	for _, a := range analyzers {
		switch {
		case !nameForm.MatchString(a.Name):
			return fmt.Errorf("the rule name %q is not made of lower-case words joined by hyphens", a.Name)
		case seen[a.Name]:
			return fmt.Errorf("the rule name %q is taken: give the rule another one", a.Name)
		case a.Doc == "":
			return fmt.Errorf("the rule %s has no Doc: say in one line what it finds", a.Name)
		case a.Run == nil:
			return fmt.Errorf("the rule %s has no Run function", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// Pass is one rule's look at one module. It is used by one goroutine, and nothing in
// it outlives Run.
type Pass struct {
	Module *mlir.Module

	check    *check
	analyzer *Analyzer
}

// Operations iterates over the module's operations of the given full names, in all
// regions: name by name and each in the order of the text.
func (p *Pass) Operations(names ...string) iter.Seq[mlir.Operation] {
	return func(yield func(mlir.Operation) bool) {
		for _, name := range names {
			for _, op := range p.check.operations[name] {
				if !yield(op) {
					return
				}
			}
		}
	}
}

// Report adds a finding at the place where the operation stands.
func (p *Pass) Report(at mlir.Operation, severity mlir.Severity, format string, args ...any) {
	p.check.add(at.Location().Position(), severity, fmt.Sprintf(format, args...), p.analyzer.Name)
}
