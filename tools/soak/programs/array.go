package programs

import (
	"fmt"
	"slices"
)

// An array has whole numbers, of any element type.
type array struct {
	kind kind
	data []int64
}

// Floats stay between -bound and bound, so that sums and products of a few of them are exact.
const bound = 1021

// wrap returns the number that an element type has for a result.
func (e elem) wrap(x int64) int64 {
	switch e {
	case s32:
		return int64(int32(x))
	case u8:
		return int64(uint8(x))
	case f32, f64:
		return x % bound
	case pred:
		return x & 1
	}
	return x
}

func (a array) String() string { return fmt.Sprint(a.data) }

func same(a, b array) bool { return a.kind == b.kind && slices.Equal(a.data, b.data) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// binary are the operations of two arrays, element by element.
var binary = map[operation]func(x, y int64) int64{
	"add": func(x, y int64) int64 { return x + y },
	"sub": func(x, y int64) int64 { return x - y },
	"mul": func(x, y int64) int64 { return x * y },
	"max": func(x, y int64) int64 { return max(x, y) },
	"min": func(x, y int64) int64 { return min(x, y) },
	"and": func(x, y int64) int64 { return x & y },
	"or":  func(x, y int64) int64 { return x | y },
	"xor": func(x, y int64) int64 { return x ^ y },
	"lt":  func(x, y int64) int64 { return truth(x < y) },
	"eq":  func(x, y int64) int64 { return truth(x == y) },
}

// evaluate computes a step.
func (c *compute) evaluate(args []array) array {
	out := array{c.out.kind, make([]int64, c.out.kind.shape.size())}
	e := out.kind.elem
	for i := range out.data {
		var x int64
		switch c.op {
		case "constant":
			x = c.literal[i]
		case "neg":
			x = -args[0].data[i]
		case "not":
			x = ^args[0].data[i]
		case "select":
			x = args[2].data[i]
			if args[0].data[i] != 0 {
				x = args[1].data[i]
			}
		case "power":
			x = 1
			for range c.literal[0] {
				x = e.wrap(x * args[0].data[i])
			}
		case "convert":
			x = converted(args[0].data[i], args[0].kind.elem, e)
		case "sum":
			for _, y := range args[0].data {
				x += y
			}
		case "fill":
			x = args[0].data[0]
		case "reshape":
			x = args[0].data[i]
		case "reverse":
			x = args[0].data[len(out.data)-1-i]
		case "update": // at an index, which is moved into the array
			x = args[0].data[i]
			if at := min(max(args[1].data[0], 0), int64(len(out.data)-1)); int64(i) == at {
				x = args[2].data[0]
			}
		default:
			x = binary[c.op](args[0].data[i], args[1].data[i])
		}
		out.data[i] = e.wrap(x)
	}
	return out
}

// converted returns a number as another element type, so small that no type rounds it.
func converted(x int64, from, to elem) int64 {
	switch {
	case to == pred:
		return truth(x != 0)
	case from == u8 || from == pred:
		return x
	case to == u8:
		return max(x%97, -x%97)
	case to == s32:
		return x % 97
	case to.isFloat():
		return x % bound
	}
	return x
}

// pick returns what a function without a state answers: results of the given kinds, in which each argument has a part.
func pick(site int, args []array, kinds []kind) (results []array) {
	sum := int64(site)
	for k, a := range args {
		for i, x := range a.data {
			sum = (3*sum + x%bound*int64(k+i+1)) % 97
		}
	}
	for r, k := range kinds {
		out := array{k, make([]int64, k.shape.size())}
		for i := range out.data {
			out.data[i] = k.elem.wrap(max(sum, -sum) + int64(r+i))
		}
		results = append(results, out)
	}
	return results
}

// halve is what pure functions, and those that change their arguments, make of an argument. It is also built of
// operations.
func halve(a array) array {
	out := array{a.kind, make([]int64, len(a.data))}
	for i, x := range a.data {
		switch a.kind.elem {
		case pred:
			out.data[i] = 1 - x
		case u8:
			out.data[i] = a.kind.elem.wrap(2*x + 1)
		default:
			out.data[i] = a.kind.elem.wrap(2*x+1) % 97
		}
	}
	return out
}
