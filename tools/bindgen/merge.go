package main

import (
	"slices"

	"modernc.org/cc/v4"
)

// A release has the declarations of the headers of one release of LLVM.
type release struct {
	number int
	api    *api
}

// merge merges two releases. A function that only one of them declares, or that both declare
// with the same prototype, is called in any library that exports its name. If the prototypes
// differ, the result has one function for each release, which is called only in a library
// that states this release.
func merge(older, newer release) *api {
	was := map[string]*function{}
	for _, f := range older.api.functions {
		was[f.name] = f
	}
	renumbered := renumberedEnums(older.api, newer.api)
	out := &api{types: slices.Clone(newer.api.types)}
	for _, f := range newer.api.functions {
		old, both := was[f.name]
		delete(was, f.name)
		if f.release == 0 {
			f.unless = changedAfter[f.name].unless
		}
		switch {
		case extended[f.name]:
			if f.release != 0 {
				out.functions = append(out.functions, f.only(0))
			}
		case f.release != 0:
			out.functions = append(out.functions, f)
		case both && prototype(old) != prototype(f):
			out.functions = append(out.functions, old.only(older.number), f.only(newer.number))
		case f.uses(renumbered):
			// Go has the constants of the newer release.
			out.functions = append(out.functions, f.only(newer.number))
		default:
			out.functions = append(out.functions, f)
		}
	}
	have := map[string]bool{}
	for _, t := range out.types {
		have[t.name] = true
	}
	for _, t := range older.api.types {
		if !have[t.name] {
			out.types = append(out.types, t)
		}
	}
	for _, f := range older.api.functions {
		if was[f.name] != nil {
			out.functions = append(out.functions, f)
		}
	}
	return out
}

// only returns a copy of the function for libraries of one release.
func (f *function) only(release int) *function {
	g := *f
	g.release = release
	return &g
}

// prototype returns a function's declaration without the names of its parameters.
func prototype(f *function) string {
	var params []param
	for _, p := range f.params {
		params = append(params, param{c: p.c})
	}
	return functionC(f.result, f.name, params)
}

// uses reports whether a function takes or returns one of the named types.
func (f *function) uses(types map[string]bool) bool {
	return types[typedefName(f.result)] ||
		slices.ContainsFunc(f.params, func(p param) bool { return types[typedefName(p.c)] })
}

// renumberedEnums returns the enumerations in which a name has another value in newer.
func renumberedEnums(older, newer *api) map[string]bool {
	values := map[string]string{}
	each := func(a *api, f func(enum, name, value string)) {
		for _, t := range a.types {
			if e, ok := t.c.(*cc.EnumType); ok && t.kind == enumType {
				for _, v := range e.Enumerators() {
					f(t.name, v.Token.SrcStr(), enumValue(v))
				}
			}
		}
	}
	each(older, func(_, name, value string) { values[name] = value })
	out := map[string]bool{}
	each(newer, func(enum, name, value string) {
		if was, ok := values[name]; ok && was != value {
			out[enum] = true
		}
	})
	return out
}
