package operations

import (
	"context"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/tensor"
)

// A known is a finding that is documented or noted: that engines differ on an operation, or that one refuses it, or
// ends the process.
type known struct {
	on    string // the engines, of interpreter, xla (for both ways), simplified, exact and jit
	what  string // as a finding has it; several are alternatives
	ops   string // names of operations, StableHLO's without the dialect; "" for all
	types string // classes of the element type (class:f), or its name; "" for all
	// apart says that each such program may have the finding, so that it runs alone, and only one of some. sure says
	// that each one has it.
	apart, sure bool
	when        func(p *program, i int) bool // a condition on the i-th operation
	// shows is a condition on the results.
	shows    condition
	says     string // a part of what the engine says
	internal bool   // what it says is no error for a user
	why      string // the reason, and its source
}

func (k *known) String() string {
	parts := []string{k.what, k.ops, k.types, k.why}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// isOn reports whether it is about an engine.
func (k *known) isOn(engine string) bool {
	for name := range strings.FieldsSeq(k.on) {
		switch name {
		case "xla":
			if strings.HasPrefix(engine, "xla") {
				return true
			}
		case "simplified":
			if engine == "xla" {
				return true
			}
		case "exact":
			if engine == "xla exact" {
				return true
			}
		case engine:
			return true
		}
	}
	return false
}

// isAbout reports whether it is about one of a program's operations.
func (k *known) isAbout(p *program) bool {
	for i, op := range p.ops {
		if k.ops != "" && !slices.Contains(strings.Fields(k.ops), strings.TrimPrefix(op.name, "stablehlo.")) {
			continue
		}
		if k.takes(p, i) && (k.when == nil || k.when(p, i)) {
			return true
		}
	}
	return false
}

// takes reports whether it is about the element type of an operation.
func (k *known) takes(p *program, i int) bool {
	if k.types == "" {
		return true
	}
	for word := range strings.FieldsSeq(k.types) {
		if classes, ok := strings.CutPrefix(word, "class:"); ok && p.types[i].is(classes) || p.types[i].MLIR() == word {
			return true
		}
	}
	return false
}

// expected returns what is known for certain of a program on an engine, or nil.
func (p *program) expected(engine string) *known {
	for _, k := range knowns {
		if k.apart && k.isOn(engine) && k.isAbout(p) {
			return k
		}
	}
	return nil
}

// knownAs returns what is known of a finding, or nil.
func (l *lane) knownAs(ctx context.Context, p *program, f *finding) (*known, error) {
	internal := f.What == "refuses" && isInternal(f.Detail)
	for _, k := range knowns {
		if !strings.Contains(k.what, f.What) || !k.isOn(f.Engine) && !(f.What == "differs" && k.isOn(f.Reference)) ||
			internal && !k.internal || !strings.Contains(f.Detail, k.says) || !k.isAbout(p) {
			continue
		}
		if k.shows == nil {
			return k, nil
		}
		if ok, err := k.shows(ctx, l, p, f); err != nil || ok {
			return k, err
		}
	}
	return nil, nil
}

// isInternal reports whether the error of a compile is not one for a user: it has no place, or is of a compiler's own
// parts.
func isInternal(text string) bool {
	return !position().MatchString(text) || internalText().MatchString(text)
}

var internalText = lazyregexp.New(`\.go:\d|\.cc:\d|RET_CHECK|Check failed|INTERNAL|verify failed|` +
	`running the passes failed`)

// results runs a program alone, and reports whether it has results.
func (l *lane) results(ctx context.Context, p *program, engine string) ([][]tensor.View, bool, error) {
	k := packed(p)
	a, crash, err := l.runners[engine].Run(ctx, k.text, k.sets...)
	return a.Sets, crash+a.Refused+a.Error == "", err
}

// compare returns how the engines of a finding differ on a program, or nil.
func (l *lane) compare(ctx context.Context, p *program, f *finding) (*finding, error) {
	want, ok, err := l.results(ctx, p, f.Reference)
	if err != nil || !ok {
		return nil, err
	}
	got, ok, err := l.results(ctx, p, f.Engine)
	if err != nil || !ok {
		return nil, err
	}
	return p.differs(f.Reference, f.Engine, want, got), nil
}
