package operations_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// valueFunctions are functions of package builder.
var valueFunctions = []any{
	builder.Abs, builder.Not, builder.Add[builder.Value, builder.Value], builder.Pow[builder.Value, builder.Value],
	builder.ShiftLeft[builder.Value, builder.Value], builder.CountLeadingZeros, builder.Square, builder.IsFinite,
	builder.Clamp[builder.Value, builder.Value], builder.ReducePrecision, builder.Call[builder.Value],
	builder.Passthrough[builder.Value], builder.Tap[[]builder.Value],
	builder.RuntimeCall[[]builder.Value, builder.Value], builder.PureCall[builder.Value, []builder.Value],
	builder.PartitionID, builder.ReplicaID, builder.AllReduce, builder.AllGather, builder.ReduceScatter,
	builder.AllToAll, builder.CollectivePermute, builder.CollectiveBroadcast,
	builder.Eq[builder.Value, builder.Value], builder.TotalOrderLt[builder.Value, builder.Value],
	builder.Select[builder.Value, builder.Value], builder.Complex[builder.Value, builder.Value], builder.Real,
	builder.Imag, builder.Composite, builder.OptimizationBarrier[builder.Value], builder.Tuple,
	builder.GetTupleElement, builder.Scalar[int8], builder.Const[float32], builder.Full[int], builder.Zeros,
	builder.Ones, builder.FullLike[float64], builder.ZerosLike, builder.OnesLike, builder.Iota, builder.Eye,
	builder.If[builder.Value], builder.Case[builder.Value], builder.Conv, builder.CustomCall, builder.Dot,
	builder.DotGeneral, builder.DynamicReshape, builder.DynamicBroadcastInDim, builder.DynamicIota,
	builder.DynamicPad, builder.RealDynamicSlice, builder.DynamicGather, builder.DynamicConv,
	builder.GetDimensionSize, builder.SetDimensionSize, builder.Einsum, builder.FFT, builder.IFFT, builder.RFFT,
	builder.IRFFT, builder.Gather, builder.Take, builder.TorchIndexSelect, builder.Cholesky,
	builder.TriangularSolve, builder.BatchNormInference, builder.BatchNormTraining, builder.BatchNormGrad,
	builder.While[builder.Value], builder.Loop[builder.Value], builder.Manual[builder.Value, builder.Value],
	builder.Print[builder.Value], builder.Quantize, builder.Dequantize, builder.RngBitGenerator, builder.Uniform01,
	builder.RngUniform, builder.RngNormal, builder.Reduce[builder.Value], builder.ReduceSum, builder.ReduceProd,
	builder.ReduceMax, builder.ReduceMin, builder.ReduceAll, builder.ReduceAny, builder.ReduceMean, builder.ArgMax,
	builder.ArgMin, builder.Map, builder.Scatter[builder.Value], builder.ScatterAdd, builder.Convert,
	builder.Bitcast, builder.Reshape, builder.Flatten, builder.ExpandDims, builder.Squeeze, builder.Transpose,
	builder.BroadcastTo, builder.BroadcastInDim, builder.Slice, builder.SliceAxis, builder.Split, builder.Concat,
	builder.Stack, builder.Pad[builder.Value], builder.Reverse, builder.DynamicSlice, builder.DynamicUpdateSlice,
	builder.DynamicIndex, builder.DynamicUpdateIndex, builder.Constrain, builder.Sort[builder.Value],
	builder.SortAscending, builder.SortDescending, builder.ArgSort, builder.TopK, builder.Acos, builder.BesselI1e,
	builder.Conj, builder.IsInf, builder.NextAfter[builder.Value, builder.Value],
	builder.Polygamma[builder.Value, builder.Value], builder.Like, builder.MaxPool, builder.AvgPool, builder.Cumsum,
	builder.SelectAndScatter, builder.JVP[builder.Value, builder.Value], builder.VJP[builder.Value, builder.Value],
	builder.Linearize[builder.Value, builder.Value],
	func(f func(builder.Value) builder.Value, x builder.Value) builder.Value { return builder.Grad(f)(x) },
	func(f func(builder.Value) builder.Value, x builder.Value) builder.Value {
		return builder.Hessian[builder.Value](f)(x)
	},
	func(f func(builder.Value) builder.Value, x, dy builder.Value) builder.Value {
		return builder.LinearTranspose(f, x)(dy)
	},
	func(f func(builder.Value) builder.Value, x builder.Value, o builder.BatchOptions) builder.Value {
		return builder.Batch(builder.Remat(f, ""), o)(builder.StopGradient(x))
	},
	func(f func(builder.Value) builder.Value, g func(x, dx builder.Value) (y, dy builder.Value),
		x builder.Value) builder.Value {
		return builder.CustomJVP(f, g)(x)
	},
	func(f func(builder.Value) builder.Value, g func(size int, x builder.Value) builder.Value,
		x builder.Value) builder.Value {
		return builder.Batch(builder.CustomBatch(f, g), builder.BatchOptions{})(x)
	},
}

// TestHostileValues calls them with odd arguments. They keep an error, and panic with a sentence if no argument names
// a builder that could keep it.
func TestHostileValues(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for n, f := range valueFunctions {
			if n < start {
				continue
			}
			fmt.Printf("%s%d %s\n", mlirtest.CaseMark, n, nameOf(f))
			for i := range 12 {
				callOdd(t, mlirtest.Library(t), f, uint64(n*1000+i))
			}
		}
	})
}

// values makes the function that odd values are of.
func (o *odd) values() *builder.Func {
	if o.f == nil {
		var shapes []tensor.Shape
		for _, d := range []tensor.DType{tensor.F32, tensor.S32, tensor.Pred, tensor.U8, tensor.C64, tensor.BF16} {
			shapes = append(shapes, tensor.ShapeOf(d), tensor.ShapeOf(d, 2), tensor.ShapeOf(d, 0),
				tensor.ShapeOf(d, 2, 3),
				tensor.ShapeOf(d, -1, 3), tensor.ShapeOf(d, 1, 4, 4, 2))
		}
		b := builder.New(o.c, builder.Options{})
		o.f = b.Func("main", shapes...)
	}
	return o.f
}

// oddValue returns an argument of a type of package builder or tensor, or nil.
func (o *odd) oddValue(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[builder.Value]():
		if o.r.IntN(12) > 0 {
			return o.values().Param(o.r.IntN(36))
		}
	case reflect.TypeFor[*builder.Func]():
		return o.values()
	case reflect.TypeFor[tensor.DType]():
		return tensor.DType(o.r.IntN(40))
	case reflect.TypeFor[any]():
		return pick(o, []any{nil, 1, "x", []int{1}, o.values().Param(0), map[string]any{"x": 1}})
	}
	return nil
}

func sentence(r any) bool {
	text, ok := r.(string)
	return ok && (strings.HasPrefix(text, "mlir: ") || strings.HasPrefix(text, "builder: ") ||
		strings.HasPrefix(text, "tensor: "))
}
