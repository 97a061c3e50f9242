package callbacks

import (
	"cmp"
	"maps"
	"slices"
)

// Info describes one callback of a registry, for tools.
type Info struct {
	Name       string // "" for a callback with an id
	ID         int64  // 0 for a callback with a name
	Signature  string // "" if it accepts any module
	References int    // number of unreleased registrations of an id; 1 for a name
	Declared   bool   // a name without a function, see Declare
}

// List returns every callback of the registry: names in alphabetical order, then ids.
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

// Registries returns the sorted names of the registries that modules can reach. The name of
// the default registry is "".
func Registries() []string {
	registries.RLock()
	defer registries.RUnlock()
	return slices.Sorted(maps.Keys(registries.byName))
}
