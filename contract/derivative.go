package contract

import (
	"fmt"
	"strings"
)

// A Derivative says what computes the derivative of a call, for package autodiff: along tangents, along cotangents, or
// the transpose of a call that is linear.
type Derivative struct{ JVP, VJP, Transpose Rule }

// A Rule names what computes something in place of a call: a callback of the registry or, after "@", a function of the
// module. "" is none.
type Rule string

// FunctionRule returns the Rule that names a function of the module.
func FunctionRule(name string) Rule { return Rule("@" + name) }

// Function returns the name of the function of the module. It returns false if the rule is a callback or none.
func (r Rule) Function() (name string, ok bool) { return strings.CutPrefix(string(r), "@") }

// Callback returns the name of the callback. It returns false if the rule is a function of the module or none.
func (r Rule) Callback() (name string, ok bool) { return string(r), r != "" && r[0] != '@' }

// validateDerivative returns an error if the call has no results of its own, whose derivative a rule could compute.
func (c Config) validateDerivative() error {
	if c.Derivative != (Derivative{}) && c.Form != Call && c.Form != Pure {
		return fmt.Errorf("contract: callback %q of the form %s cannot have a derivative: "+
			"only the forms call and pure have results of their own", c.Name(), c.Form)
	}
	return nil
}
