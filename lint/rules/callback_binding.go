package rules

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// CallbackBinding reports callbacks that only the process that made the module can bind.
var CallbackBinding = &lint.Analyzer{
	Name:     "callback-binding",
	Doc:      "a callback is bound by an id or a pointer of one process, so the module cannot be saved",
	Run:      callbackBinding,
	Severity: finding.Note,
	Details: `Severity: note.

A module that is saved, sent or compiled elsewhere must name its callbacks. These name something of one process:

- callback_id of the contract, and the ids and servers of EXLA,
- JAX's Python callbacks: the index of a function in the process, or the address of one in backend_config and in the
  first operand, as host_callback also writes it. On CPU, a program of Calliope can name functions by index.

Another process fails to bind them, calls another function, or crashes on the address. Write the key callback with a
name. This is a note, because a module that is compiled at once needs no name.

With -strict, it is an error.`,
}

func callbackBinding(p *lint.Pass) error {
	severity := finding.Note
	if p.Strict {
		severity = finding.Error
	}
	for _, c := range callsOf(p) {
		what := ""
		switch {
		case c.ours && c.as.Err != nil:
		case c.ours && c.as.Config.Host.Encoding == contract.EncodingDictionary:
			if !c.as.Config.ByName() {
				what = "by its " + c.as.Config.Name()
			}
		case c.ours && c.as.Config.Host.Encoding == contract.EncodingServer, c.ours && c.as.Config.Host.Server != "":
			what = "by an id of a server"
		case c.ours:
			what = "by an id"
		case contract.PythonTargetOf(c.Target) == contract.PythonByIndex:
			what = "by the index of a Python function"
		case contract.PythonTargetOf(c.Target) == contract.PythonByAddress:
			what = "by the address of a Python function"
		}
		if what != "" {
			p.Report(c.op, severity, "the callback of @%s is bound %s, which only the process that made the module knows: bind it by name to save the module", c.Target, what)
		}
	}
	return nil
}
