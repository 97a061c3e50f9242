package movement

import (
	"fmt"
	"slices"
	"strings"
)

// windows say which parts of an array the indices of a gather or a scatter name. Their names are those of StableHLO's
// specification, of a gather.
type windows struct {
	offset    []int // the dimensions of the result, or of the updates, that are in a part
	collapsed []int // dimensions of the array
	batch     []int // dimensions of the array,
	batched   []int // and those of the indices that go with them
	start     []int // the dimensions of the array that indices are for
	vector    int   // the dimension of the indices that has an index
	size      []int // of a part
	unique    bool
	sorted    bool
}

func (o windows) numbers(names ...string) string {
	lists := [][]int{o.offset, o.collapsed, o.batch, o.batched, o.start}
	var parts []string
	for i, n := range lists {
		if len(n) > 0 || i < 2 {
			parts = append(parts, fmt.Sprintf("%s = [%s]", names[i], list(n)))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("index_vector_dim = %d", o.vector)), ", ")
}

// split returns the position among the parts, and that in a part, of an element of the result or the updates.
func (o windows) split(at []int) (part, in []int) {
	for d, n := range at {
		if slices.Contains(o.offset, d) {
			in = append(in, n)
		} else {
			part = append(part, n)
		}
	}
	return part, in
}

// origin returns where in an array a part begins. A gather moves it into the array.
func (o windows) origin(indices array, part, dims []int, moved bool) []int {
	from := make([]int, len(dims))
	for k, d := range o.start {
		at := slices.Clone(part)
		if o.vector < len(indices.dims) {
			at = slices.Insert(at, o.vector, k)
		}
		if moved {
			from[d] = clamped(indices, indices.index(at), dims[d]-o.size[d])
			continue
		}
		n := signed(indices.elem, indices.at(at...))
		if n < 0 || n > 1<<20 { // of unsigned ones, too
			n = 1 << 20
		}
		from[d] = int(n)
	}
	for i, d := range o.batch {
		n := o.batched[i]
		if n > o.vector {
			n--
		}
		from[d] = part[n]
	}
	return from
}

// plus adds the position in a part to where the part begins.
func (o windows) plus(from, in []int) []int {
	i := 0
	for d := range from {
		if !slices.Contains(o.collapsed, d) && !slices.Contains(o.batch, d) {
			from[d] += in[i]
			i++
		}
	}
	return from
}

// gather takes parts of an array.
type gather struct{ windows }

func (o gather) text(args []string, in []kind, out kind) string {
	return fmt.Sprintf("\"stablehlo.gather\"(%s) <{dimension_numbers = #stablehlo.gather<%s>, slice_sizes = %s, "+
		"indices_are_sorted = %v}> : %s", strings.Join(args, ", "),
		o.numbers("offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
			"start_index_map"), array64(o.size), o.sorted, signature(in, out))
}

func (o gather) element(args []array, _ kind, at []int) uint64 {
	part, in := o.split(at)
	return args[0].at(o.plus(o.origin(args[1], part, args[0].dims, true), in)...)
}

// scatter replaces parts of an array, or combines them with updates.
type scatter struct {
	windows
	op string // "" replaces
}

func (o scatter) text(args []string, in []kind, out kind) string {
	scalar := in[0].with()
	body := "stablehlo.return %b : " + scalar.String()
	if o.op != "" {
		body = fmt.Sprintf("%%c = stablehlo.%s %%a, %%b : %s stablehlo.return %%c : %s", o.op, scalar, scalar)
	}
	return fmt.Sprintf("\"stablehlo.scatter\"(%s) <{scatter_dimension_numbers = #stablehlo.scatter<%s>, "+
		"indices_are_sorted = %v, unique_indices = %v}> ({ ^bb0(%%a: %s, %%b: %s): %s }) : %s", strings.Join(args, ", "),
		o.numbers("update_window_dims", "inserted_window_dims", "input_batching_dims",
			"scatter_indices_batching_dims", "scatter_dims_to_operand_dims"), o.sorted, o.unique, scalar, scalar, body,
		signature(in, out))
}

func (o scatter) element([]array, kind, []int) uint64 { panic("scatter") }

func (o scatter) evaluate(args []array, out kind) array {
	result := array{out, slices.Clone(args[0].data)}
	args[2].each(func(i int, at []int) {
		part, in := o.split(at)
		to := o.plus(o.origin(args[1], part, out.dims, false), in)
		for d, n := range to {
			if n >= out.dims[d] {
				return
			}
		}
		k := out.index(to)
		if o.op == "" {
			result.data[k] = args[2].data[i]
		} else {
			result.data[k] = combine(o.op, out.elem, result.data[k], args[2].data[i])
		}
	})
	return result
}
