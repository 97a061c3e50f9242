package calliope_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func twoDevices(t *testing.T) *calliope.Session {
	s := check.Must(calliope.Open(t.Context(), calliope.Options{
		Library: mlir.OpenOptions{Dialects: []string{"sdy"}}, Client: bridge.ClientOptions{Devices: 2},
	}))
	check.Cleanup(t, s)
	return s
}

// TestReplicas gives each replica its own arrays.
func TestReplicas(t *testing.T) {
	var mu sync.Mutex
	var seen []float32
	f := calliope.FuncWith(func(p params[builder.Value], x builder.Value) (params[builder.Value], builder.Value) {
		calliope.Tap(x, func(_ context.Context, v float32) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, v)
			return nil
		})
		p.Kernel = builder.Add(p.Kernel, x)
		return p, builder.AllReduce(x, func(a, b builder.Value) builder.Value { return builder.Add(a, b) },
			builder.CollectiveOptions{})
	}, calliope.FuncOptions{Session: twoDevices(t), Compile: engine.CompileOptions{Replicas: 2}})
	check.Cleanup(t, f)
	type out[T any] struct {
		P params[T]
		X T
	}
	p := []params[float32]{{Kernel: 1}, {Kernel: 2}}
	got, err := calliope.Call[[]out[float32]](t.Context(), f, p, []float32{10, 20})
	check.NoError(t, err)
	check.Diff(t, "the kernels", []float32{11, 22}, []float32{got[0].P.Kernel, got[1].P.Kernel})
	check.Diff(t, "the sums", []float32{30, 30}, []float32{got[0].X, got[1].X})
	slices.Sort(seen)
	check.Diff(t, "what the taps saw", []float32{10, 20}, seen)
	arrays, err := calliope.Call[[2]out[calliope.Array]](t.Context(), f, p, []float32{10, 20})
	check.NoError(t, err)
	again, err := calliope.Call[[]out[float32]](t.Context(), f, []params[calliope.Array]{arrays[0].P, arrays[1].P},
		[]float32{10, 20})
	check.NoError(t, err)
	check.Diff(t, "the kernel after two steps", float32(42), again[1].P.Kernel)
	_, err = f.Call(t.Context(), []params[calliope.Array]{arrays[1].P, arrays[1].P}, []float32{10, 20})
	check.Error(t, err, "argument 0.Kernel of replica 0: the array is on device 1, but this run takes it on device 0")
	_, err = f.Call(t.Context(), []params[calliope.Array]{arrays[0].P, arrays[0].P}, []float32{10, 20})
	check.Error(t, err, "argument 0.Kernel of replica 1: the array is on device 0, but this run takes it on device 1")
	_, err = f.Call(t.Context(), p, float32(1))
	check.Error(t, err, "argument 1 is a float32: give a slice of 2 trees, one for each replica")
	_, err = calliope.Call[out[float32]](t.Context(), f, p, []float32{10, 20})
	check.Error(t, err, "use a slice of 2 trees, one for each replica")
}

// TestMesh gives the devices of a mesh their parts of arrays.
func TestMesh(t *testing.T) {
	var shapes []string
	f := calliope.FuncWith(func(x builder.Value) builder.Value {
		b := x.Func().Builder()
		b.Mesh("mesh", builder.Axis{Name: "rows", Size: 2})
		rows := builder.Sharding{Mesh: "mesh", Dims: [][]string{{"rows"}, {}}}
		x = builder.Constrain(x, rows)
		calliope.Tap(x, func(_ context.Context, v tensor.View) error {
			shapes = append(shapes,
				v.Shape.String())
			return nil
		},
			calliope.CallOptions{Policy: contract.Gather})
		return builder.Mul(x, float32(2))
	}, calliope.FuncOptions{Session: twoDevices(t)})
	check.Cleanup(t, f)
	y, err := calliope.Call[[][]float32](t.Context(), f, [][]float32{{1, 2}, {3, 4}})
	check.NoError(t, err)
	check.Diff(t, "y", [][]float32{{2, 4}, {6, 8}}, y)
	check.Diff(t, "what the tap saw", []string{"f32[2,2]"}, shapes)
	arrays, err := f.Call(t.Context(), [][]float32{{1, 2}, {3, 4}})
	check.NoError(t, err)
	y, err = calliope.Call[[][]float32](t.Context(), f, arrays[0])
	check.NoError(t, err)
	check.Diff(t, "y of what a call returned", [][]float32{{4, 8}, {12, 16}}, y)
	check.NoError(t, arrays[0].Close())
	e, err := f.Executable(t.Context(), [][]float32{{1, 2}, {3, 4}})
	check.NoError(t, err)
	check.Diff(t, "devices", 2, e.NumDevices())
	_, err = f.Call(t.Context(), [][]float32{{1, 2}})
	check.Error(t, err, "dimension 0 of f32[1,2] cannot be split into 2 equal parts")
}

// TestCompileConcurrently compiles functions of one session at the same time.
func TestCompileConcurrently(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			f := calliope.Func(func(x builder.Value) builder.Value { return builder.Add(x, float32(i)) })
			y, err := calliope.Call[float32](t.Context(), f, float32(1))
			if err != nil || y != float32(1+i) {
				t.Errorf("%v, %v", y, err)
			}
			check.Report(t, f.Close())
		})
	}
	all.Wait()
}
