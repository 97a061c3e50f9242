package calliope

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A trace is a module in a context of its own, with the closures that the module calls.
type trace struct {
	registry *callbacks.Registry
	module   *mlir.Module
	donated  []bool
	results  *results
	closures []closure
	late     bool // whether closures may be called after their run
}

func newTrace(s *Session, o FuncOptions, a arguments) *trace {
	t := &trace{registry: s.registry}
	for _, one := range a.list {
		t.donated = append(t.donated, slices.Contains(o.Donate, one.of))
	}
	return t
}

// close closes the module.
func (t *trace) close() error { return t.module.Context().Close() }

// A closure is bound to an id in the registry.
type closure struct {
	id int64
	at string
}

// traces holds the traces that are being built.
var traces sync.Map // of *builder.Builder to *trace

// release releases the closures.
func (t *trace) release() error {
	var errs []error
	for _, c := range t.closures {
		errs = append(errs, t.registry.UnregisterID(c.id))
	}
	t.closures = nil
	return errors.Join(errs...)
}

// A goFunction builds a module by a Go function.
type goFunction struct {
	fn   reflect.Value
	used chan struct{} // has an element for each call that builds a module
}

// check returns an error if parameters or results of the function are not trees of values.
func (g goFunction) check() error {
	t := g.fn.Type()
	for i := range t.NumIn() {
		if err := checkValues(t.In(i), fmt.Sprintf("the parameter %d", i), 8); err != nil {
			return err
		}
	}
	for i := range t.NumOut() {
		if err := checkValues(t.Out(i), fmt.Sprintf("the result %d", i), 8); err != nil {
			return err
		}
	}
	return nil
}

func (g goFunction) take(a arguments) arguments { return a }

func (g goFunction) trace(
	ctx context.Context, s *Session, o FuncOptions, args []any, a arguments,
) (_ *trace, err error) {
	nested, leave, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	t := newTrace(s, o, a)
	ir := s.library.NewContext(mlir.ContextOptions{})
	b := builder.New(ir, o.Build)
	nested.builder = b
	traces.Store(b, t)
	defer traces.Delete(b)
	built := false
	defer func() {
		if !built { // also after a panic in the Go function
			err = errors.Join(err, t.release(), b.Close(), ir.Close())
		}
	}()
	params, signature, err := g.parameters(args, t.donated)
	if err != nil {
		return nil, fmt.Errorf("calliope: %w", err)
	}
	main := b.FuncWith("main", signature)
	next := 0
	for i, arg := range args {
		// The same walk as before, now with the values.
		_ = mirror(tree.Addressable(reflect.ValueOf(arg)), params[i], "", func(_ string, _, to reflect.Value) error {
			to.Set(reflect.ValueOf(main.Param(next)))
			next++
			return nil
		})
	}
	var values []builder.Value
	t.results = &results{}
	for i, r := range g.fn.Call(params) {
		like := reflect.New(r.Type()).Elem() // without values, which keep the builder
		err := mirror(tree.Addressable(r), like, fmt.Sprint("result ", i), func(_ string, from, _ reflect.Value) error {
			values = append(values, from.Interface().(builder.Value))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("calliope: %w", err)
		}
		t.results.like = append(t.results.like, like)
	}
	main.Return(values...)
	if t.module, err = b.Module(); err != nil {
		return nil, err
	}
	built = true
	return t, nil
}

// checkOpen returns an error for a shape that is impossible whatever its open dimensions are.
func checkOpen(s tensor.Shape) error {
	if !s.IsOpen() {
		return s.Check()
	}
	s = s.Clone()
	for i, d := range s.Dims {
		if d == -1 {
			s.Dims[i] = 1
		}
	}
	return s.Check()
}

// parameters returns zero parameters of the Go function, and what they say of main.
func (g goFunction) parameters(
	args []any, donated []bool,
) (params []reflect.Value, signature builder.Signature, err error) {
	of := g.fn.Type()
	if len(args) != of.NumIn() {
		return nil, signature, fmt.Errorf("the function takes %d arguments, not %d", of.NumIn(), len(args))
	}
	for i, arg := range args {
		param := reflect.New(of.In(i)).Elem()
		at := fmt.Sprint("argument ", i)
		err := mirror(tree.Addressable(reflect.ValueOf(arg)), param, at, func(at string, from, to reflect.Value) error {
			a, ok, err := readArgument(from)
			if err == nil && (!ok || to.Type() != valueType) {
				return fmt.Errorf("%s is a %s, and the function takes a %s", at, from.Type(), to.Type())
			}
			if err == nil {
				err = checkOpen(a.shape)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			donate := donated[len(signature.Params)]
			signature.Params = append(signature.Params, builder.Param{Name: at, Shape: a.shape, Donate: donate})
			return nil
		})
		if err != nil {
			return nil, signature, err
		}
		params = append(params, param)
	}
	return params, signature, nil
}
