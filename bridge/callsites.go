package bridge

import (
	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/callargs"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

// A CallSite is a custom call of a compiled program that calls Go.
type CallSite struct {
	// Name is the callback's name, or its id in words; see contract.Config.Name. It is empty
	// if each call has the id as an operand.
	Name      string
	Registry  string // of the callback; "" is the default one
	Form      contract.Form
	Signature string // of operands and results, without ids and tokens; see contract.Signature
	Effect    string // that orders the call; "" is none
	Target    string // of the custom call

	// Config is all that the module says of the call. For a callbacks.ForeignTarget, it is what its
	// registration says.
	Config contract.Config
}

// Callbacks returns the calls of Go in the program that XLA made of the module, in the order
// in which it instantiated them: as scheduled, those in the condition of a loop before those
// in its body. A call that is in the program once is returned once, whatever the number of
// devices and of its executions. The list differs from the calls in the module: XLA removes
// unused pure calls and branches that are never taken, and copies functions to where they
// are called. It is empty if the plugin does not report the program.
func (e *Executable) Callbacks() []CallSite {
	e.given("Callbacks")
	var sites []CallSite
	for _, call := range hlo.Calls(e.xla.Program, e.client.plugin.served()) {
		s := callSite(call)
		if t, ok := e.client.plugin.foreignTo(s.Target); ok {
			c := dispatch.ForeignConfig(t.ForeignTarget)
			s.Name, s.Registry, s.Form, s.Config = c.Name(), c.Registry, c.Form, c
			if t.JAX {
				s.nameJAX(e.jax, call.Attrs)
			}
		}
		sites = append(sites, s)
	}
	return sites
}

// callSite reads a custom call of a program.
func callSite(call hlo.Call) CallSite {
	s := CallSite{Target: call.Target}
	operands, results, err := call.Operands, call.Results, call.Err
	if err == nil {
		s.Config, err = contract.Decode(call.Attrs)
	}
	if err != nil {
		// XLA bound the call by attributes that are not of the form that it prints.
		s.Config = contract.Config{}
		operands, results = operands[hlo.LeadingTokens(operands):], results[hlo.LeadingTokens(results):]
	} else {
		if args, filled, err := callargs.Data(s.Config, operands, results); err == nil {
			operands, results = args, filled
		}
		if s.Config.Host.Encoding != contract.EncodingOperand {
			s.Name = s.Config.Name()
		}
	}
	s.Registry, s.Form, s.Effect = s.Config.Registry, s.Config.Form, s.Config.Effect
	s.Signature = contract.Signature(operands, results)
	return s
}
