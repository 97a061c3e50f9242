package conformance

import (
	"strings"
)

// typeOf is the element type of an array's text.
func typeOf(array string) string {
	shape, _, _ := strings.Cut(array, " ")
	element, _, _ := strings.Cut(shape, "[")
	return element
}
