package vmap

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/mlir"
)

// NotBatched is the axis of a parameter or a result that is the same for the whole batch, as None in
// JAX's in_axes and out_axes.
const NotBatched = contract.NotBatched

// Options select what is batched.
type Options struct {
	// Size is the number of elements of the batch. It is at least 1.
	Size int64
	// In has for each parameter the axis of the batch in the new function, or NotBatched. -1 is the
	// last axis. Nil means the first axis of each but tokens.
	In []int
	// Out has for each result the axis of the batch, or NotBatched, which is an error for a result that
	// depends on a batched parameter. Nil means the first axis of each but tokens.
	Out []int
	// Name is the name of the new function. "" is the name of the function with ".batch" after it. If the
	// module has the name, a number is added.
	Name string
	// Method is how callbacks whose results are computed by the host are called that do not state a method
	// themselves. "" is an error for them.
	Method contract.BatchMethod

	// AxisName makes the batch take the place of the devices along an axis, as axis_name in JAX: the operations between
	// them, such as all_reduce and partition_id, become operations on the batch, with one element for each of the Size
	// devices. If a mesh of the module has the axis, they are those along it in manual computations, whose operands and
	// results are divided into elements as their shardings say, so that nil for In and Out means NotBatched. The module
	// keeps its mesh and its number of partitions, for the function itself. Otherwise the axis is that of the replicas
	// of the function. See also OneDevice, for all devices of a module.
	AxisName string

	axis *axis             // of AxisName, for what is called inside of it
	made map[string]string // the names of the batches of functions of the module that rules need
}

// Batch adds to the module of a func.func a function that computes it for each element of a batch.
// Its parameters and results are those of f, with the dimension of the batch where o puts it.
func Batch(f mlir.Operation, o Options) (batched mlir.Operation, err error) {
	if f.IsNil() || f.Name() != "func.func" || f.Parent().IsNil() {
		return batched, fmt.Errorf("vmap: Batch is for a func.func in a module")
	}
	if f.Region(0).NumBlocks() != 1 {
		return batched, transform.Refuse(f, "a batch is of a function with one block")
	}
	var made []mlir.Operation
	defer transform.Catch(&err, func() {
		for _, op := range made {
			transform.Discard(op)
		}
	})
	transform.RefuseTokens(f)
	table := transform.Must(f.Parent().SymbolTable())
	source := f.Clone()
	transform.Must(table.Insert(source))
	made = append(made, source)
	if at, err := transform.InlineExcept(source, table, stays(table)); err != nil {
		transform.Fail(at, "%v", err)
	}
	transform.Unpack(source)
	transform.Must(xlacalls.Expand(source))
	asComposites(source)
	from := source.Region(0).First()
	parameters, results := from.ArgumentValues(), from.Terminator().OperandValues()
	tokens := tokensOf(from)
	if o.axis == nil {
		o.axis = axisOf(f, o)
	}
	if o.axis.isOutside() { // parameters are not batched, so that their shardings have no axis
		o.In, o.Out = unbatched(o.In, len(parameters)), unbatched(o.Out, len(results))
	}
	in, out := axes(f, "In", o.In, parameters, tokens), axes(f, "Out", o.Out, results, tokens)
	if o.Size < 1 {
		transform.Fail(f, "Options.Size is %d: it is the number of elements of the batch, at least 1", o.Size)
	}
	if !known(o.Method) {
		transform.Fail(f, "Options.Method is %q: use one of %q", o.Method, contract.BatchMethods())
	}

	batched = create(f, o.Size, parameters, in)
	transform.Must(table.Insert(batched))
	made = append(made, batched)
	to := batched.Region(0).First()
	b := &batcher{
		Emitter: transform.NewEmitter(to.Terminator(), f.Location()),
		size:    o.Size, method: o.Method, table: table, made: o.made, axis: o.axis, tokens: tokens,
		values: map[mlir.Value]mlir.Value{},
	}
	if b.made == nil {
		b.made = map[string]string{}
	}
	for i, v := range parameters {
		b.values[v] = to.Argument(i)
		if in[i] != NotBatched {
			b.values[v] = b.move(to.Argument(i), in[i], 0)
		}
	}
	b.block(from)
	b.Loc = f.Location()
	returned := make([]mlir.Value, len(results))
	for i, v := range results {
		switch {
		case out[i] != NotBatched:
			returned[i] = b.move(b.full(v), 0, out[i])
		case b.batched(v):
			transform.Fail(f, "result %d depends on a batched parameter, but Options.Out says NotBatched: give it an axis", i)
		default:
			returned[i] = b.get(v)
		}
	}
	to.Terminator().SetOperands(returned...)
	b.Clean(to)
	transform.Check(source.Erase())
	made = made[1:]
	for of, axes := range map[string][]int{transform.Parameters: in, transform.Results: out} {
		list := transform.Shardings(f, of, len(axes))
		if o.axis.isOutside() {
			transform.DropAxis(list, o.axis.name)
		}
		for i, axis := range axes {
			if axis != NotBatched {
				list[i] = transform.WithDimension(list[i], axis)
			}
		}
		transform.SetShardings(batched, of, list)
	}
	name, _ := f.Symbol()
	if name += ".batch"; o.Name != "" {
		name = o.Name
	}
	transform.Settle(batched, table, name)
	return batched, nil
}

// unbatched returns axes of n values, of which none is batched if they are nil.
func unbatched(axes []int, n int) []int {
	if axes == nil {
		return slices.Repeat([]int{NotBatched}, n)
	}
	return axes
}

// axes returns the axes of parameters or results, none of them negative. Tokens have none.
func axes(f mlir.Operation, what string, list []int, values []mlir.Value, tokens map[mlir.Value]bool) []int {
	if list == nil {
		list = make([]int, len(values))
		for i, v := range values {
			if tokens[v] {
				list[i] = NotBatched
			}
		}
	}
	if len(list) != len(values) {
		transform.Fail(f, "Options.%s has %d axes, but the function has %d values", what, len(list), len(values))
	}
	list = slices.Clone(list)
	for i, axis := range list {
		if axis == NotBatched {
			continue
		}
		t := values[i].Type()
		n, ok := t.Rank()
		if !ok || !t.IsRankedTensor() || tokens[values[i]] {
			transform.Fail(f, "value %d of Options.%s is %s, a token or no array, which has no axis for a batch: "+
				"use NotBatched", i, what, t)
		}
		if axis < 0 {
			list[i] += n + 1
		}
		if list[i] < 0 || list[i] > n {
			transform.Fail(f, "axis %d of value %d of Options.%s is not among the %d that it has with that of the batch",
				axis, i, what, n+1)
		}
	}
	return list
}

// create returns a function with the parameters of f, batched along axes, that returns nothing.
func create(f mlir.Operation, size int64, parameters []mlir.Value, in []int) mlir.Operation {
	c, types := f.Context(), mlir.TypesOf(parameters)
	for i, v := range parameters {
		if in[i] == NotBatched {
			continue
		}
		if _, static := v.Type().NumElements(); !static {
			transform.Fail(f, "parameter %d is %s: %s", i, v.Type(), refine)
		}
		types[i] = transform.Must(c.TensorType(transform.Element(v.Type()),
			slices.Insert(slices.Clone(transform.Dims(v)), in[i], size)...))
	}
	name, _ := f.Symbol()
	return transform.NewFunction(f.Location(), name, types)
}

// refine says what to do about dynamic dimensions.
const refine = "it has a dynamic dimension: make the shapes of the module static first, with stablehlo.Refine"
