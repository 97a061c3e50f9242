package contract

import "fmt"

// AllEffects is the effect of a call that is ordered against the calls of every effect.
const AllEffects = "*"

// A Form is the kind of a callback.
type Form string

const (
	Passthrough Form = "passthrough" // results are the operands, in the same memory
	Observe     Form = "observe"     // operands in, a one-byte token out
	Call        Form = "call"        // results of stated types; kept if unused
	Pure        Form = "pure"        // as Call, but XLA may remove, merge and move it
)

// formSince is the version of the contract that introduced each form.
var formSince = map[Form]int64{Passthrough: 1, Observe: 1, Call: 1, Pure: 1}

// Target returns the custom call target for the form.
func (f Form) Target() string {
	if f == Call || f == Pure {
		return TargetRuntimeCall
	}
	return TargetIOCallback
}

// HasSideEffect returns the custom call's attribute of that name.
func (f Form) HasSideEffect() bool { return f != Pure }

func (f Form) check() error {
	if _, ok := formSince[f]; !ok {
		return fmt.Errorf("contract: there is no form %q: it is passthrough, observe, call or pure", f)
	}
	return nil
}
