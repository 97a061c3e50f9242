package linalg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// numbers are what the library's bodies distinguish.
type numbers string

const (
	bools     numbers = "i1"
	integers  numbers = "integers"
	floats    numbers = "floating-point numbers"
	complexes numbers = "complex numbers"
	indices   numbers = "index"
)

// binary has the functions of two numbers, which must be of one of these kinds. The library
// ends the process, or crashes, on others.
var binary = map[string][]numbers{
	"add": {bools, integers, floats, complexes}, "mul": {bools, integers, floats, complexes},
	"sub": {integers, floats, complexes}, "div": {integers, floats, complexes}, "div_unsigned": {integers},
	"max": {bools, integers, floats}, "max_signed": {bools, integers, floats},
	"max_unsigned": {bools, integers, floats},
	"min":          {bools, integers, floats}, "min_signed": {bools, integers, floats},
	"min_unsigned": {bools, integers, floats},
	"powf":         {floats},
}

// numbersOf returns the kind of the elements of t.
func numbersOf(c *mlir.Context, t mlir.Type) (element mlir.Type, n numbers, ok bool) {
	api, element := raw.Table(c), t
	if inner, ok := t.Element(); ok && !capi.MlirTypeIsAComplex(api, raw.Type(t)) {
		element = inner
	}
	switch r := raw.Type(element); {
	case element.String() == "i1":
		return element, bools, true
	case capi.MlirTypeIsAInteger(api, r):
		return element, integers, true
	case capi.MlirTypeIsAFloat(api, r):
		return element, floats, true
	case capi.MlirTypeIsAComplex(api, r):
		return element, complexes, true
	case capi.MlirTypeIsAIndex(api, r):
		return element, indices, true
	}
	return element, "", false
}

// checkNumbers returns an error if the body of the operation cannot compute with the elements
// of its operands. function is the name of the operation, or the kind of a
// linalg.elementwise.
func checkNumbers(c *mlir.Context, o mlir.Operation, function string) error {
	var each []numbers
	wrong := func(i int, want any, got mlir.Type) error {
		return fmt.Errorf("linalg: operand %d of %s must hold %s, not %s", i, o.Name(), want, got)
	}
	last := o.NumOperands() - 1
	accumulates := accumulates(function)
	for i, v := range o.Operands() {
		element, n, ok := numbersOf(c, v.Type())
		if !ok {
			return wrong(i, "numbers", element)
		}
		each = append(each, n)
		if what := elementOf(function, i); what != "" && !isElement(element, what) {
			return wrong(i, what, element)
		}
		if kinds := binary[function]; kinds != nil && i < last && !slices.Contains(kinds, n) {
			return wrong(i, joined(kinds), element)
		}
		if binary[function] != nil && i < last && n != each[0] {
			return wrong(i, fmt.Sprintf("%s, as operand 0", each[0]), element)
		}
		if accumulates && n == indices {
			return wrong(i, "numbers other than index", element)
		}
	}
	switch {
	case function == "select" && each[0] != bools:
		return fmt.Errorf("linalg: operand 0 of %s must hold i1", o.Name())
	case strings.HasPrefix(function, "pooling_") && strings.HasSuffix(function, "_unsigned") && each[last] != integers:
		element, _, _ := numbersOf(c, o.Operand(last).Type())
		return wrong(last, integers, element)
	case accumulates && strings.HasPrefix(function, "pooling_"):
		each[1] = each[0] // the window is not read
		fallthrough
	case accumulates:
		for i, n := range each {
			if (n == complexes) != (each[last] == complexes) {
				return fmt.Errorf("linalg: operand %d of %s holds %s, and the output %s", i, o.Name(), n, each[last])
			}
		}
		if each[last] == bools && (strings.HasSuffix(function, "_q") || strings.HasPrefix(function, "quantized_")) {
			return fmt.Errorf("linalg: %s cannot subtract zero points of i1", o.Name())
		}
	}
	return nil
}

// accumulates reports whether the body casts its operands to the type of the output, and adds
// or compares them there.
func accumulates(function string) bool {
	switch function {
	case "contract", "dot":
		return true
	}
	for _, part := range []string{"mat", "mmt4d", "conv_", "pooling_"} {
		if strings.Contains(function, part) {
			return true
		}
	}
	return false
}

func joined(kinds []numbers) string {
	var text []string
	for _, k := range kinds {
		text = append(text, string(k))
	}
	return strings.Join(text, " or ")
}
