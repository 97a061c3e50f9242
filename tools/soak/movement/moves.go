package movement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
)

// list writes numbers with commas between them.
func list(n []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ", "), "[]") }

// array64 writes an attribute.
func array64(n []int) string {
	if len(n) == 0 {
		return "array<i64>"
	}
	return "array<i64: " + list(n) + ">"
}

// signature writes the type of an operation.
func signature(in []kind, out kind) string {
	var types []string
	for _, k := range in {
		types = append(types, k.String())
	}
	return "(" + strings.Join(types, ", ") + ") -> " + out.String()
}

// slice takes a part.
type slice struct{ start, limit, stride []int }

func (o slice) text(args []string, in []kind, out kind) string {
	var parts []string
	for d := range o.start {
		parts = append(parts, fmt.Sprintf("%d:%d:%d", o.start[d], o.limit[d], o.stride[d]))
	}
	return fmt.Sprintf("stablehlo.slice %s [%s] : %s", args[0], strings.Join(parts, ", "), signature(in, out))
}

func (o slice) element(args []array, _ kind, at []int) uint64 {
	from := make([]int, len(at))
	for d := range at {
		from[d] = o.start[d] + at[d]*o.stride[d]
	}
	return args[0].at(from...)
}

// pad adds elements around and between those of an array, or removes some.
type pad struct{ low, high, interior []int }

func (o pad) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.pad %s, %s, low = [%s], high = [%s], interior = [%s] : %s", args[0], args[1],
		list(o.low), list(o.high), list(o.interior), signature(in, out))
}

func (o pad) element(args []array, _ kind, at []int) uint64 {
	from := make([]int, len(at))
	for d := range at {
		n := at[d] - o.low[d]
		if n < 0 || n%(o.interior[d]+1) != 0 || n/(o.interior[d]+1) >= args[0].dims[d] {
			return args[1].data[0]
		}
		from[d] = n / (o.interior[d] + 1)
	}
	return args[0].at(from...)
}

// concatenate joins arrays along a dimension.
type concatenate struct{ dim int }

func (o concatenate) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.concatenate %s, dim = %d : %s", strings.Join(args, ", "), o.dim, signature(in, out))
}

func (o concatenate) element(args []array, _ kind, at []int) uint64 {
	from := slices.Clone(at)
	i := 0
	for from[o.dim] >= args[i].dims[o.dim] {
		from[o.dim] -= args[i].dims[o.dim]
		i++
	}
	return args[i].at(from...)
}

// reverse reverses dimensions.
type reverse struct{ dims []int }

func (o reverse) text(args []string, in []kind, _ kind) string {
	return fmt.Sprintf("stablehlo.reverse %s, dims = [%s] : %s", args[0], list(o.dims), in[0])
}

func (o reverse) element(args []array, _ kind, at []int) uint64 {
	from := slices.Clone(at)
	for _, d := range o.dims {
		from[d] = args[0].dims[d] - 1 - at[d]
	}
	return args[0].at(from...)
}

// reshape keeps the order of the elements.
type reshape struct{}

func (reshape) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.reshape %s : %s", args[0], signature(in, out))
}

func (reshape) element(args []array, out kind, at []int) uint64 { return args[0].data[out.index(at)] }

// transpose permutes dimensions.
type transpose struct{ dims []int }

func (o transpose) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.transpose %s, dims = [%s] : %s", args[0], list(o.dims), signature(in, out))
}

func (o transpose) element(args []array, _ kind, at []int) uint64 {
	from := make([]int, len(at))
	for d, n := range o.dims {
		from[n] = at[d]
	}
	return args[0].at(from...)
}

// broadcast repeats elements.
type broadcast struct{ dims []int }

func (o broadcast) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.broadcast_in_dim %s, dims = [%s] : %s", args[0], list(o.dims), signature(in, out))
}

func (o broadcast) element(args []array, _ kind, at []int) uint64 {
	from := make([]int, len(o.dims))
	for d, n := range o.dims {
		if args[0].dims[d] > 1 {
			from[d] = at[n]
		}
	}
	return args[0].at(from...)
}

// starts returns where a part begins, moved so that it is within an array.
func starts(indices []array, whole, part []int) []int {
	at := make([]int, len(indices))
	for d, a := range indices {
		at[d] = clamped(a, 0, whole[d]-part[d])
	}
	return at
}

// clamped returns an index of an array, between 0 and a bound.
func clamped(a array, i, most int) int {
	n := signed(a.elem, a.data[i])
	if !progen.IsSigned(a.elem) && uint64(n) > uint64(most) {
		return most
	}
	return int(min(max(n, 0), int64(most)))
}

// dynamicSlice takes a part that begins at indices.
type dynamicSlice struct{}

func (dynamicSlice) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.dynamic_slice %s, sizes = [%s] : %s", strings.Join(args, ", "), list(out.dims),
		signature(in, out))
}

func (dynamicSlice) element(args []array, out kind, at []int) uint64 {
	from := starts(args[1:], args[0].dims, out.dims)
	for d := range from {
		from[d] += at[d]
	}
	return args[0].at(from...)
}

// update replaces a part that begins at indices.
type update struct{}

func (update) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("stablehlo.dynamic_update_slice %s : %s", strings.Join(args, ", "), signature(in, out))
}

func (update) element(args []array, out kind, at []int) uint64 {
	from := starts(args[2:], out.dims, args[1].dims)
	for d := range from {
		from[d] = at[d] - from[d]
		if from[d] < 0 || from[d] >= args[1].dims[d] {
			return args[0].at(at...)
		}
	}
	return args[1].at(from...)
}

// iota counts along a dimension.
type iota struct{ dim int }

func (o iota) text(_ []string, _ []kind, out kind) string {
	return fmt.Sprintf("stablehlo.iota dim = %d : %s", o.dim, out)
}

func (o iota) element(_ []array, out kind, at []int) uint64 {
	if progen.IsFloat(out.elem) {
		return progen.Bits(out.elem, float64(at[o.dim]))
	}
	return mask(out.elem, uint64(at[o.dim]))
}

// barrier keeps compilers from looking through a value.
type barrier struct{}

func (barrier) text(args []string, in []kind, _ kind) string {
	return fmt.Sprintf("stablehlo.optimization_barrier %s : %s", args[0], in[0])
}

func (barrier) element(args []array, _ kind, at []int) uint64 { return args[0].at(at...) }
