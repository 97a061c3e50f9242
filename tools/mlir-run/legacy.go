package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/passes"
)

// A legacyOption is one --legacy: LIBRARY[:SYMBOL[=TARGET][:FORM]].
type legacyOption struct {
	text, library, symbol, target string
	form                          legacy.Form // 0 if it is not stated
}

func parseLegacy(text string) (legacyOption, error) {
	o := legacyOption{text: text, library: text}
	rest, last, ok := cutLast(text)
	if ok {
		if form, err := legacy.ParseForm(last); err == nil {
			o.form, text = form, rest
			rest, last, ok = cutLast(text)
			if !ok {
				return o, errors.New("it has a form and no symbol: use LIBRARY:SYMBOL[=TARGET]:FORM")
			}
		}
	}
	if ok {
		o.library = rest
		o.symbol, o.target, _ = strings.Cut(last, "=")
		if o.symbol == "" || strings.HasSuffix(last, "=") {
			return o, errors.New("it has no symbol or no target: use LIBRARY[:SYMBOL[=TARGET][:FORM]]")
		}
	}
	if o.library == "" {
		return o, errors.New("it has no library: use LIBRARY[:SYMBOL[=TARGET][:FORM]]")
	}
	if strings.Contains(o.library, ".so:") {
		// What follows is meant to be a symbol and a form.
		_, err := legacy.ParseForm(last)
		return o, err
	}
	return o, nil
}

// cutLast cuts a text at its last colon, unless this one is in a path, as in C:\library.dll.
func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.ContainsAny(text[i:], `/\`) {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// legacyFunctions opens the libraries of --legacy and returns the functions by the targets that they serve.
func (o options) legacyFunctions() (map[string]*legacy.Function, error) {
	functions := map[string]*legacy.Function{}
	for _, option := range o.legacy {
		if err := option.open(functions); err != nil {
			return nil, fmt.Errorf("--legacy %s: %w", option.text, err)
		}
	}
	return functions, nil
}

func (o legacyOption) open(functions map[string]*legacy.Function) error {
	path := o.library
	if !strings.ContainsAny(path, `/\`) {
		path = "./" + path // a file, not a name to search for
	}
	l, err := legacy.Open(path)
	if err != nil {
		return err
	}
	if o.symbol == "" {
		if len(l.Functions()) == 0 {
			return errors.New("the library registers no functions: name a symbol and its form, LIBRARY:SYMBOL:FORM")
		}
		own := map[string]bool{}
		for _, f := range l.Functions() {
			if own[f.Name()] {
				continue
			}
			own[f.Name()] = true
			if f, err = l.Function(f.Name()); err != nil { // for this platform
				return err
			}
			if err := addFunction(functions, f.Name(), f); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := o.function(l)
	if err != nil {
		return err
	}
	target := o.target
	if target == "" {
		target = o.symbol
	}
	return addFunction(functions, target, f)
}

func addFunction(functions map[string]*legacy.Function, target string, f *legacy.Function) error {
	if functions[target] != nil {
		return fmt.Errorf("the target %q has a function already: give another with =TARGET", target)
	}
	functions[target] = f
	return nil
}

// function returns the function of the symbol, which the library registers or exports.
func (o legacyOption) function(l *legacy.Library) (*legacy.Function, error) {
	if o.form == 0 {
		f, err := l.Function(o.symbol)
		if err != nil {
			return nil, fmt.Errorf("%w (or state the form: LIBRARY:SYMBOL:FORM)", err)
		}
		return f, nil
	}
	for _, f := range l.Functions() {
		if f.Name() == o.symbol && f.Form() == o.form {
			return f, nil
		}
	}
	return l.Symbol(o.symbol, o.form)
}

// serveLegacy rewrites the calls of the functions of --legacy.
func (m *module) serveLegacy(o options) error {
	if len(o.legacy) == 0 {
		return nil
	}
	var err error
	if m.legacy, err = o.legacyFunctions(); err != nil {
		return err
	}
	result, err := passes.ReplaceLegacy(m.ir.Module, passes.LegacyOptions{Callback: func(c passes.LegacyCall) string {
		if m.legacy[c.Target] == nil {
			return ""
		}
		return c.Target
	}})
	if err != nil {
		return err
	}
	for _, left := range result.Skipped {
		err = errors.Join(err,
			fmt.Errorf("%s: the call cannot be served by --legacy: %s", m.placeOf(left.Location), left.Reason))
	}
	return err
}

// registerLegacy registers the functions of --legacy.
func (m *module) registerLegacy(o callbacks.Options) error {
	for target, f := range m.legacy {
		if err := f.Register(legacy.Registry, target, o); err != nil {
			return err
		}
	}
	return nil
}
