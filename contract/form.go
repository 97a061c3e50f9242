package contract

import "fmt"

// The custom call targets.
const (
	TargetIOCallback  = "calliope_io_callback"
	TargetRuntimeCall = "calliope_runtime_call"
)

// Form is the kind of a callback.
type Form string

const (
	Passthrough Form = "passthrough" // results are the operands, in the same memory
	Observe     Form = "observe"     // operands in, a one-byte token out
	Call        Form = "call"        // results by a template; kept when unused
	Pure        Form = "pure"        // as Call, but may be dropped, merged and moved
)

// formSince is the version of the contract that introduced each form.
var formSince = map[Form]int64{Passthrough: 1, Observe: 1, Call: 1, Pure: 1}

// Target is the custom call target that serves the form.
func (f Form) Target() string {
	if f == Call || f == Pure {
		return TargetRuntimeCall
	}
	return TargetIOCallback
}

// HasSideEffect is what the custom call's attribute of that name says.
func (f Form) HasSideEffect() bool { return f != Pure }

func (f Form) check() error {
	if _, ok := formSince[f]; !ok {
		return fmt.Errorf("contract: there is no form %q: it is passthrough, observe, call or pure", f)
	}
	return nil
}
