package preflight

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Kind is the kind of a problem.
type Kind int

const (
	MissingTarget   Kind = iota // no handler has this target
	WrongVersion                // the handler is of another version of the custom call API
	BadAttributes               // the attributes do not follow the contract, or XLA would end the process
	MissingCallback             // the callback or its registry is not registered
	WrongSignature              // the callback is registered for other types
	BadCall                     // the operands and results do not fit the form
	BadLayout                   // an operand or result is not in row-major order
	BadDevices                  // devices share the module, and the call is not in a manual computation
	BadPlace                    // the call is where XLA cannot make one, see stablehlo.MisplacedCall
	Feed                        // an outfeed or infeed, which bridge does not serve: see passes.Migrate
	MissingCall                 // JAXCallbacks has a name for an index that no call has
	numKinds        = iota
)

var kindNames = [numKinds]string{"missing target", "wrong version", "bad attributes", "missing callback",
	"wrong signature", "bad call", "bad layout", "bad devices", "bad place", "feed", "missing call"}

func (k Kind) String() string {
	if k < 0 || k >= numKinds {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// A Problem is one custom call, outfeed or infeed that would fail to compile or to run.
type Problem struct {
	Kind      Kind
	Operation mlir.Operation // the call, or the module if a call is missing; valid as long as the module is
	Position  mlir.Position  // zero if unknown
	Target    string
	Callback  string // name of the callback, or "id N"; "" if unknown
	Registry  string // the callback's registry
	Nearest   string // the most similar known name, "" if there is none
	Err       error  // the reason
}

func (p Problem) String() string { return fmt.Sprintf("%s: %v", p.Position, p.Err) }

// An Error holds the problems that [Check] found.
type Error struct {
	Problems []Problem // in the order of the module; at least one
}

// Error lists the problems, one on each line. Problems with the same text share the line of
// the first, which counts the others.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("preflight: these operations of the module cannot be served:")
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

// places returns the positions of the first few problems.
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

// Unwrap returns the errors of the problems, so that errors.As finds a
// callbacks.UnknownError or a callbacks.SignatureError.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p.Err
	}
	return errs
}
