package builder_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestHostileNumbers passes wrong numbers to every operation that takes numbers. The MLIR
// library does not check all of them, and crashes on some. Each must end in an error.
func TestHostileNumbers(t *testing.T) {
	for _, n := range []int{math.MinInt, math.MaxInt, 1 << 60, -1 << 33} {
		list, pair := []int{n, n}, [][2]int{{n, n}, {n, n}}
		for name, build := range map[string]func(x, i value){
			"axis":             func(x, i value) { builder.ReduceSum(x, n-1) },
			"transpose":        func(x, i value) { builder.Transpose(x, n, 0) },
			"reshape":          func(x, i value) { builder.Reshape(x, n, n) },
			"broadcast to":     func(x, i value) { builder.BroadcastTo(x, n, n) },
			"broadcast in dim": func(x, i value) { builder.BroadcastInDim(x, list, 0, 1) },
			"slice":            func(x, i value) { builder.Slice(x, list, list) },
			"slice strides":    func(x, i value) { builder.Slice(x, []int{0, 0}, []int{1, 1}, min(n, 0), n) },
			"slice axis":       func(x, i value) { builder.SliceAxis(x, 0, n, n) },
			"split":            func(x, i value) { builder.Split(x, n, 0) },
			"pad":              func(x, i value) { builder.Pad(x, 0, builder.Padding{Low: n, High: n}) },
			"pad inside":       func(x, i value) { builder.Pad(x, 0, builder.Padding{Interior: n}) },
			"dynamic slice":    func(x, i value) { builder.DynamicSlice(x, []value{i, i}, n, n) },
			"iota":             func(x, i value) { builder.Iota(x.Func(), tensor.ShapeOf(tensor.F32, n, n), 0) },
			"zeros":            func(x, i value) { builder.Zeros(x.Func(), tensor.ShapeOf(tensor.F32, n, n)) },
			"const":            func(x, i value) { builder.Const(x.Func(), []float32{1}, n) },
			"eye":              func(x, i value) { builder.Eye(x.Func(), tensor.F32, n) },
			"dot axes": func(x, i value) {
				builder.DotGeneral(x, x, builder.DotOptions{Contract: [][2]int{{n, n - 1}}})
			},
			"conv strides": func(x, i value) {
				builder.Conv(wide(x), wide(x), builder.ConvOptions{Strides: list, Same: true})
			},
			"conv padding": func(x, i value) { builder.Conv(wide(x), wide(x), builder.ConvOptions{Padding: pair}) },
			"conv dilation": func(x, i value) {
				builder.Conv(wide(x), wide(x), builder.ConvOptions{KernelDilation: list, Same: true})
			},
			"conv input": func(x, i value) {
				builder.Conv(wide(x), wide(x), builder.ConvOptions{InputDilation: list, Same: true})
			},
			"conv groups": func(x, i value) {
				builder.Conv(wide(x), wide(x), builder.ConvOptions{Groups: n, BatchGroups: n})
			},
			"gather": func(x, i value) {
				builder.Gather(x, i, builder.GatherOptions{StartIndexMap: list, IndexVectorDim: n, OffsetDims: list,
					CollapsedSliceDims: list, SliceSizes: list})
			},
			"gather batch": func(x, i value) {
				builder.Gather(x, i, builder.GatherOptions{StartIndexMap: []int{0}, OperandBatchingDims: list,
					StartIndicesBatchingDims: list, SliceSizes: []int{1, 1}})
			},
			"index select": func(x, i value) { builder.TorchIndexSelect(x, i, 0, n) },
			"scatter": func(x, i value) {
				builder.ScatterAdd(x, i, x, builder.ScatterOptions{ScatterDimsToOperandDims: list, IndexVectorDim: n,
					UpdateWindowDims: list, InsertedWindowDims: list})
			},
			"scatter batch": func(x, i value) {
				builder.ScatterAdd(x, i, x, builder.ScatterOptions{ScatterDimsToOperandDims: []int{0},
					InputBatchingDims: list, ScatterIndicesBatchingDims: list})
			},
			"window": func(x, i value) { builder.MaxPool(x, builder.WindowOptions{Dims: list, Same: true}) },
			"window strides": func(x, i value) {
				builder.MaxPool(x, builder.WindowOptions{Dims: []int{1, 1}, Strides: []int{min(n, 0), n}})
			},
			"window padding": func(x, i value) {
				builder.MaxPool(x, builder.WindowOptions{Dims: []int{1, 1}, Padding: pair})
			},
			"window dilation": func(x, i value) {
				builder.MaxPool(x, builder.WindowOptions{Dims: []int{2, 2}, Dilations: list, BaseDilations: list})
			},
			"sort":  func(x, i value) { builder.SortAscending(x, n-1) },
			"top k": func(x, i value) { builder.TopK(x, n) },
			"uniform": func(x, i value) {
				builder.Uniform01(builder.Zeros(x.Func(), tensor.ShapeOf(tensor.U64, 2)), f32(n))
			},
			"rng": func(x, i value) { builder.RngUniform(i, i, n) },
			"all gather": func(x, i value) {
				builder.AllGather(x, n-1, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
			},
			"all to all": func(x, i value) {
				builder.AllToAll(x, 0, 0, n, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
			},
			"permute":         func(x, i value) { builder.CollectivePermute(x, pair, builder.CollectiveOptions{}) },
			"tuple":           func(x, i value) { builder.GetTupleElement(builder.Tuple(x), n) },
			"fft":             func(x, i value) { builder.RFFT(x, n) },
			"batch norm":      func(x, i value) { builder.BatchNormTraining(x, x, x, 0, n-1) },
			"precision":       func(x, i value) { builder.ReducePrecision(x, n, n) },
			"dynamic iota":    func(x, i value) { builder.DynamicIota(i, s32(n), n-1) },
			"dynamic reshape": func(x, i value) { builder.DynamicReshape(x, i, n-1, n-1) },
			"dimension size":  func(x, i value) { builder.GetDimensionSize(x, n-1) },
		} {
			t.Run(name, func(t *testing.T) {
				b := newBuilder(t)
				f := b.Func("main", f32(2, 4), s32())
				build(f.Param(0), f.Param(1))
				f.Return()
				if m, err := b.Module(); err == nil {
					t.Errorf("with %d there is no error:\n%s", n, m)
					m.Close()
				}
			})
		}
	}
}

// wide returns x as an image.
func wide(x value) value { return builder.ExpandDims(x, 0, -1) }
