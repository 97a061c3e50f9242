package movement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// constant has its elements in the module.
type constant struct{ data []uint64 }

func (o constant) text(_ []string, _ []kind, out kind) string {
	return fmt.Sprintf("stablehlo.constant %s : %s", progen.Dense(array{out, o.data}.view()), out)
}

func (o constant) element(_ []array, out kind, at []int) uint64 { return o.data[out.index(at)] }

// splat is a constant whose elements are the same.
func splat(k kind, x uint64) constant {
	o := constant{make([]uint64, k.size())}
	for i := range o.data {
		o.data[i] = x
	}
	return o
}

// pairwise combines two arrays.
type pairwise struct{ op string }

func (o pairwise) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.%s %s, %s : %s", o.op, args[0], args[1], out)
}

func (o pairwise) element(args []array, out kind, at []int) uint64 {
	return combine(o.op, out.elem, args[0].at(at...), args[1].at(at...))
}

// compare compares two arrays.
type compare struct{ direction string }

func (o compare) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.compare %s, %s, %s : %s", o.direction, args[0], args[1], signature(in, out))
}

func (o compare) element(args []array, _ kind, at []int) uint64 {
	if holds(o.direction, args[0].elem, args[0].at(at...), args[1].at(at...)) {
		return 1
	}
	return 0
}

func holds(direction string, e tensor.DType, x, y uint64) bool {
	below, above := less(e, x, y), less(e, y, x)
	switch direction {
	case "LT":
		return below
	case "LE":
		return !above
	case "GT":
		return above
	case "GE":
		return !below
	case "EQ":
		return !below && !above
	}
	return below || above // NE
}

// selection takes elements of one array or of another.
type selection struct{}

func (selection) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.select %s : %s, %s", strings.Join(args, ", "), in[0], out)
}

func (selection) element(args []array, _ kind, at []int) uint64 {
	test := args[0].data[0]
	if !args[0].isScalar() {
		test = args[0].at(at...)
	}
	if test != 0 {
		return args[1].at(at...)
	}
	return args[2].at(at...)
}

// convert changes the type of integers.
type convert struct{}

func (convert) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.convert %s : %s", args[0], signature(in, out))
}

func (convert) element(args []array, out kind, at []int) uint64 {
	x := args[0].at(at...)
	if out.elem == tensor.Pred {
		return min(x, 1)
	}
	return mask(out.elem, uint64(signed(args[0].elem, x)))
}

// bitcast keeps the bits.
type bitcast struct{}

func (bitcast) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.bitcast_convert %s : %s", args[0], signature(in, out))
}

func (bitcast) element(args []array, out kind, at []int) (x uint64) {
	from, to := args[0].elem.Bits(), out.elem.Bits()
	switch {
	case from > to:
		last := len(at) - 1
		return mask(out.elem, args[0].at(at[:last]...)>>(at[last]*to))
	case from < to:
		for i := range to / from {
			x |= args[0].at(append(at[:len(at):len(at)], i)...) << (i * from)
		}
		return x
	}
	return args[0].at(at...)
}

// reduce combines the elements along dimensions.
type reduce struct {
	op   string
	dims []int
}

func (o reduce) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%s] : %s", args[0],
		args[1], o.op, list(o.dims), signature(in, out))
}

func (o reduce) element([]array, kind, []int) uint64 { panic("reduce") }

func (o reduce) evaluate(args []array, out kind) array {
	result := array{out, splat(out, args[1].data[0]).data}
	args[0].each(func(i int, at []int) {
		var to []int
		for d, n := range at {
			if !slices.Contains(o.dims, d) {
				to = append(to, n)
			}
		}
		k := out.index(to)
		result.data[k] = combine(o.op, out.elem, result.data[k], args[0].data[i])
	})
	return result
}

// window combines the elements in windows, with padding, from a neutral value.
type window struct {
	op                      string
	size, stride, low, high []int
}

func (o window) text(args []string, in []kind, out kind) string {
	scalar := in[1].String()
	var padding []string
	for d := range o.low {
		padding = append(padding, fmt.Sprintf("[%d, %d]", o.low[d], o.high[d]))
	}
	return fmt.Sprintf("\"stablehlo.reduce_window\"(%s, %s) <{window_dimensions = %s, window_strides = %s, "+
		"padding = dense<[%s]> : tensor<%dx2xi64>}> ({ ^bb0(%%a: %[7]s, %%b: %[7]s): "+
		"%%c = stablehlo.%[8]s %%a, %%b : %[7]s stablehlo.return %%c : %[7]s }) : %[9]s", args[0], args[1],
		array64(o.size), array64(o.stride), strings.Join(padding, ", "), len(o.low), scalar, o.op, signature(in, out))
}

func (o window) element(args []array, out kind, at []int) uint64 {
	x := args[1].data[0]
	of(out.elem, o.size...).each(func(_ int, in []int) {
		from := make([]int, len(at))
		for d := range at {
			from[d] = at[d]*o.stride[d] + in[d] - o.low[d]
			if from[d] < 0 || from[d] >= args[0].dims[d] {
				return
			}
		}
		x = combine(o.op, out.elem, x, args[0].at(from...))
	})
	return x
}
