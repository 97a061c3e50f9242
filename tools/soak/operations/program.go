package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// A value is one of a program.
type value struct {
	name string
	element
	dims []int
}

func (v value) String() string { return arrayOf(v.element, v.dims...) }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func arrayOf(e element, dims ...int) string {
	var b strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	return "tensor<" + b.String() + e.MLIR() + ">"
}

// A program is an operation, or two, on parameters.
type program struct {
	number  uint64 // of the run
	seed    uint64
	ops     []*operation
	types   []element // of the first operands of the operations
	params  []value
	inputs  []tensor.View
	lines   []string
	results []value
	// inexact says that libraries may round the results in their own ways.
	inexact bool
	// reordered says that sums may be added in any order.
	reordered bool
}

// String names the operations, and the types that they are about.
func (p *program) String() string {
	var b strings.Builder
	for i, op := range p.ops {
		if i > 0 {
			b.WriteString(" → ")
		}
		fmt.Fprintf(&b, "%s of %s", op.name, p.types[i].MLIR())
	}
	return b.String()
}

// has reports whether one of the operations has one of these names.
func (p *program) has(names ...string) bool {
	return slices.ContainsFunc(p.ops, func(op *operation) bool { return slices.Contains(names, op.name) })
}

// hasType reports whether a value has a type that fits.
func (p *program) hasType(fits func(element) bool) bool {
	return slices.ContainsFunc(p.types, fits) ||
		slices.ContainsFunc(p.results, func(v value) bool { return fits(v.element) }) ||
		slices.ContainsFunc(p.params, func(v value) bool { return fits(v.element) })
}

// contains reports whether the text of a line has a part.
func (p *program) contains(part string) bool {
	return slices.ContainsFunc(p.lines, func(line string) bool { return strings.Contains(line, part) })
}

// module returns a module that returns the results of programs, one after the other, and its arguments.
func module(list ...*program) (text string, inputs []tensor.View) {
	var params, results, types, body []string
	for _, p := range list {
		for i, v := range p.params {
			params = append(params, v.name+": "+v.String())
			inputs = append(inputs, p.inputs[i])
		}
		body = append(body, p.lines...)
		for _, v := range p.results {
			results, types = append(results, v.name), append(types, v.String())
		}
	}
	if len(results) == 0 {
		return "func.func @main() {\n  return\n}\n", nil
	}
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n  %s\n  return %s : %s\n}\n", strings.Join(params, ", "),
		strings.Join(types, ", "), strings.Join(body, "\n  "), strings.Join(results, ", "), strings.Join(types,
			", ")), inputs
}
