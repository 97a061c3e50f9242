package preflight

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Kind says what is missing or wrong.
type Kind int

const (
	MissingTarget   Kind = iota // no handler has this target
	WrongVersion                // the handler is of another version of the custom call API
	BadAttributes               // the attributes are not the contract's
	MissingCallback             // the callback, or its registry, is not there
	WrongSignature              // the callback is for other types than the call's
	BadCall                     // the operands and results are not what the form asks for
	BadLayout                   // an operand or result is not in row-major order
	numKinds        = iota
)

var kindNames = [numKinds]string{"missing target", "wrong version", "bad attributes", "missing callback", "wrong signature", "bad call", "bad layout"}

func (k Kind) String() string {
	if k < 0 || k >= numKinds {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Problem is one custom call that would not compile, or not run.
type Problem struct {
	Kind      Kind
	Operation mlir.Operation // the call; valid as long as the module is
	Position  mlir.Position  // where it stands, zero where the module does not say
	Target    string
	Callback  string // of a call of the contract, where it could be read: its name, or "id N"
	Registry  string // and the registry that it names
	Nearest   string // the known name that is most alike, "" where none is
	Err       error  // what is wrong, in one sentence
}

func (p Problem) String() string { return fmt.Sprintf("%s: %v", p.Position, p.Err) }

// Error is all that [Check] found.
type Error struct {
	Problems []Problem // in the order of the module; at least one
}

// Error lists the problems, one in a line. Calls of which the same is said share one:
// that of the first, which counts the others.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("preflight: these custom calls of the module cannot be served:")
	var order []string
	alike := map[string][]Problem{}
	for _, p := range e.Problems {
		text := p.Err.Error()
		if alike[text] == nil {
			order = append(order, text)
		}
		alike[text] = append(alike[text], p)
	}
	for _, text := range order {
		first, more := alike[text][0], alike[text][1:]
		b.WriteString("\n  " + first.String())
		if len(more) > 0 {
			fmt.Fprintf(&b, " (and %d more%s)", len(more), places(more))
		}
	}
	return b.String()
}

// places are where some of the problems are.
func places(problems []Problem) string {
	const shown = 3
	var list []string
	for _, p := range problems {
		if p.Position.Line == 0 {
			continue
		}
		if len(list) == shown {
			list = append(list, "…")
			break
		}
		list = append(list, p.Position.String())
	}
	if list == nil {
		return ""
	}
	return ", at " + strings.Join(list, ", ")
}

// Unwrap is the errors of the problems: errors.As finds a callbacks.UnknownError or a
// callbacks.SignatureError in it.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p.Err
	}
	return errs
}
