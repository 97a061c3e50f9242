package calliope

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/tensor"
)

// results have the structure of the results of a Go function: what it returned, without values.
type results struct{ like []reflect.Value }

// setResult stores an output in v. It closes an Array that v does not keep.
func setResult(ctx context.Context, a Array, at string, v reflect.Value) error {
	if v.Type() == bufferType {
		v.Set(reflect.ValueOf(a))
		return nil
	}
	defer a.Close()
	host, err := a.ToHost(ctx)
	if err != nil {
		return err
	}
	if !leaf.Of(v.Type()).Set(v, host) {
		return fmt.Errorf("%s is a %s, which cannot hold %s", at, v.Type(), host.Shape)
	}
	return nil
}

// checkResults returns an error if trees of a type cannot hold the results.
func (c *compiled) checkResults(t reflect.Type) error {
	if c.fits.Load() == t {
		return nil
	}
	next, n := 0, len(c.outputs)
	err := c.eachResult(reflect.New(t).Elem(), n*c.devices, func(at string, v reflect.Value) error {
		next++
		return c.checkResult(at, v.Type(), c.outputs[(next-1)%n])
	})
	if err != nil {
		return fmt.Errorf("calliope: %w", err)
	}
	c.fits.Store(t)
	return nil
}

func (c *compiled) checkResult(at string, t reflect.Type, s tensor.Shape) error {
	if t == bufferType {
		return nil
	}
	l := leaf.Of(t)
	if l == nil {
		return fmt.Errorf("%s is a %s, and the function returns %s: use %s", at, t, s, leafTypes)
	}
	elements, rank := l.Accepts()
	if elements != tensor.Invalid && elements != s.DType || rank != leaf.AnyRank && rank != s.Rank() {
		return fmt.Errorf("%s is a %s, which cannot hold %s", at, t, s)
	}
	return nil
}

// setResults stores the outputs in a tree. It closes those that the tree does not keep, and all if there is an error.
func (c *compiled) setResults(ctx context.Context, arrays []Array, to reflect.Value) error {
	next := 0
	set := func(at string, v reflect.Value) error {
		next++
		return setResult(ctx, arrays[next-1], at, v)
	}
	err := c.eachResult(to, len(arrays), set)
	if err != nil {
		to.SetZero()
		engine.CloseAll(arrays)
		return fmt.Errorf("calliope: %w", err)
	}
	return nil
}

// eachResult calls set for the leaves of the results in a tree.
func (c *compiled) eachResult(to reflect.Value, n int, set func(at string, v reflect.Value) error) error {
	if c.devices <= 1 {
		return c.results.each(to, "the result", n, set)
	}
	switch {
	case to.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), c.devices, c.devices))
	case to.Kind() != reflect.Array || to.Len() != c.devices:
		return fmt.Errorf("the result is a %s: use a slice of %d trees, one for each replica", to.Type(), c.devices)
	}
	for i := range c.devices {
		if err := c.results.each(to.Index(i), fmt.Sprintf("the result [%d]", i), n/c.devices, set); err != nil {
			return err
		}
	}
	return nil
}

// each calls set for the leaves of a tree, to which it gives the structure of the results.
func (r *results) each(to reflect.Value, at string, n int, set func(at string, v reflect.Value) error) error {
	visit := func(at string, _, v reflect.Value) error { return set(at, v) }
	switch {
	case r == nil:
		left := n
		err := fill(tree.MaxDepth, to, at, &left, set)
		if err == nil && left > 0 || errors.Is(err, errFew) {
			err = fmt.Errorf("the module has %d results, and a %s has not as many leaves: a slice takes all that are left, "+
				"so use a Go array, such as [2]T, where others follow", n, to.Type())
		}
		return err
	case len(r.like) == 1:
		return mirror(r.like[0], to, at, visit)
	case len(r.like) > 0 && (to.Kind() != reflect.Struct || to.NumField() != len(r.like)):
		return fmt.Errorf("the function has %d results: use a struct with as many fields for them, not a %s",
			len(r.like), to.Type())
	}
	for i, like := range r.like {
		if err := mirror(like, to.Field(i), at+"."+to.Type().Field(i).Name, visit); err != nil {
			return err
		}
	}
	return nil
}

var errFew = errors.New("there are more leaves than results")

// fill calls set for the leaves of a tree that has no given structure. Of left results, a slice takes all.
func fill(depth int, to reflect.Value, at string, left *int, set func(at string, v reflect.Value) error) error {
	if to.Type() == bufferType || leaf.Of(to.Type()) != nil {
		if *left == 0 {
			return errFew
		}
		*left--
		return set(at, to)
	}
	switch {
	case depth == 0:
		return tree.ErrDepth
	case to.Kind() == reflect.Slice:
		n := *left / max(1, leavesOf(to.Type().Elem()))
		to.Set(reflect.MakeSlice(to.Type(), n, n))
	case to.Kind() != reflect.Struct && to.Kind() != reflect.Array:
		return fmt.Errorf("%s is a %s: the results of a module are a struct, a Go array or a slice of %s", at,
			to.Type(), leafTypes)
	}
	return tree.Each(to, at, leafTypes, func(_ int, b tree.Branch) error {
		return fill(depth-1, b.Value, strings.TrimSpace(b.At), left, set)
	})
}

// leavesOf returns the number of leaves of trees of a type, or 0 if it has a slice of them.
func leavesOf(t reflect.Type) (n int) {
	switch {
	case t == bufferType || leaf.Of(t) != nil:
		return 1
	case t.Kind() == reflect.Array:
		return t.Len() * leavesOf(t.Elem())
	case t.Kind() != reflect.Struct:
		return 0
	}
	for i := range t.NumField() {
		of := leavesOf(t.Field(i).Type)
		if of == 0 {
			return 0
		}
		n += of
	}
	return n
}
