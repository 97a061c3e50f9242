package gomlx

import (
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute/shapes"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
)

// A trace is the module of a computation, in a context of its own, at some sizes of its dynamic axes.
type trace struct {
	context *mlir.Context
	ir      *ir.Builder
	axes    map[string]axis // of the computation
	sizes   map[string]int  // of the dynamic axes of parameters
	funcs   []traced        // by function.number
	values  []ir.Value      // by value.number
}

// traced is a function of a trace. A closure is one too, which gets what it uses of the functions around it as further
// parameters: XLA inlines the call.
type traced struct {
	*ir.Func
	captured map[int]ir.Value // the further parameters, by value.number
	params   []value          // what each parameter of the module's function is: one of GoMLX is the zero value
}

// A step adds to a trace what one call of GoMLX adds to a computation. place is the line of the call.
type step struct {
	run   func(t *trace)
	place ir.Place
}

// newTrace starts a trace at some sizes.
func (b *builder) newTrace(sizes map[string]int) *trace {
	t := &trace{context: b.library.NewContext(mlir.ContextOptions{}), axes: b.axes, sizes: sizes}
	t.ir = ir.New(t.context, ir.Options{
		Through: []string{"github.com/calliope-mlir/calliope/gomlx", "github.com/gomlx/"},
	})
	return t
}

// do makes a step.
func (t *trace) do(s step) {
	t.ir.At(s.place)
	s.run(t)
	t.ir.At(ir.Place{})
}

// err returns the first mistake.
func (t *trace) err() error {
	if err := t.ir.Err(); err != nil {
		return t.sized(err)
	}
	return nil
}

// sized returns an error with the sizes of the dynamic axes.
func (t *trace) sized(err error) error {
	if err == nil || len(t.sizes) == 0 {
		return err
	}
	return fmt.Errorf("%w (the dynamic axes are %s)", err, shapes.AxisBindings(t.sizes).Key())
}

// close drops the module.
func (t *trace) close() error { return stderrors.Join(t.ir.Close(), t.context.Close()) }

// add adds a value, which gets the next number.
func (t *trace) add(v ...ir.Value) { t.values = append(t.values, v...) }

// in returns a value as one of a function. That of another one becomes a parameter, for which a call passes the value.
func (t *trace) in(f *function, v value) ir.Value {
	if v.of == f {
		return t.values[v.number]
	}
	if inner, ok := t.funcs[f.number].captured[v.number]; ok {
		return inner
	}
	own := &t.funcs[f.number]
	inner := own.AddParam(ir.Param{Shape: t.values[v.number].Shape()})
	own.captured[v.number], own.params = inner, append(own.params, v)
	return inner
}

// all is in for several values.
func (t *trace) all(f *function, vs []value) []ir.Value {
	out := make([]ir.Value, len(vs))
	for i, v := range vs {
		out[i] = t.in(f, v)
	}
	return out
}

// caller returns a function that calls a function or closure from another one, with what the closure uses of the
// functions around it.
func (t *trace) caller(from, target *function) func(args ...ir.Value) []ir.Value {
	g := t.funcs[target.number]
	params := make([]ir.Value, len(g.params))
	for i, p := range g.params {
		if p.of != nil {
			params[i] = t.in(from, p)
		}
	}
	return func(args ...ir.Value) []ir.Value {
		var all []ir.Value
		for i, p := range params {
			if g.params[i].of == nil {
				if len(args) == 0 {
					continue // a mistake of the call
				}
				p, args = args[0], args[1:]
			}
			all = append(all, p)
		}
		return g.CallFrom(t.funcs[from.number].Func, append(all, args...)...)
	}
}
