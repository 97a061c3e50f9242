package callbacks

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// Check returns a Func for a builder.Check. The module calls it when a condition does not
// hold. The call fails the run with a *CheckError that has the message.
func Check(message string) Func {
	return func(c *Frame) error {
		e := &CheckError{Callback: c.Name, Message: message, Loc: c.Config.Loc}
		for _, v := range c.Args {
			e.Args = append(e.Args, v.Clone())
		}
		return e
	}
}

// A CheckError reports that a condition on the device did not hold.
type CheckError struct {
	Callback string
	Message  string
	Loc      string        // Go file and line that built the check, "" if unknown
	Args     []tensor.View // the values that the check reports
}

func (e *CheckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "callbacks: check %q", e.Callback)
	if e.Loc != "" {
		fmt.Fprintf(&b, " of %s", e.Loc)
	}
	fmt.Fprintf(&b, " failed: %s", e.Message)
	for _, v := range e.Args {
		fmt.Fprintf(&b, "; %s", v)
	}
	return b.String()
}
