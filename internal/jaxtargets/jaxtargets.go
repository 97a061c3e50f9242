// Package jaxtargets knows custom call targets of JAX by name, for packages that do not serve
// them.
package jaxtargets

import (
	"slices"
	"strings"
)

// routines are those of LAPACK that JAX calls, without the letter of the element type. The names
// of some differ for complex types.
var (
	both      = []string{"trsm", "getrf", "geqrf", "geqp3", "potrf", "gesdd", "gesvd", "geev", "gees", "gehrd", "gtsv"}
	ofReal    = []string{"orgqr", "ormqr", "syevd", "sytrd"}
	ofComplex = []string{"ungqr", "unmqr", "heevd", "hetrd"}
)

// IsLAPACK reports whether package bridge/lapack serves a target.
func IsLAPACK(target string) bool {
	name, ok := strings.CutPrefix(target, "lapack_")
	if !ok {
		return false
	}
	name, ok = strings.CutSuffix(name, "_ffi")
	if !ok || name == "" {
		return false
	}
	letter, routine := name[0], name[1:]
	switch letter {
	case 's', 'd':
		return slices.Contains(both, routine) || slices.Contains(ofReal, routine)
	case 'c', 'z':
		return slices.Contains(both, routine) || slices.Contains(ofComplex, routine)
	}
	return false
}
