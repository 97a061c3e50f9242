package callbacks

import (
	"context"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// Template shows a typed function what its trees look like where the types leave it
// open: the lengths of slices and the keys of maps. For SignatureOf it also says the
// shapes; a View or an Array in it needs no data.
type Template[A, R any] struct {
	Args    A
	Results R
}

// Call makes a Func of a function that takes a tree and returns one. A tree is a leaf,
// or a struct (of exported fields), array, slice or map of trees; a leaf is
//   - a tensor.View: any array, on the runtime's memory, valid until the function
//     returns;
//   - a tensor.Array: an array of one element type and any dimensions, on that memory,
//     too;
//   - a Go number or bool, tensor.Float16 and tensor.BFloat16: an array of no
//     dimensions.
//
// A slice of numbers is a tree of scalars, not an array: that is a tensor.Array. The
// leaves stand in the order in which builder takes such a tree apart. An empty struct
// is no arguments, or no results.
//
// Where the arguments hold slices or maps, a template is needed, for only that says
// their lengths and keys; arguments that are one slice of equal elements, such as
// []tensor.View, need none and take what comes. Results need none, but are held
// against one that is given.
//
// Arguments that do not fit are a *TemplateError, and the function is not called.
// Results are held against what the module expects before a byte of them is copied
// into the runtime's memory, and what differs is a *TemplateError. Where a result is
// the argument that it passes through, nothing is copied; so a function of type
// A to A serves builder.IOCallback, and may change the values.
//
// bridge/preflight finds before a module is compiled what of this the types tell: the
// number of arguments and results, their element types, and which have no dimensions.
//
// The context carries the call, see FrameOf. Call panics when A or R is no type of
// trees, or a template is needed and missing: a mistake in the program that no input
// can bring about. RegisterCall returns it as an error.
func Call[A, R any](fn func(ctx context.Context, args A) (R, error), template ...Template[A, R]) Func {
	made, err := newCall(fn, template)
	if err != nil {
		panic("callbacks: Call: " + err.Error())
	}
	return made
}

// newCall is Call with the mistake as an error.
func newCall[A, R any](fn func(ctx context.Context, args A) (R, error), template []Template[A, R]) (Func, error) {
	if fn == nil {
		return nil, nil // which Register refuses
	}
	var likeArgs *A
	var likeResults *R
	if len(template) > 0 {
		likeArgs, likeResults = &template[0].Args, &template[0].Results
	}
	in, err := newInput(likeArgs)
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	out, err := newOutput(likeResults)
	if err != nil {
		return nil, fmt.Errorf("the results: %w", err)
	}
	made := func(f *Frame) error {
		args := new(A)
		if err := in.read(f, args); err != nil {
			return err
		}
		ctx := newCallContext(f)
		defer ctx.end()
		results, err := fn(ctx, *args)
		if err != nil {
			return err
		}
		return out.write(f, &results)
	}
	return describe(made, &goTypes{args: leavesOfType(likeArgs), results: leavesOfType(likeResults)}), nil
}

// Tap makes a Func of a function that looks at a tree and returns nothing; see Call
// for trees, templates and panics. It serves builder.Tap, and builder.IOCallback,
// whose values then pass as they are.
//
// What id_tap of JAX's host_callback calls result, to tap one value and go on with
// another, needs no option here: a tap has no value, so a program taps one and uses
// the other.
func Tap[A any](fn func(ctx context.Context, args A) error, template ...A) Func {
	made, err := newTap(fn, template)
	if err != nil {
		panic("callbacks: Tap: " + err.Error())
	}
	return made
}

// newTap is Tap with the mistake as an error.
func newTap[A any](fn func(ctx context.Context, args A) error, template []A) (Func, error) {
	if fn == nil {
		return nil, nil
	}
	var like *A
	if len(template) > 0 {
		like = &template[0]
	}
	in, err := newInput(like)
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	made := func(f *Frame) error {
		if err := noResults(f); err != nil {
			return err
		}
		args := new(A)
		if err := in.read(f, args); err != nil {
			return err
		}
		ctx := newCallContext(f)
		defer ctx.end()
		return fn(ctx, *args)
	}
	return describe(made, &goTypes{args: leavesOfType(like), tap: true}), nil
}

// noResults refuses a call that expects results of a function that makes none: what
// the memory holds would be taken for them.
func noResults(f *Frame) error {
	if len(f.Results) == 0 || f.Config.Form == contract.Passthrough {
		return nil
	}
	return &TemplateError{Callback: f.Name, Want: leavesOf(f.Results, nil, "result")}
}

// RegisterCall registers a function as Call makes it; what Call would panic over is an
// error. Where the options have no signature and the types or the template determine
// it, it is filled in.
func RegisterCall[A, R any](r *Registry, name string, fn func(ctx context.Context, args A) (R, error), o Options, template ...Template[A, R]) error {
	if o.Signature == "" {
		var t Template[A, R]
		known := len(template) > 0
		if known {
			t = template[0]
		}
		o.Signature = determined(&t.Args, &t.Results, known)
	}
	made, err := newCall(fn, template)
	if err != nil {
		return fmt.Errorf("callbacks: callback %q: %w", name, err)
	}
	return r.Register(name, made, o)
}

// RegisterTap registers a function as Tap makes it; what Tap would panic over is an
// error. Where the options have no signature and the type or the template determines
// it, the one for builder.Tap is filled in, which has no results.
func RegisterTap[A any](r *Registry, name string, fn func(ctx context.Context, args A) error, o Options, template ...A) error {
	if o.Signature == "" {
		var args A
		known := len(template) > 0
		if known {
			args = template[0]
		}
		o.Signature = determined(&args, &struct{}{}, known)
	}
	made, err := newTap(fn, template)
	if err != nil {
		return fmt.Errorf("callbacks: callback %q: %w", name, err)
	}
	return r.Register(name, made, o)
}

// SignatureOf is the signature, for Options, of a function that takes and gives such
// trees: the numbers in them tell by their type, arrays by their dimensions.
func SignatureOf[A, R any](args A, results R) (string, error) {
	operands, _, err := shapesOf(&args)
	if err != nil {
		return "", fmt.Errorf("callbacks: the arguments have no signature: %w", err)
	}
	values, _, err := shapesOf(&results)
	if err != nil {
		return "", fmt.Errorf("callbacks: the results have no signature: %w", err)
	}
	return contract.Signature(operands, values), nil
}

// determined is the signature, or "" where it is not known.
func determined[A, R any](args *A, results *R, template bool) string {
	operands, openIn, err := shapesOf(args)
	if err != nil || openIn && !template {
		return ""
	}
	values, openOut, err := shapesOf(results)
	if err != nil || openOut && !template {
		return ""
	}
	return contract.Signature(operands, values)
}

// shapesOf are the shapes of a tree's leaves, and whether the type left them open.
func shapesOf[T any](tree *T) (shapes []tensor.Shape, open bool, err error) {
	n, v, err := nodeAt(tree)
	if err != nil {
		return nil, false, err
	}
	silent := ""
	err = n.walk(v, "", func(at string, l leaf, v reflect.Value) {
		s, ok := l.shape(v)
		if !ok && silent == "" {
			silent = pathOf(at, "leaf", 0)
		}
		shapes = append(shapes, s)
	})
	if err == nil && silent != "" {
		err = fmt.Errorf("%s does not say its dimensions: give a View with a Shape, or an Array with Dims", silent)
	}
	return shapes, n.open, err
}
