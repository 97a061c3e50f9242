package operations

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// A value is one of a program.
type value struct {
	name string
	element
	dims []int
}

func (v value) String() string { return arrayOf(v.element, v.dims...) }

// shaped returns a value of the same element type.
func (v value) shaped(dims []int) value { return value{element: v.element, dims: dims} }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func arrayOf(e element, dims ...int) string { return progen.Type(e.MLIR(), dims...) }

// A program is an operation, or two, on parameters.
type program struct {
	number    uint64 // of the run
	seed      uint64
	ops       []*operation
	types     []element // of the first operands of the operations
	params    []value
	draws     []func(*rand.Rand) tensor.View // make arguments for the parameters
	inputs    [][]tensor.View                // sets of arguments, with each of which the program runs
	lines     []string
	functions []string // beside main
	results   []value
	constants []tensor.View
	between   []value // what the second operation takes from the first one
	// inexact says that libraries may round the results in their own ways.
	inexact bool
	// magnitude is that of numbers whose errors are in the results, as in a difference of two sums, or 0.
	magnitude float64
	// reordered says that sums may be added in any order.
	reordered bool
}

// sets is how many sets of arguments a program runs with: a run costs little beside the compile.
const sets = 4

// draw makes the arguments.
func (p *program) draw(r *rand.Rand) {
	for range sets {
		var list []tensor.View
		for _, draw := range p.draws {
			list = append(list, draw(r))
		}
		if p.inputs = append(p.inputs, list); len(list) == 0 {
			return
		}
	}
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

// contains reports whether the text of a line has a part.
func (p *program) contains(part string) bool {
	return slices.ContainsFunc(p.lines, func(line string) bool { return strings.Contains(line, part) })
}

// A pack is a module of programs, which returns the results of all, one after the other.
type pack struct {
	text  string
	owner []int // the program of each line, or -1
	sets  [][]tensor.View
}

func packed(list ...*program) (k pack) {
	var params, results, types []string
	body := []string{""}
	k.owner = []int{-1}
	longest := 0
	for i, p := range list {
		for _, v := range p.params {
			params = append(params, v.name+": "+v.String())
		}
		for _, line := range p.lines {
			body, k.owner = append(body, "  "+line), append(k.owner, i)
		}
		for _, v := range p.results {
			results, types = append(results, v.name), append(types, v.String())
		}
		longest = max(longest, len(p.inputs))
	}
	body[0] = fmt.Sprintf("func.func @main(%s) -> (%s) {", strings.Join(params, ", "), strings.Join(types, ", "))
	end := "  return"
	if len(results) > 0 {
		end += " " + strings.Join(results, ", ") + " : " + strings.Join(types, ", ")
	}
	body, k.owner = append(body, end, "}"), append(k.owner, -1, -1)
	for i, p := range list {
		for _, f := range p.functions {
			for line := range strings.Lines(f) {
				body, k.owner = append(body, strings.TrimSuffix(line, "\n")), append(k.owner, i)
			}
		}
	}
	for i := range longest {
		var set []tensor.View
		for _, p := range list {
			if len(p.inputs) > 0 { // one without parameters has one empty set
				set = append(set, p.inputs[i%len(p.inputs)]...)
			}
		}
		k.sets = append(k.sets, set)
	}
	k.text = strings.Join(body, "\n") + "\n"
	return k
}
