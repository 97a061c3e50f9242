package lint

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// Check parses and verifies one module, from text, bytecode or a portable artifact, and runs
// the rules on it. It returns the findings in the order of the text, including those about an
// invalid module. file is their file name. The error is not about the module: the system starts no
// thread. It may be called by several goroutines at once.
//
// Input that crashes the library ends the process. Check untrusted input in a child process,
// as mlir-lint does.
func Check(library *mlir.Library, file string, data []byte, o Options) (found []finding.Finding, err error) {
	err = mlir.OnLargeStack(func() error {
		var c Checker
		defer c.Close()
		found = c.Check(library, file, data, o)
		return nil
	})
	return found, err
}

// explained drops the errors of the library that a rule with the relaxation explains.
func (c *check) explained(by *Relaxation, analyzers []*Analyzer) {
	explains := map[string]bool{}
	for _, a := range analyzers {
		explains[a.Name] = a.Relax == by
	}
	places := map[[2]int]bool{}
	for _, d := range c.found {
		if explains[d.Rule] && d.Severity == finding.Error && !d.NoPlace {
			places[[2]int{d.Line, d.Column}] = true
		}
	}
	c.found = slices.DeleteFunc(c.found, func(d finding.Finding) bool {
		return d.Rule == finding.Invalid && !d.NoPlace && places[[2]int{d.Line, d.Column}]
	})
}

// A check is the state of checking one module.
type check struct {
	file     string
	data     []byte                 // nil if it is not known
	places   func() *Places         // of the operations; nil if the module was not parsed from text
	index    *mlir.Index            // one walk serves all rules
	shared   map[any]any            // see Pass.Shared
	numbers  map[mlir.Operation]int // 1 for the first operation of the walk; made when it is needed
	contexts bool                   // see Options.Context
	allowed  []string               // the dialects that the library need not have; nil if that is not checked
	refusal  error                  // of the library, unless an operation of another dialect is the cause
	found    []finding.Finding
}

func newCheck(file string, places func() *Places) *check {
	return &check{file: file, places: places, shared: map[any]any{}}
}

func (c *check) run(module *mlir.Module, o Options) {
	c.index = module.Operation().Index()
	if c.allowed != nil {
		c.foreign(module.Context())
	}
	for _, a := range o.Analyzers {
		p := &Pass{Module: module, Index: c.index, Strict: o.Strict, KnownTargets: o.KnownTargets,
			TargetStableHLO: o.TargetStableHLO, check: c,
			analyzer: a}
		if err := runOne(a, p); err != nil {
			c.found = append(c.found, finding.OfInput(c.file, "the rule %s failed on this module: %v", a.Name, err))
		}
	}
	c.sort()
}

// sort orders the findings by their positions.
func (c *check) sort() {
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int {
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
			err = fmt.Errorf("panic at %s: %v", panicLine(), r)
		}
	}()
	return a.Run(p)
}

// panicLine returns the line that panicked, for a function that recovers.
func panicLine() string {
	addresses := make([]uintptr, 32)
	// Without this function, and the one that recovers.
	frames := runtime.CallersFrames(addresses[:runtime.Callers(3, addresses)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

// again begins the error that follows the one of a portable artifact, and says less.
const again = "failed to deserialize portable artifact"

// refused adds the library's errors about an invalid module as findings.
func (c *check) refused(context *mlir.Context, err error) {
	if err == nil {
		return
	}
	before := len(c.found)
	if refusal, ok := errors.AsType[*mlir.DiagnosticError](err); ok {
		hint := forCommand(refusal.Hint)
		places := c.placesOf(context, refusal.Diagnostics)
		for i, d := range refusal.Diagnostics {
			if d.Severity != mlir.SeverityError || len(c.found) > before && strings.HasPrefix(d.Message, again) {
				continue
			}
			f := finding.OfInput(c.file, "%s", withAdvice(d.Message, hint))
			hint = "" // it belongs to the first error
			setPosition(&f, places[i])
			if f.NoPlace || d.Position != places[i] {
				f.Related = relatedAt(nil, d.Position, "")
			}
			c.found = append(c.found, f)
		}
	}
	if len(c.found) == before {
		c.found = append(c.found, finding.OfInput(c.file, "%v", err))
	}
}

// withAdvice returns an error of the library with a hint. If there is none, an error about an unknown dialect gets what
// users of the linter can do: MLIR names a flag of mlir-opt, and a function of C++.
func withAdvice(message, hint string) string {
	text, _, unknown := strings.Cut(strings.TrimSpace(message), ". If this is intended, please ")
	switch {
	case hint != "":
		return text + "; " + hint
	case unknown:
		return text + ": " + allowForeign
	case strings.HasPrefix(text, "Dialect `"):
		return text + ": " + allowForeign + ", and write the operation in the generic form"
	}
	return text
}

// forCommand returns a hint of package mlir as users of the command need it.
func forCommand(hint string) string { return inGo().ReplaceAllString(hint, ": try -engine $1") }

// inGo matches what a hint says to programs, and which part it names.
var inGo = lazyregexp.New(": fetch it with `.* (\\w+)`, and open it with mlir\\.OpenFor.*")

// placeOf returns the position of an operation in the text, or the zero Position if it is not known.
func (c *check) placeOf(op mlir.Operation) mlir.Position {
	if c.places == nil {
		return mlir.Position{}
	}
	return c.places().of(op)
}

// placesOf returns the positions of diagnostics in the text. The zero Position is not known.
func (c *check) placesOf(context *mlir.Context, diagnostics []mlir.Diagnostic) []mlir.Position {
	places := make([]mlir.Position, len(diagnostics))
	if c.places == nil {
		return places
	}
	var without []mlir.Diagnostic // of the text without its locations
	if blank, located := quick.WithoutLocations(c.data); located {
		m, err := context.Parse("", blank)
		if m != nil {
			m.Close()
		}
		if refusal, ok := errors.AsType[*mlir.DiagnosticError](err); ok {
			without = refusal.Diagnostics
		}
	}
	for i, d := range diagnostics {
		if i < len(without) && without[i].Message == d.Message {
			d = without[i]
		}
		if d.Position.File == finding.TextName {
			places[i] = d.Position
		}
	}
	return places
}
