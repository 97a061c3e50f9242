package callbacks

import (
	"cmp"
	"maps"
	"slices"
)

// Info is what a registry says of one callback, for tools.
type Info struct {
	Name       string // "" for one with an id
	ID         int64  // 0 for one with a name
	Signature  string // "" where it accepts any module
	References int    // how often an id was given and not released; 1 for a name
	Declared   bool   // a name without a function, see Declare
}

// List is every callback of the registry: names in alphabetical order, then ids.
func (r *Registry) List() []Info {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Info, 0, len(r.byName)+len(r.byID))
	for name, b := range r.byName {
		out = append(out, Info{Name: name, Signature: b.options.Signature, References: 1, Declared: b.declared})
	}
	for id, b := range r.byID {
		out = append(out, Info{ID: id, Signature: b.options.Signature, References: b.refs})
	}
	slices.SortFunc(out, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Registries are the names of the registries that modules can reach, sorted; the
// default one is "".
func Registries() []string {
	registries.RLock()
	defer registries.RUnlock()
	return slices.Sorted(maps.Keys(registries.byName))
}
