package callbacks

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// Check returns a Func for a builder.Check. The module calls it when a condition does not
// hold. The call fails the run with a *CheckError that has the message. names are the names of
// the values that the module passes, in order, for the error; there may be fewer.
func Check(message string, names ...string) Func {
	names = slices.Clone(names)
	return func(c *Frame) error {
		e := &CheckError{Message: message, Names: names}
		for _, v := range c.Args {
			e.Args = append(e.Args, v.Clone())
		}
		return e
	}
}

// A CheckError reports that a condition on the device did not hold.
type CheckError struct {
	Message string
	Names   []string      // names of the first values
	Args    []tensor.View // the values that the check reports
}

func (e *CheckError) Error() string {
	var b strings.Builder
	b.WriteString("the check failed: " + e.Message)
	for i, v := range e.Args {
		b.WriteString("; ")
		if i < len(e.Names) {
			b.WriteString(e.Names[i] + " = ")
		}
		b.WriteString(v.String())
	}
	return b.String()
}
