package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Check parses and verifies one module, from text, bytecode or a portable artifact, and runs
// the rules on it. It returns the findings in the order of the text, including those about an
// invalid module. file is their file name. The error is not about the module: the system starts no
// thread. It may be called by several goroutines at once.
//
// Input that crashes the library ends the process. Check untrusted input in a child process,
// as mlir-lint does.
func Check(library *mlir.Library, file string, data []byte, analyzers []*Analyzer) ([]Diagnostic, error) {
	return CheckWith(library, file, data, Options{Analyzers: analyzers})
}

// CheckWith is Check with options.
func CheckWith(library *mlir.Library, file string, data []byte, o Options) (found []Diagnostic, err error) {
	err = mlir.OnLargeStack(func() error {
		var c Checker
		defer c.Close()
		found = c.Check(library, file, data, o)
		return nil
	})
	return found, err
}

// explained drops the errors of the library that a rule explains.
func (c *check) explained(by *Analyzer) {
	type place struct{ line, column int }
	places := map[place]bool{}
	for _, d := range c.found {
		if d.Rule == by.Name && d.Severity == mlir.SeverityError {
			places[place{d.Line, d.Column}] = true
		}
	}
	c.found = slices.DeleteFunc(c.found,
		func(d Diagnostic) bool { return d.Rule == Invalid && places[place{d.Line, d.Column}] })
}

// A check is the state of checking one module.
type check struct {
	file     string
	data     []byte // nil if it is not known
	bytecode bool
	index    *mlir.Index            // one walk serves all rules
	shared   map[any]any            // see Pass.Shared
	numbers  map[mlir.Operation]int // 1 for the first operation of the walk; made when it is needed
	contexts bool                   // see Options.Context
	found    []Diagnostic
}

func newCheck(file string, bytecode bool) *check {
	return &check{file: file, bytecode: bytecode, shared: map[any]any{}}
}

func (c *check) run(module *mlir.Module, o Options) {
	c.index = module.Operation().Index()
	for _, a := range o.Analyzers {
		p := &Pass{Module: module, Index: c.index, Strict: o.Strict, KnownTargets: o.KnownTargets, check: c,
			analyzer: a}
		if err := runOne(a, p); err != nil {
			c.found = append(c.found, invalid(c.file, "the rule %s failed on this module: %v", a.Name, err))
		}
	}
	slices.SortStableFunc(c.found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// number returns the number of an operation in the walk over the module.
func (c *check) number(op mlir.Operation) int {
	if c.numbers == nil {
		c.numbers = map[mlir.Operation]int{}
		for i, each := range c.index.All() {
			c.numbers[each] = i + 1
		}
	}
	return c.numbers[op]
}

// runOne runs a rule and returns a panic as an error, so that the others still run.
func runOne(a *Analyzer, p *Pass) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return a.Run(p)
}

// refused adds the library's errors about an invalid module as findings.
func (c *check) refused(err error) {
	if err == nil {
		return
	}
	before := len(c.found)
	var refusal *mlir.DiagnosticError
	if errors.As(err, &refusal) {
		hint := refusal.Hint
		for _, d := range refusal.Diagnostics {
			if d.Severity != mlir.SeverityError {
				continue
			}
			if hint != "" { // it belongs to the first error
				d.Message += "; " + hint
				hint = ""
			}
			c.add(d.Position, d.Severity, d.Message, Invalid)
		}
	}
	if len(c.found) == before {
		c.found = append(c.found, invalid(c.file, "%v", err))
	}
}

// textName is the library's file name for the text that it parses.
const textName = "-"

// add records a finding. A position is one in this input only if the operation has no location
// in the text. Otherwise, the program that wrote the module set it, and add appends it to the
// message.
func (c *check) add(at mlir.Position, severity mlir.Severity, message, rule string) {
	d := Diagnostic{File: c.file, Line: 1, Column: 1, Severity: severity, Message: message, Rule: rule}
	switch {
	case at.Line == 0:
	case at.File != textName:
		d.Message += fmt.Sprintf(" (at %v)", at)
	case c.bytecode:
		d.Message += fmt.Sprintf(" (at line %d, column %d of the text that the bytecode was made from)", at.Line,
			at.Column)
	default:
		d.Line, d.Column = at.Line, max(at.Column, 1)
	}
	c.found = append(c.found, d)
}
