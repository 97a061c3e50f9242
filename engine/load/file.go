package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// Options say how a file is read.
type Options struct {
	// Entry is the function that runs, "" for main.
	Entry string
	// Choose says how users choose Entry, for errors. "" means Options.Entry.
	Choose string
	// VJP is the order of the derivative that runs, of those that a file of jax.export carries. 0 is the function.
	VJP int
	// ChooseVJP says how users choose VJP, for errors. "" means Options.VJP.
	ChooseVJP string
	// Library reads the module. nil is the one that the module needs, which is fetched if it is missing.
	Library *mlir.Library
	// Fetch says how native parts are fetched.
	Fetch native.EnsureOptions
}

// A File is a file that was read. It is safe for concurrent use.
type File struct {
	Name   string
	Data   []byte // the module: text, bytecode or a portable artifact
	Export Export // if the file is one of jax.export

	options Options
}

// Open reads a file, whose name is for errors. It does not parse the module.
func Open(ctx context.Context, name string, data []byte, o Options) (*File, error) {
	f := &File{Name: name, Data: data, options: o}
	var err error
	if jaxexport.Is(data) {
		f.Export, err = ReadExport(data)
		if err == nil {
			err = f.selectVJP()
		}
		if err != nil {
			return nil, err
		}
		f.Data = f.Export.Module
	} else if o.VJP != 0 {
		return nil, fmt.Errorf("%s is for files of jax.export", f.chooseVJP())
	}
	if f.options.Library == nil {
		f.options.Library, err = Library(ctx, f.Data, o.Fetch)
	}
	return f, err
}

// selectVJP replaces the export by the derivative that the options ask for.
func (f *File) selectVJP() error {
	if f.options.VJP < 0 {
		return fmt.Errorf("%s is %d: give the order of a derivative, or 0 for the function", f.chooseVJP(), f.options.VJP)
	}
	for i := range f.options.VJP {
		if f.Export.VJP == nil {
			return fmt.Errorf("%s is %d, and the highest order in the file is %d: serialize it with vjp_order=%[2]d",
				f.chooseVJP(), f.options.VJP, i)
		}
		f.Export.Exported = f.Export.VJP
	}
	return nil
}

func (f *File) chooseVJP() string { return cmp.Or(f.options.ChooseVJP, "Options.VJP") }

// A ParseError says that the library cannot read a file's module.
type ParseError struct{ Err error }

func (e *ParseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }

// A Module is a module in a context of its own, whose main is the function that runs.
type Module struct {
	*mlir.Module
	stablehlo.Main
	Declared sharding.Module // about devices; the shardings are those of Main
}

// Parse parses the module. edit, if it is not nil, may change it before its signature is read. The caller must close
// the module. The error is a *[ParseError] if the library cannot read it, and a *[NoFunctionError] if it lacks the
// function that runs.
func (f *File) Parse(edit func(*mlir.Module) error) (*Module, error) {
	c := f.options.Library.NewContext(mlir.ContextOptions{})
	m, err := f.parse(c, edit)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return m, nil
}

func (f *File) parse(c *mlir.Context, edit func(*mlir.Module) error) (*Module, error) {
	parsed, err := c.Parse(f.Name, f.Data)
	if err != nil {
		return nil, &ParseError{err}
	}
	if err := SetMain(parsed, f.options.Entry, cmp.Or(f.options.Choose, "Options.Entry")); err != nil {
		return nil, err
	}
	if edit != nil {
		if err := edit(parsed); err != nil {
			return nil, err
		}
	}
	m := &Module{Module: parsed}
	if err := f.Export.SelectPlatform(parsed); err != nil {
		return nil, err
	}
	if m.Main, m.Declared, err = describe(parsed); err != nil {
		return nil, err
	}
	return m, nil
}

// describe returns what a module takes and returns, and how devices share it.
func describe(m *mlir.Module) (main stablehlo.Main, declared sharding.Module, err error) {
	if declared, err = sharding.Read(m); err != nil {
		return main, declared, err
	}
	if main, err = stablehlo.MainOf(m); err != nil {
		return main, declared, err
	}
	if main.Tokens != main.Returned {
		return main, declared, fmt.Errorf("@main takes %d tokens before its parameters, and returns %d before its results: "+
			"it must return as many as it takes", main.Tokens, main.Returned)
	}
	declared.Params = declared.Params[min(main.Tokens, len(declared.Params)):]
	declared.Results = declared.Results[min(main.Tokens, len(declared.Results)):]
	return main, declared, nil
}

// Close closes the module and its context.
func (m *Module) Close() error { return m.Context().Close() }
