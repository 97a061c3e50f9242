package main

import (
	"slices"

	"modernc.org/cc/v4"
)

// release is what the headers of one release of LLVM declare.
type release struct {
	number int
	api    *api
}

// merge puts two releases together. A function that both declare alike, or only one
// of them, is called in whatever library exports its name. Where the two differ, the
// name alone does not say what a library expects: there is one function for each
// release, which is called only in a library that is known to be of it.
func merge(older, newer release) *api {
	was := map[string]*function{}
	for _, f := range older.api.functions {
		was[f.name] = f
	}
	renumbered := renumberedEnums(older.api, newer.api)
	for _, f := range newer.api.functions {
		f.unless = changedAfter[f.name]
	}
	out := &api{types: slices.Clone(newer.api.types)}
	for _, f := range newer.api.functions {
		old, both := was[f.name]
		delete(was, f.name)
		switch {
		case both && prototype(old) != prototype(f):
			out.functions = append(out.functions, old.only(older.number), f.only(newer.number))
		case f.uses(renumbered):
			// The constants in Go are the newer release's.
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

// only is the function bound to libraries of one release.
func (f *function) only(release int) *function {
	g := *f
	g.release = release
	return &g
}

// prototype is a function's declaration without the names of its parameters.
func prototype(f *function) string {
	var params []param
	for _, p := range f.params {
		params = append(params, param{c: p.c})
	}
	return functionC(f.result, f.name, params)
}

// uses reports whether a function takes or gives one of the named types.
func (f *function) uses(types map[string]bool) bool {
	return types[typedefName(f.result)] || slices.ContainsFunc(f.params, func(p param) bool { return types[typedefName(p.c)] })
}

// renumberedEnums are the enumerations in which a name has another value now.
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
