package lint

import (
	"sync"

	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Checker checks modules one after another. It returns the findings of each before it releases the
// memory of the module, which takes about a tenth of the time of a check: it does that at the start of
// the next one, or in Close. The zero value is ready to use, by one goroutine. Use it in a function that
// mlir.OnLargeStack runs: otherwise a module that is nested deeply needs a thread, and is a finding if
// there is none.
type Checker struct {
	last *mlir.Context // of the last module, or nil
}

// Check is like the function Check.
func (c *Checker) Check(library *mlir.Library, file string, data []byte, o Options) []finding.Finding {
	state := newCheck(file, nil)
	state.data = data
	state.allowed = o.AllowUnregistered
	state.contexts = o.Context
	c.Close()
	c.last = library.NewContext(mlir.ContextOptions{AllowUnregistered: len(o.AllowUnregistered) > 0})
	module, explains, err := parse(c.last, data, o.Analyzers)
	if module == nil {
		module, err = state.parseForeign(c.last, err)
	}
	if !mlir.IsBytecode(data) {
		state.places = sync.OnceValue(func() *Places { return PlacesOf(module, data, o.Analyzers) })
	}
	state.refused(c.last, err)
	if module == nil {
		state.quick(o.Analyzers)
		return state.found
	}
	state.run(module, o)
	if explains != nil {
		state.explained(explains, o.Analyzers)
	}
	return state.found
}

// Close releases the memory of the last module.
func (c *Checker) Close() {
	if c.last != nil {
		c.last.Close()
		c.last = nil
	}
}
