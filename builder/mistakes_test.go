package builder_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestOperationMistakes passes wrong operands to operations. Each error must describe the
// mistake and name the Go line.
func TestOperationMistakes(t *testing.T) {
	tests := []struct {
		name   string
		params shapes
		build  func(f *builder.Func, x []value)
		want   string
	}{
		{"element types differ", shapes{f32(2), s32(2)}, func(_ *builder.Func, x []value) { builder.Add(x[0], x[1]) }, `add(f32[2], s32[2]): op requires the same element type for all operands and results: use Convert on one of them`},
		{"shapes differ", shapes{f32(2), f32(3)}, func(_ *builder.Func, x []value) { builder.Add(x[0], x[1]) },
			`add(f32[2], f32[3]): Mismatched dimension sizes 2 and 3 in dimension 0`},
		{"ranks differ", shapes{f32(2, 3), f32(3)}, func(_ *builder.Func, x []value) { builder.Add(x[0], x[1]) }, `add(f32[2,3], f32[3]): the operands have 2 and 1 dimensions: use BroadcastInDim or ExpandDims on one of them`},
		{"a fraction for integers", shapes{s32(2)}, func(_ *builder.Func, x []value) { builder.Add(x[0], 0.5) },
			`add(s32[2]): the float64 0.5 cannot be represented in s32`},
		{"too great", shapes{tensor.ShapeOf(tensor.S8, 2)}, func(_ *builder.Func, x []value) { builder.Add(x[0], 200) },
			`add(s8[2]): the int 200 cannot be represented in s8`},
		{"negative", shapes{tensor.ShapeOf(tensor.U8, 2)}, func(_ *builder.Func, x []value) { builder.Add(x[0], -1) },
			`add(u8[2]): the int -1 cannot be represented in u8`},
		{"a boolean for numbers", shapes{f32(2)}, func(_ *builder.Func, x []value) { builder.Add(x[0], true) },
			`add(f32[2]): the bool true cannot be represented in f32`},
		{"a number for booleans", shapes{pred(2)}, func(_ *builder.Func, x []value) { builder.And(x[0], 1) },
			`and(pred[2]): the int 1 cannot be represented in pred`},
		{"complex for real", shapes{f32(2)}, func(_ *builder.Func, x []value) { builder.Mul(x[0], 1i) },
			`multiply(f32[2]): the complex128 (0+1i) cannot be represented in f32`},
		{"no integer", shapes{f32(2)}, func(_ *builder.Func, x []value) { builder.PopCount(x[0]) }, `popcnt(f32[2]): 'stablehlo.popcnt' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<2xf32>'`},
		{"const does not fit", shapes{}, func(f *builder.Func, _ []value) {
			builder.Const(f, []float32{1, 2, 3}, 2, 2)
		}, `constant: tensor: f32[2,2] has 4 elements, the slice has 3`},
		{"full with no type", shapes{}, func(f *builder.Func, _ []value) { builder.Full(f, tensor.Shape{}, 1) },
			`full: stablehlo: invalid is not an element type`},
		{"select of two numbers", shapes{pred(2)}, func(_ *builder.Func, x []value) { builder.Select(x[0], 1, 2) }, `select(pred[2]): both choices are Go numbers, so the element type is unknown: make one a Value, for example with FullLike`},
		{"select by numbers", shapes{f32(2), f32(2)}, func(_ *builder.Func, x []value) { builder.Select(x[0], x[1], x[1]) }, `select(f32[2], f32[2], f32[2]): 'stablehlo.select' op operand #0 must be ranked tensor of bool values, but got 'tensor<2xf32>'`},
		{"iota of a scalar", shapes{}, func(f *builder.Func, _ []value) { builder.Iota(f, s32(), 0) },
			`iota: a scalar has no axis 0`},
		{"reshape", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Reshape(x[0], 4) },
			`reshape(f32[2,3]): 6 elements do not fit the dimensions [4], which hold 4`},
		{"reshape two unknown", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Reshape(x[0], -1, -1) }, `reshape(f32[2,3]): the dimensions [-1 -1] are invalid: one of them may be -1, the others must not be negative`},
		{"reshape no whole", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Reshape(x[0], 4, -1) },
			`reshape(f32[2,3]): 6 elements do not fit the dimensions [4 -1]`},
		{"reshape dynamic", shapes{f32(-1, 3)}, func(_ *builder.Func, x []value) { builder.Reshape(x[0], 3, -1) },
			`reshape(f32[?,3]): a dimension is unknown: use DynamicReshape`},
		{"expand twice", shapes{f32(2)}, func(_ *builder.Func, x []value) { builder.ExpandDims(x[0], 0, 0) },
			`expand_dims(f32[2]): axis 0 is named twice`},
		{"squeeze more than 1", shapes{f32(2, 1)}, func(_ *builder.Func, x []value) { builder.Squeeze(x[0], 0) },
			`squeeze(f32[2,1]): the dimension at axis 0 is 2: only a dimension of 1 can be removed`},
		{"axis out of range", shapes{f32(2, 1)}, func(_ *builder.Func, x []value) { builder.Reverse(x[0], 2) },
			`reverse(f32[2,1]): there is no axis 2: use 0 to 1, or -1 to -2 to count from the end`},
		{"axis of a scalar", shapes{f32()}, func(_ *builder.Func, x []value) { builder.Reverse(x[0], -1) },
			`reverse(f32[]): a scalar has no axis -1`},
		{"transpose too few", shapes{f32(2, 1)}, func(_ *builder.Func, x []value) { builder.Transpose(x[0], 0) },
			`transpose(f32[2,1]): there are 1 axes, and the operand has 2 dimensions`},
		{"transpose twice", shapes{f32(2, 1)}, func(_ *builder.Func, x []value) { builder.Transpose(x[0], 0, -2) },
			`transpose(f32[2,1]): axis 0 is named twice`},
		{"broadcast to fewer", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.BroadcastTo(x[0], 3) },
			`broadcast(f32[2,3]): an array of 2 dimensions cannot be broadcast to 1 dimensions`},
		{"broadcast of others", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.BroadcastTo(x[0], 4, 3) }, `broadcast(f32[2,3]): axis 0 of the operand has the dimension 2, and the result has 4: they must be equal, or the operand's must be 1`},
		{"broadcast to unknown", shapes{f32(1)}, func(_ *builder.Func, x []value) { builder.BroadcastTo(x[0], -1) },
			`broadcast(f32[1]): one of the dimensions [-1] is unknown: use DynamicBroadcastInDim`},
		{"broadcast in few", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) {
			builder.BroadcastInDim(x[0],
				[]int{2, 3}, 0)
		}, `broadcast_in_dim(f32[2,3]): there are 1 axes, and the operand has 2 dimensions`},
		{"slice too few", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Slice(x[0], []int{0}, []int{1}) }, `slice(f32[2,3]): there are 1 starts, 1 limits and 2 strides: there must be 2 of each, one for each axis`},
		{"slice beyond", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) {
			builder.Slice(x[0], []int{0, 0},
				[]int{1, 4})
		}, `slice(f32[2,3]): limit index 4 is larger than dimension size 3 in dimension 1`},
		{"slice axis", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.SliceAxis(x[0], 1, 2, 4) },
			`slice(f32[2,3]): the range from 2 to 4 is not within axis 1, whose dimension is 3`},
		{"split", shapes{f32(5)}, func(_ *builder.Func, x []value) { builder.Split(x[0], 2, 0) },
			`split(f32[5]): axis 0 cannot be split into 2 equal parts`},
		{"concat types", shapes{f32(5), s32(5)}, func(_ *builder.Func, x []value) { builder.Concat(0, x...) }, `concatenate(f32[5], s32[5]): 'stablehlo.concatenate' op requires the same element type for all operands and results: use Convert on one of them`},
		{"pad too many", shapes{f32(5)}, func(_ *builder.Func, x []value) {
			builder.Pad(x[0], 0, builder.Padding{},
				builder.Padding{})
		}, `pad(f32[5]): there are 2 paddings for 1 axes`},
		{"dynamic slice too few", shapes{f32(5, 6), s32()}, func(_ *builder.Func, x []value) { builder.DynamicSlice(x[0], x[1:], 1) }, `dynamic_slice(f32[5,6], s32[]): there are 1 starts and 1 dimensions: there must be 2 of each, one for each axis`},
		{"dynamic index of a vector", shapes{f32(5, 6), s32(1)}, func(_ *builder.Func, x []value) {
			builder.DynamicIndex(x[0], x[1], 0)
		}, `dynamic_index(f32[5,6], s32[1]): the index is not a scalar`},
		{"dynamic update of another", shapes{f32(5, 6), f32(5), s32()}, func(_ *builder.Func, x []value) { builder.DynamicUpdateIndex(x[0], x[1], x[2], 0) }, `dynamic_update_index(f32[5,6], f32[5], s32[]): the update has the dimensions [5]: they must be [6]`},
		{"bitcast", shapes{f32(3)}, func(_ *builder.Func, x []value) { builder.Bitcast(x[0], tensor.F64) }, `bitcast_convert(f32[3]): stablehlo: bitcast_convert: to make elements of f64, tensor<3xf32> needs a last dimension of the size 2`},
		{"dot sizes", shapes{f32(2, 3), f32(4, 5)}, func(_ *builder.Func, x []value) { builder.Dot(x[0], x[1]) }, `dot(f32[2,3], f32[4,5]): stablehlo: dot_general: the contracting dimensions 1 of tensor<2x3xf32> and 0 of tensor<4x5xf32> differ in size`},
		{"dot scalar", shapes{f32(2, 3), f32()}, func(_ *builder.Func, x []value) { builder.Dot(x[0], x[1]) },
			`dot(f32[2,3], f32[]): a scalar has no axis to sum over: use Mul`},
		{"dot batches", shapes{f32(2, 3), f32(2, 3, 4)}, func(_ *builder.Func, x []value) { builder.Dot(x[0], x[1]) }, `dot(f32[2,3], f32[2,3,4]): cannot multiply arrays of 2 and 3 dimensions: use DotGeneral and name the axes`},
		{"dot axis", shapes{f32(2, 3), f32(3)}, func(_ *builder.Func, x []value) {
			builder.DotGeneral(x[0], x[1], builder.DotOptions{Contract: [][2]int{{2, 0}}})
		}, `dot_general(f32[2,3], f32[3]): there is no axis 2: use 0 to 1, or -1 to -2 to count from the end`},
		{"einsum operands", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Einsum("ab,bc->ac", x[0]) }, `einsum(f32[2,3]): "ab,bc->ac" does not name the axes of 1 operands and, after ->, of the result`},
		{"einsum axes", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Einsum("abc->ac", x[0]) },
			`einsum(f32[2,3]): "abc->ac" names 3 axes of operand 0, which has 2`},
		{"einsum twice", shapes{f32(3, 3)}, func(_ *builder.Func, x []value) { builder.Einsum("aa->a", x[0]) },
			`einsum(f32[3,3]): "aa->a" names the axis a twice in "aa"`},
		{"einsum new", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) { builder.Einsum("ab->ac", x[0]) },
			`einsum(f32[2,3]): "ab->ac": no operand has the result's axis c`},
		{"conv ranks", shapes{f32(1, 8, 8, 2), f32(3, 2, 4)}, func(_ *builder.Func, x []value) { builder.Conv(x[0], x[1], builder.ConvOptions{}) }, `convolution(f32[1,8,8,2], f32[3,2,4]): the operands have 4 and 3 dimensions: they need the same number, at least two`},
		{"conv layout", shapes{f32(1, 8, 8, 2), f32(3, 3, 2, 4)}, func(_ *builder.Func, x []value) { builder.Conv(x[0], x[1], builder.ConvOptions{Input: "NHWW"}) }, `convolution(f32[1,8,8,2], f32[3,3,2,4]): the layout Input is "NHWW": it must name the 4 axes by different letters: N, C and the spatial ones, which are the same in all layouts`},
		{"conv kernel layout", shapes{f32(1, 8, 8, 2), f32(3, 3, 2, 4)}, func(_ *builder.Func, x []value) { builder.Conv(x[0], x[1], builder.ConvOptions{Kernel: "DHIO"}) }, `convolution(f32[1,8,8,2], f32[3,3,2,4]): the layout Kernel is "DHIO": it must name the 4 axes by different letters: I, O and the spatial ones, which are the same in all layouts`},
		{"conv channels", shapes{f32(1, 8, 8, 2), f32(3, 3, 3, 4)}, func(_ *builder.Func, x []value) { builder.Conv(x[0], x[1], builder.ConvOptions{}) }, `convolution(f32[1,8,8,2], f32[3,3,3,4]): expects input feature dimension (2) / feature_group_count = kernel input feature dimension (3). Got feature_group_count = 1.`},
		{"conv strides", shapes{f32(1, 8, 8, 2), f32(3, 3, 2, 4)},
			func(_ *builder.Func, x []value) { builder.Conv(x[0], x[1], builder.ConvOptions{Strides: []int{2}}) },
			`convolution(f32[1,8,8,2], f32[3,3,2,4]): there are 1 strides for 2 spatial axes`},
		{"conv same and padding", shapes{f32(1, 8, 2), f32(3, 2, 4)}, func(_ *builder.Func, x []value) {
			builder.Conv(x[0], x[1], builder.ConvOptions{Same: true, Padding: [][2]int{{0, 0}}})
		}, `convolution(f32[1,8,2], f32[3,2,4]): both Same and Padding are set: use one of them`},
		{"take axis", shapes{f32(2, 3), s32(2)}, func(_ *builder.Func, x []value) { builder.Take(x[0], x[1], 2) },
			`take(f32[2,3], s32[2]): there is no axis 2: use 0 to 1, or -1 to -2 to count from the end`},
		{"take by fractions", shapes{f32(2, 3), f32(2)}, func(_ *builder.Func, x []value) { builder.Take(x[0], x[1], 0) }, `gather(f32[2,3], f32[2]): 'stablehlo.gather' op operand #1 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<2xf32>'`},
		{"index select batch", shapes{f32(2, 3), s32(2)}, func(_ *builder.Func, x []value) { builder.TorchIndexSelect(x[0], x[1], 0, 1) }, `torch_index_select(f32[2,3], s32[2]): 1 batch axes are too many: at most 0 (the axis) and at most 1 (the rank of the indices)`},
		{"scatter into a scalar", shapes{f32(), s32(2)}, func(_ *builder.Func, x []value) { builder.ScatterAdd(x[0], x[1], x[0], builder.ScatterOptions{}) }, `scatter_add(f32[], s32[2], f32[]): the operand is a scalar: an index cannot select a part of it`},
		{"scatter updates", shapes{f32(5, 6), s32(3), f32(2, 6)}, func(_ *builder.Func, x []value) { builder.ScatterAdd(x[0], x[1], x[2], builder.ScatterOptions{}) }, `scatter(f32[5,6], s32[3], f32[2,6]): expects bounds of the scatter dimensions of updates to be same as the bounds of the corresponding dimensions of scatter indices. For scatter dimension 0, updates bound is 2 , scatter_indices bound is 3.`},
		{"reduce body type", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) { builder.Reduce(x[0], x[1], builder.Lt) }, `reduce(f32[2], f32[]): the value is f32[] in what its Go function takes and pred[] in what that returns`},
		{"reduce body uses outside", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) {
			builder.Reduce(x[0], x[1], func(a, e value) value { return builder.Mul(a, x[1]) })
		}, `multiply(f32[], f32[]): operand 1 comes from outside of the body of the reduce, which can use only its own arguments and constants: use the value before or after it`},
		{"reduce init shape", shapes{f32(2), f32(2)}, func(_ *builder.Func, x []value) { builder.Reduce(x[0], x[1], builder.Add) }, `reduce(f32[2], f32[2]): The shape of reduction-region's result type at index 0 differs from the op's corresponding init-value type: 'tensor<f32>' vs 'tensor<2xf32>'`},
		{"reduce trees differ", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) {
			builder.Reduce(x[:2], x[1:], func(a, e []value) []value { return a })
		}, `reduce(f32[2], f32[], f32[]): the trees hold 2 and 1 values: they must have the same structure`},
		{"reduce body count", shapes{f32(2), f32(2), f32(), f32()}, func(_ *builder.Func, x []value) {
			builder.Reduce(x[:2], x[2:], func(a, e []value) []value { return a[:1] })
		}, `reduce(f32[2], f32[2], f32[], f32[]): [1], f32[], is only in what its Go function takes`},
		{"reduce body nothing", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) {
			builder.Reduce(x[0], x[1], func(a, e value) value { return value{} })
		}, `the body of the reduce(nothing): result 0 is the zero Value: use what an operation returned`},
		{"reduce all of numbers", shapes{f32(2)}, func(_ *builder.Func, x []value) { builder.ReduceAll(x[0]) },
			`reduce_all(f32[2]): the element type must be pred, not a number`},
		{"mean of few bits", shapes{tensor.ShapeOf(tensor.S8, 300)}, func(_ *builder.Func, x []value) {
			builder.ReduceMean(x[0])
		}, `reduce_mean(s8[300]): the int 300 cannot be represented in s8`},
		{"map shapes", shapes{f32(2), f32(3)}, func(_ *builder.Func, x []value) {
			builder.Map(func(e []value) value { return builder.Add(e[0], e[1]) }, x...)
		}, `map(f32[2], f32[3]): 'stablehlo.map' op requires the same shape for all operands and results`},
		{"window dims", shapes{f32(1, 4)},
			func(_ *builder.Func, x []value) { builder.MaxPool(x[0], builder.WindowOptions{Dims: []int{2}}) },
			`max_pool(f32[1,4]): there are 1 dimensions of the window for 2 axes`},
		{"window zero", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.MaxPool(x[0], builder.WindowOptions{Dims: []int{0}}) }, `max_pool(f32[4]): expects window to have positive value for 0-th window dimension, but got 0.`},
		{"select and scatter dilation", shapes{f32(4), f32(2), f32()}, func(_ *builder.Func, x []value) {
			builder.SelectAndScatter(x[0], x[1], x[2], builder.Ge, builder.Add,
				builder.WindowOptions{Dims: []int{2}, Dilations: []int{2}})
		}, `select_and_scatter(f32[4], f32[2], f32[]): dilations are not supported: leave them out`},
		{"sort by a number", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.Sort(x[0], builder.Add,
				builder.SortOptions{})
		}, `sort(f32[4]): its Go function returns f32[]: it must return pred[]`},
		{"sort of nothing", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.Sort([]value{x[0], {}}, func(a, c []value) value { return builder.Lt(a[0], c[0]) },
				builder.SortOptions{})
		}, `sort(f32[4], nothing): operand 1 is the zero Value: use what an operation returned`},
		{"sort of two shapes", shapes{f32(4), f32(5)}, func(_ *builder.Func, x []value) {
			builder.Sort(x, func(a, c []value) value { return builder.Lt(a[0], c[0]) }, builder.SortOptions{})
		}, `sort(f32[4], f32[5]): 'stablehlo.sort' op requires the same shape for all operands and results`},
		{"top k", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.TopK(x[0], 5) },
			`top_k(f32[4]): operand's last dimension must be at least 5`},
		{"random type", shapes{tensor.ShapeOf(tensor.U64, 2)}, func(_ *builder.Func, x []value) {
			builder.Uniform01(
				x[0], s32(2))
		}, `uniform01(u64[2]): the type s32 is not supported: use f16, bf16, f32 or f64`},
		{"random algorithm", shapes{tensor.ShapeOf(tensor.U64, 2)}, func(_ *builder.Func, x []value) { builder.RngBitGenerator(x[0], s32(2), "DICE") }, `rng_bit_generator(u64[2]): stablehlo.rng_bit_generator: rng_algorithm: "DICE" is not a known RNG algorithm: use one of DEFAULT, THREE_FRY, PHILOX`},
		{"random state", shapes{f32(2)}, func(_ *builder.Func, x []value) {
			builder.RngBitGenerator(x[0], s32(2),
				stablehlo.RngPhilox)
		}, `rng_bit_generator(f32[2]): the state must be a vector of u64, such as u64[2]`},
		{"gather mesh", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.AllGather(x[0], 0, builder.CollectiveOptions{Mesh: "m", Axes: []string{"x"}})
		}, `all_gather(f32[4]): there is no mesh "m" with an axis "x": make it with Builder.Mesh first`},
		{"groups and mesh", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.CollectiveBroadcast(x[0], builder.CollectiveOptions{Mesh: "m", Groups: [][]int{{0}}})
		}, `collective_broadcast(f32[4]): Groups and Mesh of CollectiveOptions exclude each other`},
		{"axes alone", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.AllToAll(x[0], 0, 0, 2, builder.CollectiveOptions{Axes: []string{"x"}})
		}, `all_to_all(f32[4]): Axes of CollectiveOptions needs Mesh`},
		{"gather groups", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.AllGather(x[0], 0, builder.CollectiveOptions{}) }, `all_gather(f32[4]): the result's dimensions depend on the size of a group: set Groups or Mesh of CollectiveOptions`},
		{"reduce scatter parts", shapes{f32(5)}, func(_ *builder.Func, x []value) {
			builder.ReduceScatter(x[0], 0, builder.Add, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
		}, `reduce_scatter(f32[5]): stablehlo: reduce_scatter: the size 5 of dimension 0 is not divisible by 2 devices`},
		{"permute groups", shapes{f32(5)}, func(_ *builder.Func, x []value) {
			builder.CollectivePermute(x[0], [][2]int{{0, 1}}, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
		}, `collective_permute(f32[5]): Groups, Mesh and GlobalDeviceIDs are not used: the pairs name the devices: leave them out`},
		{"permute twice", shapes{f32(5)}, func(_ *builder.Func, x []value) {
			builder.CollectivePermute(x[0], [][2]int{{0, 1}, {0, 2}}, builder.CollectiveOptions{})
		}, `collective_permute(f32[5]): duplicate sources not allowed.`},
		{"all to all parts", shapes{f32(5)}, func(_ *builder.Func, x []value) {
			builder.AllToAll(x[0], 0, 0, 2, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
		}, `all_to_all(f32[5]): split dimension has size 5, expected to be a multiple of split_count 2`},
		{"tuple element", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.GetTupleElement(builder.Tuple(
				x[0]), 1)
		}, `get_tuple_element(tuple<tensor<4xf32>>): index 1 is out of bounds of operand with size 1`},
		{"element of no tuple", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.GetTupleElement(x[0], 0) },
			`get_tuple_element(f32[4]): tensor<4xf32> is not a tuple`},
		{"composite of itself", shapes{f32(4)}, func(f *builder.Func, x []value) { builder.Composite("a.b", nil, f, x[0]) }, `composite(f32[4]): the decomposition: the function "main" calls itself: a compiled program has no recursion: use While`},
		{"composite of nothing", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.Composite("a.b", nil, nil, x[0])
		}, `composite(f32[4]): the decomposition: the function is nil`},
		{"no scale", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.Quantize(x[0], builder.Quantization{Storage: tensor.S8}) }, `uniform_quantize(f32[4]): stablehlo: a quantized type must have one scale, or per axis at least one, not 0`},
		{"quantized floats", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.Quantize(x[0], builder.Quantization{Storage: tensor.F32, Scales: []float64{0.5}})
		}, `uniform_quantize(f32[4]): the stored type f32 is not an integer type: use for example tensor.S8`},
		{"fft length", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.RFFT(x[0], 5) }, `fft(f32[4]): RFFT requires innermost dimensions to be compatible with fft_length. Got: 4 but wanted 5.`},
		{"fft of reals", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.FFT(x[0], 4) },
			`fft(f32[4]): FFT/IFFT/IRFFT take a complex tensor as input, but is given 'tensor<4xf32>'.`},
		{"cholesky of a vector", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.Cholesky(x[0], true) },
			`cholesky(f32[4]): argument 'a' must have rank >= 2, got shape 4.`},
		{"triangular shapes", shapes{f32(3, 3), f32(2, 2)}, func(_ *builder.Func, x []value) { builder.TriangularSolve(x[0], x[1], builder.TriangularOptions{}) }, `triangular_solve(f32[3,3], f32[2,2]): shared dimension of operands 'a' and 'b' must be compatible, but got 'tensor<3x3xf32>' and 'tensor<2x2xf32>'`},
		{"split into none", shapes{f32(5)}, func(_ *builder.Func, x []value) { builder.Split(x[0], 0, 0) },
			`split(f32[5]): axis 0 cannot be split into 0 equal parts`},
		{"split into too many", shapes{f32(0)}, func(_ *builder.Func, x []value) {
			builder.Split(x[0], math.MaxInt,
				0)
		}, `split(f32[0]): axis 0 cannot be split into 9223372036854775807 equal parts`},
		{"precision", shapes{f32(5)}, func(_ *builder.Func, x []value) { builder.ReducePrecision(x[0], 1<<32+5, 2) },
			`reduce_precision(f32[5]): 4294967301 exponent bits and 2 mantissa bits are out of range`},
		{"tuple element far away", shapes{f32(4)},
			func(_ *builder.Func, x []value) { builder.GetTupleElement(builder.Tuple(x[0]), 1<<32) },
			`get_tuple_element(tuple<tensor<4xf32>>): the index 4294967296 is out of range`},
		{"no body", shapes{f32(4), f32()}, func(_ *builder.Func, x []value) { builder.Reduce(x[0], x[1], nil) },
			`reduce(f32[4], f32[]): its Go function is nil`},
		{"no order", shapes{f32(4)}, func(_ *builder.Func, x []value) {
			builder.Sort(x[0], nil, builder.SortOptions{})
		}, `sort(f32[4]): its Go function is nil`},
		{"no map", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.Map(nil, x[0]) },
			`map(f32[4]): its Go function is nil`},
		{"template", shapes{f32(4)}, func(_ *builder.Func, x []value) { builder.Dot(x[0], builder.Like(f32(4))) },
			`dot(f32[4], f32[4]): operand 1 is a template, which has a type and no value`},
		{"batch norm features", shapes{f32(2, 3), f32(2)}, func(_ *builder.Func, x []value) { builder.BatchNormInference(x[0], x[1], x[1], x[1], x[1], 0, 1) }, `batch_norm_inference(f32[2,3], f32[2], f32[2], f32[2], f32[2]): expects the size of single-dimensional operands to be compatible with feature count, but the size of single-dimensional operands is 2 and the feature count is 3.`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main", test.params...)
			var params []value
			for i := range test.params {
				params = append(params, f.Param(i))
			}
			test.build(f, params)
			f.Return()
			_, err := b.Module()
			var e *builder.Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v, want a builder.Error", err)
			}
			// The line comes first, and again where the MLIR library names it.
			at := fmt.Sprintf("%s:%d", e.File, e.Line)
			got, ok := strings.CutPrefix(err.Error(), at+": ")
			got = strings.ReplaceAll(got, at, "HERE")
			want, open := strings.CutSuffix(test.want, "…")
			if !ok || got != want && !(open && strings.HasPrefix(got, want)) {
				t.Errorf("error is\n%s\nwant\n%s", got, test.want)
			}
			if filepath.Base(e.File) != "mistakes_test.go" {
				t.Errorf("the mistake is said to be in %s", e.File)
			}
		})
	}
}

