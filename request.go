package calliope

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/tree"
)

// A request is what a call gives: the arrays of its arguments.
type request struct {
	arguments             // of the first replica
	first     []any       // the trees of that
	others    []arguments // of the other replicas
}

// read reads the arguments of a call. With replicas, each is a list with a tree for each of them.
func (f *Function) read(args []any) (r request, err error) {
	if f.err != nil {
		return r, f.err
	}
	replicas := f.options.Compile.Replicas
	for i := range max(replicas, 1) {
		trees := args
		if replicas > 1 {
			if trees, err = treesOf(args, i, replicas); err != nil {
				return r, err
			}
		}
		a, err := readArguments(trees)
		if err != nil {
			return r, err
		}
		a = f.source.take(a)
		switch {
		case i == 0:
			r.first, r.arguments = trees, a
		case !a.equal(r.arguments):
			return r, fmt.Errorf("calliope: the arguments of replica %d differ in shapes or structure from those of replica 0", i)
		default:
			r.others = append(r.others, a)
		}
	}
	return r, nil
}

// treesOf returns the arguments of a replica.
func treesOf(args []any, replica, replicas int) ([]any, error) {
	trees := make([]any, len(args))
	for i, arg := range args {
		v := reflect.ValueOf(arg)
		if !v.IsValid() || !tree.IsList(v.Kind()) || v.Len() != replicas {
			return nil, fmt.Errorf("calliope: argument %d is a %T: give a slice of %d trees, one for each replica", i,
				arg, replicas)
		}
		trees[i] = v.Index(replica).Interface()
	}
	return trees, nil
}

// input returns an input of a run, with those of all replicas counted.
func (r request) input(i int) argument {
	n := len(r.list)
	if i < n {
		return r.list[i]
	}
	return r.others[i/n-1].list[i%n]
}

// nameInput names the array that a run could not take, if err says so, by its place in the trees of the call.
func (r request) nameInput(err error) {
	wrong, ok := errors.AsType[*engine.InputError](err)
	if !ok {
		return
	}
	wrong.Name = r.input(wrong.Index).place(r.first)
	if len(r.others) > 0 {
		wrong.Name += fmt.Sprint(" of replica ", wrong.Index/len(r.list))
	}
}
