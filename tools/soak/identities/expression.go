package identities

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// An expression is an operation on arrays of one length.
type expression struct {
	op   string // of StableHLO, or of compounds; "x", "y", "z" and "p" are parameters, and "" is a constant
	args []*expression
	t    tensor.DType
	text string // of a constant
}

func (e *expression) isParameter() bool { return len(e.args) == 0 && e.op != "" }

// String returns the expression as in a template, with the element types of parameters and conversions.
func (e *expression) String() string {
	switch {
	case e.op == "":
		return e.text
	case e.isParameter():
		return e.op + ":" + e.t.String()
	}
	args := make([]string, len(e.args))
	for i, a := range e.args {
		args[i] = a.String()
	}
	name := e.op
	if name == "convert" {
		name += "_" + e.t.String()
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// each calls f for an expression and those in it, operands first.
func (e *expression) each(f func(*expression)) {
	for _, a := range e.args {
		a.each(f)
	}
	f(e)
}

// has reports whether is holds for an expression or one in it.
func (e *expression) has(is func(*expression) bool) bool {
	found := false
	e.each(func(part *expression) { found = found || is(part) })
	return found
}

// inexact are operations that libraries round in their own ways.
var inexact = strings.Fields(`exponential exponential_minus_one log log_plus_one logistic tanh sine cosine tan atan2 cbrt rsqrt power`)

// reordering are operations that may add or multiply in any order.
var reordering = strings.Fields(`sum multiply_of dot`)

// tolerant are operations that do not enlarge a small relative error of an operand.
var tolerant = strings.Fields(
	`multiply divide abs negate sqrt cbrt rsqrt reverse broadcast slice concatenate pad outer maximum minimum
	maximum_of minimum_of multiply_of select clamp log exponential power is_finite`)

// isExact reports whether IEEE 754 or the specification says what the value is to the last bit.
func (e *expression) isExact() bool {
	exact := true
	e.each(func(e *expression) {
		if progen.IsFloat(e.t) && (slices.Contains(inexact, e.op) || slices.Contains(reordering, e.op)) {
			exact = false
		}
	})
	return exact
}

// isComparable reports whether two correct results differ by small relative errors only.
func (e *expression) isComparable() bool {
	ok := true
	e.each(func(e *expression) {
		for i, a := range e.args {
			if !a.isExact() && (!slices.Contains(tolerant, e.op) || e.op == "select" && i == 0) {
				ok = false
			}
		}
	})
	return ok
}

// parse reads a template for a type. choose returns the operands that are open: constants, and the types of
// conversions. It returns false if there is no such type.
func parse(template string, t tensor.DType, choose func(open string) (string, bool)) (*expression, bool) {
	p := &parser{rest: template, t: t, choose: choose}
	e := p.expression()
	if p.failed {
		return nil, false
	}
	e.infer(t)
	return e, true
}

type parser struct {
	rest   string
	t      tensor.DType
	choose func(string) (string, bool)
	failed bool
}

func (p *parser) expression() *expression {
	end := strings.IndexAny(p.rest, "(,)")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	switch name {
	case "x", "y", "z":
		return &expression{op: name, t: p.t}
	case "p":
		return &expression{op: name, t: tensor.Pred}
	}
	if !strings.HasPrefix(p.rest, "(") {
		if name == "c" {
			name = p.open(name)
		}
		return &expression{text: name}
	}
	e := &expression{op: name}
	for p.rest[0] != ')' {
		p.rest = strings.TrimPrefix(p.rest[1:], " ")
		e.args = append(e.args, p.expression())
	}
	p.rest = p.rest[1:]
	if to, ok := strings.CutPrefix(e.op, "convert_"); ok {
		e.op = "convert"
		t, err := tensor.DTypeFromMLIR(to)
		if err != nil {
			t, err = tensor.ParseDType(p.open(to))
		}
		p.failed = p.failed || err != nil
		e.t = t
	}
	return e
}

func (p *parser) open(name string) string {
	choice, ok := p.choose(name)
	p.failed = p.failed || !ok
	return choice
}

// infer sets the types of an expression whose parameters and conversions have theirs. A constant gets the type
// of the other operands, or t.
func (e *expression) infer(t tensor.DType) {
	known := tensor.Invalid
	for i, a := range e.args {
		if a.op != "" {
			a.infer(t)
		}
		if a.op != "" && (e.op != "select" || i > 0) {
			known = a.t
		}
	}
	if known == tensor.Invalid {
		known = t
	}
	for _, a := range e.args {
		if a.op == "" {
			a.t = known
		}
	}
	switch {
	case e.isParameter() || e.op == "convert":
	case strings.HasPrefix(e.op, "compare_") || e.op == "is_finite":
		e.t = tensor.Pred
	default:
		e.t = known
	}
}

// constant returns the text of a number of a type.
func constant(text string, t tensor.DType) string {
	if progen.IsFloat(t) && !strings.ContainsAny(text, ".ex") {
		return text + ".0"
	}
	return text
}

// replace returns a copy of an expression in which f may replace parameters.
func (e *expression) replace(f func(*expression) *expression) *expression {
	if e.isParameter() {
		return f(e)
	}
	made := *e
	made.args = nil
	for _, a := range e.args {
		made.args = append(made.args, a.replace(f))
	}
	return &made
}