// TestOperationsAfterMistake continues after a mistake with every kind of operation. All of
// them do nothing, and the first mistake is the one that is reported.
func TestOperationsAfterMistake(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32(4))
	x := builder.Transpose(f.Param(0), 7)
	_, _, line, _ := runtime.Caller(0)
	type pair struct{ A, B value }
	p := pair{x, f.Param(0)}
	builder.Add(x, 1)
	builder.Add(1, x)
	builder.Add(x, f.Param(0))
	builder.Eq(x, x)
	builder.Select(x, x, 0)
	builder.Clamp(0, x, x)
	builder.Scalar(f, float32(1))
	builder.Const(f, []float32{1}, 2)
	builder.Full(f, f32(1), math.NaN())
	builder.Zeros(f, f32(1))
	builder.ZerosLike(x)
	builder.Iota(f, f32(1), 3)
	builder.Eye(f, tensor.F32, 2)
	builder.Complex(x, 1)
	builder.Convert(x, tensor.S8)
	builder.Bitcast(x, tensor.S8)
	builder.Reshape(x, -1)
	builder.ExpandDims(x, 1)
	builder.Squeeze(x)
	builder.BroadcastTo(x, 1)
	builder.BroadcastInDim(x, []int{1}, 0)
	builder.Slice(x, nil, nil)
	builder.SliceAxis(x, 0, 0, 1)
	builder.Split(x, 2, 0)
	builder.Concat(0, x, x)
	builder.Stack(0, x, x)
	builder.Pad(x, 0, builder.Padding{})
	builder.Reverse(x, 0)
	builder.DynamicSlice(x, []value{x}, 1)
	builder.DynamicUpdateSlice(x, x, x)
	builder.DynamicIndex(x, x, 0)
	builder.DynamicUpdateIndex(x, x, x, 0)
	builder.DynamicConv(x, x, x, builder.ConvOptions{})
	builder.DynamicGather(x, x, x, builder.GatherOptions{})
	builder.DynamicIota(x, s32(-1), 0)
	builder.GetDimensionSize(x, 0)
	builder.Dot(x, x)
	builder.DotGeneral(x, x, builder.DotOptions{Contract: [][2]int{{0, 0}}})
	builder.Einsum("a->a", x)
	builder.Conv(x, x, builder.ConvOptions{Same: true})
	builder.Gather(x, x, builder.GatherOptions{})
	builder.Take(x, x, 0)
	builder.TorchIndexSelect(x, x, 0, 0)
	builder.Scatter(p, x, p, func(a, b pair) pair { return a }, builder.ScatterOptions{})
	builder.ScatterAdd(x, x, x, builder.ScatterOptions{})
	builder.Reduce(p, p, func(a, b pair) pair { return a })
	builder.ReduceSum(x)
	builder.ReduceMean(x, 0)
	builder.ArgMax(x, 0)
	builder.Map(func(e []value) value { return e[0] }, x)
	builder.ReduceWindow(p, p, func(a, b pair) pair { return a }, builder.WindowOptions{})
	builder.MaxPool(x, builder.WindowOptions{})
	builder.AvgPool(x, builder.WindowOptions{})
	builder.Cumsum(x, 0)
	builder.SelectAndScatter(x, x, x, builder.Ge, builder.Add, builder.WindowOptions{})
	builder.Sort(p, func(a, b pair) value { return builder.Lt(a.A, b.A) }, builder.SortOptions{})
	builder.SortAscending(x, 0)
	builder.ArgSort(x, 0)
	builder.TopK(x, 1)
	builder.RngBitGenerator(x, f32(), stablehlo.RngDefault)
	builder.Uniform01(x, f32())
	builder.RngUniform(x, x)
	builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
	builder.CollectiveReduce(x, builder.Add, builder.CollectiveOptions{})
	builder.AsyncDone(builder.AsyncStart(func(x []value) value { return x[0] }, x))
	builder.AllGather(x, 0, builder.CollectiveOptions{})
	builder.ReduceScatter(x, 0, builder.Add, builder.CollectiveOptions{})
	builder.AllToAll(x, 0, 0, 1, builder.CollectiveOptions{})
	builder.CollectivePermute(x, nil, builder.CollectiveOptions{})
	builder.CollectiveBroadcast(x, builder.CollectiveOptions{})
	builder.PartitionID(f)
	builder.OptimizationBarrier(p)
	builder.GetTupleElement(builder.Tuple(x, x), 0)
	builder.Composite("a.b", nil, f, x)
	builder.Quantize(x, builder.Quantization{})
	builder.Dequantize(x)
	builder.FFT(x, 4)
	builder.Cholesky(x, true)
	builder.TriangularSolve(x, x, builder.TriangularOptions{})
	builder.BatchNormTraining(x, x, x, 0, 0)
	builder.Erf(x)
	builder.Zeta(x, 2)
	f.Return(x)
	_, err := b.Module()
	var e *builder.Error
	if !errors.As(err, &e) || e.Op != "transpose" || e.Line != line-1 {
		t.Errorf("error is %v", err)
	}
}
