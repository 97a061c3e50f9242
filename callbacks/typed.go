package callbacks

import (
	"context"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Template is an example of the arguments and results of a typed function. It provides
// what the types do not determine: the lengths of slices and the keys of maps. For
// SignatureOf it also provides the shapes. A View or an Array in it needs no data.
type Template[A, R any] struct {
	Args    A
	Results R
}

// Call makes a Func from a function that takes a tree and returns one. It serves
// builder.RuntimeCall, which is JAX's io_callback, and builder.PureCall, which is JAX's
// pure_callback. A tree is a leaf, or a struct (of exported fields), array, slice or map of
// trees. A leaf is one of:
//
//   - a tensor.View: any array, on the runtime's memory, valid until the function returns;
//   - a tensor.Array: an array of one element type and any dimensions, also on that memory;
//   - a Go number or bool, tensor.Float16 or tensor.BFloat16: an array of rank 0;
//   - a slice of numbers: an array of rank 1, on that memory too. A slice of such slices is one of rank 2, and so on.
//
// The leaves are in the order in which builder takes such a tree apart. An empty struct
// means no arguments, or no results.
//
// A template is required if the arguments hold slices or maps, because only it has their
// lengths and keys. Arguments that are one slice of equal elements, such as []tensor.View,
// need no template and accept any number. Results need no template, but are compared with
// the one that is given.
//
// If the arguments do not fit, the call fails with a *TemplateError and the function is not
// called. The results are compared with what the module expects before any byte of them is
// copied into the runtime's memory; a difference is a *TemplateError. A result that is the
// argument that it passes through is not copied. So a function from A to A also serves
// builder.Passthrough, which passes its operands through, and may change the values.
//
// Before a module is compiled, bridge/preflight checks what the types determine: the number
// of arguments and results, their element types, and which have rank 0.
//
// The context carries the call; see FrameOf. Call panics if A or R cannot be a tree, or if
// a required template is missing: these are mistakes in the program, which no input can
// cause. RegisterCall returns them as errors.
func Call[A, R any](fn func(ctx context.Context, args A) (R, error), template ...Template[A, R]) Func {
	made, err := newCall(fn, template)
	if err != nil {
		panic("callbacks: Call: " + err.Error())
	}
	return made
}

// newCall is like Call but returns the mistake as an error.
func newCall[A, R any](fn func(ctx context.Context, args A) (R, error), template []Template[A, R]) (Func, error) {
	if fn == nil {
		return nil, nil // rejected by Register
	}
	var likeArgs *A
	var likeResults *R
	if len(template) > 0 {
		likeArgs, likeResults = &template[0].Args, &template[0].Results
	}
	in, err := newInput(likeArgs)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	out, err := newOutput(likeResults)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
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

// Tap makes a Func from a function that reads a tree and returns nothing; see Call for
// trees, templates and panics. It serves builder.Tap, which is JAX's debug.callback, and
// builder.Passthrough, whose values it leaves unchanged.
//
// The result option of id_tap in JAX's host_callback, which taps one value and returns
// another, is not needed: a tap has no value, so a program taps one value and uses the
// other.
func Tap[A any](fn func(ctx context.Context, args A) error, template ...A) Func {
	made, err := newTap(fn, template)
	if err != nil {
		panic("callbacks: Tap: " + err.Error())
	}
	return made
}

// newTap is like Tap but returns the mistake as an error.
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
		return nil, fmt.Errorf("arguments: %w", err)
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

// noResults rejects a call that expects results from a function that returns none.
// Otherwise the previous contents of the memory would be taken for results.
func noResults(f *Frame) error {
	if len(f.Results) == 0 || f.Config.Form == contract.Passthrough {
		return nil
	}
	return &TemplateError{Want: leavesOf(f.Results, nil, "result")}
}

// RegisterCall registers the function that Call makes. It returns an error where Call would
// panic. If the options have no signature and the types or the template determine it,
// RegisterCall sets it.
func RegisterCall[A, R any](
	r *Registry, name string, fn func(ctx context.Context, args A) (R, error), o Options, template ...Template[A, R],
) error {
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

// RegisterTap registers the function that Tap makes. It returns an error where Tap would
// panic. If the options have no signature and the type or the template determines it,
// RegisterTap sets the one for builder.Tap, which has no results.
func RegisterTap[A any](
	r *Registry, name string, fn func(ctx context.Context, args A) error, o Options, template ...A,
) error {
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

// SignatureOf returns the signature, for Options, of a function that takes and returns such
// trees. Numbers count by their type, arrays also by their dimensions.
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

// determined returns the signature, or "" if it is not known.
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

// shapesOf returns the shapes of a tree's leaves, and whether the type does not determine
// them.
func shapesOf[T any](tree *T) (shapes []tensor.Shape, open bool, err error) {
	n, v, err := nodeAt(tree)
	if err != nil {
		return nil, false, err
	}
	silent := ""
	err = n.walk(v, "", func(at string, l leaf.Leaf, v reflect.Value) {
		s, ok := l.Shape(v)
		if !ok && silent == "" {
			silent = pathOf(at, "leaf", 0)
		}
		shapes = append(shapes, s)
	})
	if err == nil && silent != "" {
		err = fmt.Errorf("%s has no dimensions: give a View with a Shape, an Array with Dims, or a slice of the length", silent)
	}
	return shapes, n.open, err
}
