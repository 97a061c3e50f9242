package hostcall

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Call is one call with arrays in the host's memory. It implements dispatch.Transport. A runtime may use it again for
// a later call of the site.
type Call struct {
	dispatch.Call
	// Operands and Names are the arrays that the function gets as Args and IDs. It may assign to their elements.
	Operands, Names []tensor.View
	// Outputs are those that it gets as Results, in a list of its own.
	Outputs []tensor.View

	results []tensor.View
}

// Read implements dispatch.Transport.
func (c *Call) Read() error {
	c.results = append(c.results[:0], c.Outputs...)
	c.Args, c.Results, c.IDs = c.Operands, c.results[:len(c.results):len(c.results)], c.Names
	return nil
}

// Clear implements dispatch.Transport. The results are zero, or pass through.
func (c *Call) Clear() error {
	if c.Config.Form != contract.Passthrough {
		for _, v := range c.Outputs {
			clear(v.Data) // an argument may share its memory
		}
	}
	return nil
}

// Finish implements dispatch.Transport: it checks that the function did not replace results.
func (c *Call) Finish(err error, zeros bool) error {
	if err == nil {
		err = c.checkResults()
	}
	if err != nil && zeros {
		_ = c.Clear() // it has no error
	}
	return err
}

func (c *Call) checkResults() error {
	if len(c.Results) != len(c.Outputs) {
		return &callbacks.ReplacedError{Result: min(len(c.Results), len(c.Outputs))}
	}
	for i := range c.Results {
		if unsafe.SliceData(c.Results[i].Data) != unsafe.SliceData(c.Outputs[i].Data) {
			return &callbacks.ReplacedError{Result: i}
		}
	}
	return nil
}

// Defer implements dispatch.Transport. The runtime's thread, or goroutine, waits.
func (c *Call) Defer() func(error) { return nil }
