package ods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Keywords is an attribute that is one of several keywords. The empty string leaves out an
// optional attribute. Elsewhere it is an error, like any unknown keyword.
type Keywords[T ~string] struct {
	Dialect string
	What    string // description for errors
	Prefix  string // text before the keyword; ">" follows it
	Cases   []T

	// The C API, used if the library has the function Symbol.
	Symbol string
	Make   func(t *capi.Table, c capi.MlirContext, keyword string) capi.MlirAttribute
	Is     func(t *capi.Table, a capi.MlirAttribute) bool
	Value  func(t *capi.Table, a capi.MlirAttribute) string
}

// Attribute makes the attribute. It checks the keyword first, because the library aborts
// the process if it is unknown.
func (e *Keywords[T]) Attribute(c *mlir.Context, keyword T) (mlir.Attribute, error) {
	if !slices.Contains(e.Cases, keyword) {
		return mlir.Attribute{}, fmt.Errorf("%q is not a known %s: use one of %s", string(keyword), e.What, e.list())
	}
	if err := c.LoadDialect(e.Dialect); err != nil {
		return mlir.Attribute{}, err
	}
	if l := c.Library(); l.Has(e.Symbol) {
		return raw.WrapAttribute(c, e.Make(raw.LibraryTable(l), raw.Context(c), string(keyword))), nil
	}
	return c.ParseAttribute(e.Prefix + string(keyword) + ">")
}

// Read returns the keyword of a. It returns false if a is another attribute.
func (e *Keywords[T]) Read(a mlir.Attribute) (T, bool) {
	if a.IsNil() {
		return "", false
	}
	if c := a.Context(); c.Library().Has(e.Symbol) {
		if t := raw.Table(c); e.Is(t, raw.Attribute(a)) {
			return T(e.Value(t, raw.Attribute(a))), true
		}
		return "", false
	}
	rest, ok := strings.CutPrefix(a.String(), e.Prefix)
	keyword := T(strings.TrimSuffix(rest, ">"))
	return keyword, ok && slices.Contains(e.Cases, keyword)
}

func (e *Keywords[T]) list() string {
	var words []string
	for _, k := range e.Cases {
		words = append(words, string(k))
	}
	return strings.Join(words, ", ")
}
