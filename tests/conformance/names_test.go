package conformance

import (
	"strings"
)

// short is an operation's name without the dialect.
func short[S ~string](name S) string { return strings.TrimPrefix(string(name), "stablehlo.") }

// typeOf is the element type of an array's text.
func typeOf(array string) string {
	shape, _, _ := strings.Cut(array, " ")
	element, _, _ := strings.Cut(shape, "[")
	return element
}
