package calliope

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Load makes a Function of a file: of a StableHLO module in text, in bytecode or as a portable artifact, of a file of
// jax.export, or of a program that Executable.Serialize has saved. It opens the session.
//
// The leaves of the arguments are the parameters of the module, or all inputs of a jax.export, in the contract's order.
// A module with open dimensions is compiled for each set of shapes. A callback that is not registered, or that takes
// other types, is an error of Load, with its place and the nearest known name. Another custom call that nothing serves
// is one of the first call. The files are trusted: see mlir.Context.Parse and
// bridge.Client.Load.
func Load(ctx context.Context, path string, o FuncOptions) (*Function, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("calliope: Load: %w", err)
	}
	return loadNamed(ctx, filepath.Base(path), data, o)
}

// LoadBytes is Load for the contents of a file.
func LoadBytes(ctx context.Context, data []byte, o FuncOptions) (*Function, error) {
	return loadNamed(ctx, "module", data, o)
}

func loadNamed(ctx context.Context, name string, data []byte, o FuncOptions) (*Function, error) {
	f := &Function{source: &loaded{file: &load.File{Name: name, Data: data}}}
	err := f.set(o, math.MaxInt)
	if err == nil {
		err = f.load(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("calliope: Load: %s: %w", name, err), f.Close())
	}
	return f, nil
}

// load reads the module, for its parameters, its devices and what it calls.
func (f *Function) load(ctx context.Context) error {
	s, err := f.open(ctx)
	if err != nil {
		return err
	}
	l := f.source.(*loaded)
	if s.client != nil {
		e, err := s.client.Load(ctx, l.file.Data)
		if saved, ok := errors.AsType[*bridge.SavedError](err); !ok || saved.Reason != bridge.NotSaved {
			if err == nil && (f.options.Entry != "" || f.options.VJP != 0) {
				return errors.Join(errors.New("it is a compiled program: leave FuncOptions.Entry and VJP out"), e.Close())
			}
			if err == nil {
				f.known = []*compiled{l.saved(s, e)}
				f.options.Compile.Replicas = e.NumDevices()
			}
			return err
		}
	}
	o := load.Options{Entry: f.options.Entry, Choose: "FuncOptions.Entry",
		VJP: f.options.VJP, ChooseVJP: "FuncOptions.VJP", Fetch: s.fetching()}
	if s.ownLibrary {
		o.Library = s.library
	}
	if l.file, err = load.Open(ctx, l.file.Name, l.file.Data, o); err != nil {
		return err
	}
	m, err := l.file.Parse(nil)
	if err != nil {
		return err
	}
	l.parsed.Store(m)
	l.signature = m.Main
	compile := &f.options.Compile
	compile.Replicas = max(compile.Replicas, m.Declared.Replicas)
	check := *compile
	check.Partitions = max(check.Partitions, m.Declared.Partitions)
	return load.CheckCalls(m.Module, check)
}

// A loaded is a module that was read.
type loaded struct {
	file      *load.File
	parsed    atomic.Pointer[load.Module] // for the first trace, nil after it
	signature stablehlo.Main
}

// module returns the module in a context of its own: the one that load has read, or a new one.
func (l *loaded) module() (*load.Module, error) {
	if m := l.parsed.Swap(nil); m != nil {
		return m, nil
	}
	return l.file.Parse(nil)
}

// close closes the module if nothing has been compiled.
func (l *loaded) close() error {
	if m := l.parsed.Swap(nil); m != nil {
		return m.Close()
	}
	return nil
}

// saved returns an executable that was loaded.
func (l *loaded) saved(s *Session, e *bridge.Executable) *compiled {
	l.signature = stablehlo.Main{Params: e.Inputs(), Results: e.Outputs()}
	c := &compiled{session: s, runner: e, cancel: func() {}, ready: make(chan struct{}), devices: e.NumDevices(),
		outputs: e.Outputs()}
	for _, s := range e.Inputs() {
		c.list = append(c.list, argument{shape: s})
	}
	c.donated = make([]bool, len(c.list))
	close(c.ready)
	return c
}

// take returns the arguments that the module takes: jax.export leaves out those that it does not use. Their structure
// does not matter.
func (l *loaded) take(a arguments) arguments {
	a.structure = structure{}
	if e := l.file.Export.Exported; e != nil && len(e.Kept) < len(e.Inputs) && len(a.list) == len(e.Inputs) {
		var kept []argument
		for _, i := range e.Kept {
			kept = append(kept, a.list[i])
		}
		a.list = kept
	}
	return a
}

// trace implements source: it refines the module for arguments.
func (l *loaded) trace(_ context.Context, s *Session, o FuncOptions, args []any, a arguments) (*trace, error) {
	err := l.check(args, a)
	if err != nil {
		return nil, err
	}
	t := newTrace(s, o, a)
	m, err := l.module()
	if err != nil {
		return nil, fmt.Errorf("calliope: %s: %w", l.file.Name, err)
	}
	shapes := make([]tensor.Shape, len(a.list))
	for i, one := range a.list {
		shapes[i] = one.shape
	}
	if err := m.Refine(shapes); err != nil {
		return nil, errors.Join(fmt.Errorf("calliope: %s: %w", l.file.Name, err), m.Close())
	}
	t.module = m.Module
	return t, nil
}

// check compares the arguments with the parameters, leaf by leaf. args are the trees of the arguments.
func (l *loaded) check(args []any, a arguments) error {
	fits := slices.EqualFunc(a.list, l.signature.Params, func(one argument, p tensor.Shape) bool {
		return fitsOpen(one.shape, p)
	})
	if fits {
		return nil
	}
	var pairs errtext.Pairs
	places := placesOf(args)
	for i := range max(len(a.list), len(l.signature.Params)) {
		takes, path, given := "nothing", "", "nothing"
		ok := i < len(a.list) && i < len(l.signature.Params)
		if i < len(l.signature.Params) {
			takes = l.parameter(i)
			if path = l.file.Export.ParameterPath(i, len(l.signature.Params)); path != "" {
				path = " " + path
			}
		}
		if i < len(a.list) {
			given = a.list[i].shape.String()
			if place := places[a.list[i].index]; place != fmt.Sprint("argument ", i) {
				given += " of " + place
			}
		}
		differs := !ok || !fitsOpen(a.list[i].shape, l.signature.Params[i])
		pairs.Add(differs, "%d%s: takes %s, given %s", i, path, takes, given)
	}
	return fmt.Errorf("calliope: the arguments do not fit %s:%s", l.file.Name, &pairs)
}

// parameter returns the type of a parameter for people.
func (l *loaded) parameter(i int) string {
	if e := l.file.Export.Exported; e != nil && len(e.Kept) == len(l.signature.Params) {
		dims := e.Inputs[e.Kept[i]].Dims // have the names of symbols
		return l.signature.Params[i].DType.String() + "[" + strings.Join(dims, ",") + "]"
	}
	return strings.ReplaceAll(l.signature.Params[i].String(), "-1", "?")
}

// fitsOpen reports whether a shape fits one that may have open dimensions.
func fitsOpen(s, open tensor.Shape) bool {
	if s.DType != open.DType || s.Rank() != open.Rank() {
		return false
	}
	for i, d := range open.Dims {
		if d != -1 && d != s.Dims[i] {
			return false
		}
	}
	return true
}
