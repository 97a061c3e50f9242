package calliope

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// Checkpoint writes the values of a tree to a .npz file, which replaces the one before. The device goes on meanwhile:
// the call is Async. The name of an array is its place in the tree, such as Layers[0].Scale. A file that cannot be
// written is an error of the first call of the function. With CallOptions.Every, the last state of a loop is written
// only if its turn has come: make another Checkpoint of the result of the loop.
//
// A program that was killed goes on from the last file that is whole. The steps since then run again, with the
// callbacks before their Checkpoint: what these write needs a key, such as the step, so that a second time changes
// nothing. Of runs that are in flight together, a later one may write its file before an earlier one is over,
// unless builder.Options.RuntimeTokens orders them. A process that is killed while it writes leaves a file
// .NAME.*.tmp beside it, which the next program with a Checkpoint of this path removes if it is older than a
// minute.
func Checkpoint[T any](path string, x T, o ...CallOptions) {
	o = append([]CallOptions{}, o...)
	if len(o) == 0 {
		o = append(o, CallOptions{})
	}
	o[0].Dispatch = Async
	cb, ok := closureOf(x, "checkpoint", o, func() (callbacks.Func, error) {
		if err := replace.Check(path); err != nil {
			return nil, err
		}
		replace.Sweep(path)
		var names []string
		_ = eachValue(x, "", func(at string, _ builder.Value) { names = append(names, nameAt(at)) })
		return func(c *callbacks.Frame) error {
			var arrays []npz.Named
			for i, name := range names {
				arrays = append(arrays, npz.Named{Name: name, View: c.Args[i]})
			}
			return npz.WriteFile(path, arrays)
		}, nil
	})
	if ok {
		builder.Tap(x, cb)
	}
}

// nameAt returns the name of an array in a checkpoint.
func nameAt(at string) string {
	if at = strings.TrimPrefix(at, "."); at != "" {
		return at
	}
	return "x"
}

// Restore reads what Checkpoint wrote into a tree, whose slices and maps must have their lengths and keys.
func Restore[T any](path string, to *T) (err error) {
	if to == nil {
		return errors.New("calliope: Restore: the tree is nil: give a pointer to one")
	}
	f, err := npz.Open(path)
	if err != nil {
		return fmt.Errorf("calliope: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := restore(f, path, tree.MaxDepth, reflect.ValueOf(to).Elem(), ""); err != nil {
		return fmt.Errorf("calliope: %w", err)
	}
	return nil
}

func restore(f *npz.File, path string, depth int, to reflect.Value, at string) error {
	l := leaf.Of(to.Type())
	if l == nil {
		if depth == 0 {
			return fmt.Errorf("%s: %w", path, tree.ErrDepth)
		}
		return tree.Each(to, at, leaf.Types, func(_ int, b tree.Branch) error {
			if !b.Key.IsValid() {
				return restore(f, path, depth-1, b.Value, b.At)
			}
			value := reflect.New(b.Value.Type()).Elem()
			value.Set(b.Value)
			err := restore(f, path, depth-1, value, b.At)
			to.SetMapIndex(b.Key, value)
			return err
		})
	}
	name := nameAt(at)
	if !f.Has(name) {
		return fmt.Errorf("%s: it has no array %q, but %q", path, name, f.Names())
	}
	elements, rank := l.Accepts()
	held := func(s tensor.Shape) error {
		return fmt.Errorf("it is %.200s, which a %s cannot hold", s, to.Type())
	}
	array, err := f.Array(name, func(h npz.Header) error { // what does not fit is not read
		if elements != tensor.Invalid {
			if err := h.Fits(elements); err != nil {
				return err
			}
		}
		if rank != leaf.AnyRank && h.Shape.Rank() != rank {
			return held(h.Shape)
		}
		return nil
	})
	if err != nil {
		return err
	}
	view := array.View
	if elements != tensor.Invalid {
		if view, err = array.As(elements); err != nil {
			return fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	if !l.Set(to, view) {
		return fmt.Errorf("%s: %s: %w", path, name, held(view.Shape))
	}
	return nil
}
