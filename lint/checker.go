package lint

import "github.com/calliope-mlir/calliope/mlir"

// A Checker checks modules one after another. It returns the findings of each before it releases the
// memory of the module, which takes about a tenth of the time of a check: it does that at the start of
// the next one, or in Close. The zero value is ready to use, by one goroutine.
type Checker struct {
	last *mlir.Context // of the last module, or nil
}

// Check is CheckWith.
func (c *Checker) Check(library *mlir.Library, file string, data []byte, o Options) []Diagnostic {
	return c.check(library, file, data, o, func() {})
}

// check checks a module, and calls done on the same stack.
func (c *Checker) check(library *mlir.Library, file string, data []byte, o Options, done func()) []Diagnostic {
	state := newCheck(file, mlir.IsBytecode(data))
	state.data = data
	state.contexts = o.Context
	err := mlir.OnLargeStack(func() error {
		c.release()
		c.last = library.NewContext(mlir.ContextOptions{})
		defer done()
		module, explains, err := parse(c.last, data, o.Analyzers)
		switch {
		case explains != nil:
			state.refused(err)
			state.run(module, o)
			state.explained(explains)
		case err != nil:
			return err
		default:
			state.run(module, o)
		}
		return nil
	})
	state.refused(err)
	return state.found
}

// release releases the memory of the last module. The caller is on a large stack.
func (c *Checker) release() {
	if c.last != nil {
		c.last.Close()
		c.last = nil
	}
}

// Close releases the memory of the last module. Its error is about the thread that this needs.
func (c *Checker) Close() error {
	return mlir.OnLargeStack(func() error { c.release(); return nil })
}
