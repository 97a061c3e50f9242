package jit_test

import (
	"bytes"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// numbers returns small numbers.
func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i*31%101 - 50)
	}
	return list
}

// A largeLoop is a module of a loop that is split.
type largeLoop struct {
	name, text string
	dims       []int // of the parameter
	want       func(x []int32) []int32
}

// prepare compiles the module, and returns an argument and the result.
func (l largeLoop) prepare(t *testing.T) (e *jit.Executable, input tensor.View, want []int32) {
	n := 1
	for _, d := range l.dims {
		n *= d
	}
	x := numbers(n)
	return compile(t, l.text), array(t, x, l.dims...), l.want(x)
}

var large = []largeLoop{
	{"chain", `func.func @main(%x: tensor<1000003xi32>) -> tensor<1000003xi32> {
		%i = stablehlo.iota dim = 0 : tensor<1000003xi32>
		%0 = stablehlo.multiply %x, %x : tensor<1000003xi32>
		%1 = stablehlo.add %0, %i : tensor<1000003xi32>
		return %1 : tensor<1000003xi32> }`, []int{1000003},
		func(x []int32) (y []int32) {
			for i, v := range x {
				y = append(y, v*v+int32(i))
			}
			return y
		}},
	{"rows", `func.func @main(%x: tensor<1000x1000xi32>) -> tensor<1000xi32> {
		%c = stablehlo.constant dense<0> : tensor<i32>
		%0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]
			: (tensor<1000x1000xi32>, tensor<i32>) -> tensor<1000xi32>
		return %0 : tensor<1000xi32> }`, []int{1000, 1000},
		func(x []int32) []int32 {
			y := make([]int32, 1000)
			for i, v := range x {
				y[i/1000] += v
			}
			return y
		}},
	{"columns", `func.func @main(%x: tensor<1000x1000xi32>) -> tensor<1000xi32> {
		%c = stablehlo.constant dense<0> : tensor<i32>
		%0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0]
			: (tensor<1000x1000xi32>, tensor<i32>) -> tensor<1000xi32>
		return %0 : tensor<1000xi32> }`, []int{1000, 1000},
		func(x []int32) []int32 {
			y := make([]int32, 1000)
			for i, v := range x {
				y[i%1000] += v
			}
			return y
		}},
	{"transposition", `func.func @main(%x: tensor<1000x1000xi32>) -> tensor<1000x1000xi32> {
		%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1000x1000xi32>) -> tensor<1000x1000xi32>
		%1 = stablehlo.add %0, %0 : tensor<1000x1000xi32>
		return %1 : tensor<1000x1000xi32> }`, []int{1000, 1000},
		func(x []int32) []int32 {
			y := make([]int32, len(x))
			for i, v := range x {
				y[i%1000*1000+i/1000] = 2 * v
			}
			return y
		}},
	{"sum", `func.func @main(%x: tensor<1000003xi32>) -> tensor<i32> {
		%c = stablehlo.constant dense<7> : tensor<i32>
		%0 = stablehlo.multiply %x, %x : tensor<1000003xi32>
		%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]
			: (tensor<1000003xi32>, tensor<i32>) -> tensor<i32>
		return %1 : tensor<i32> }`, []int{1000003},
		func(x []int32) []int32 {
			y := int32(7)
			for _, v := range x {
				y += v * v
			}
			return []int32{y}
		}},
	{"sum of rows", `func.func @main(%x: tensor<1000x1000xi32>) -> tensor<1x1xi32> {
		%c = stablehlo.constant dense<0> : tensor<i32>
		%0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1]
			: (tensor<1000x1000xi32>, tensor<i32>) -> tensor<i32>
		%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1x1xi32>
		return %1 : tensor<1x1xi32> }`, []int{1000, 1000},
		func(x []int32) []int32 {
			y := int32(0)
			for _, v := range x {
				y += v
			}
			return []int32{y}
		}},
	{"in iterations", `func.func @main(%x: tensor<3x1000003xi32>) -> tensor<1000003xi32> {
		%zero = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%three = stablehlo.constant dense<3> : tensor<i32>
		%none = stablehlo.constant dense<0> : tensor<1000003xi32>
		%0:2 = stablehlo.while(%i = %zero, %sum = %none) : tensor<i32>, tensor<1000003xi32>
			cond { %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1> }
			do { %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 1000003]
					: (tensor<3x1000003xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1000003xi32>
				%flat = stablehlo.reshape %row : (tensor<1x1000003xi32>) -> tensor<1000003xi32>
				%twice = stablehlo.add %sum, %sum : tensor<1000003xi32>
				%s = stablehlo.add %twice, %flat : tensor<1000003xi32>
				%n = stablehlo.add %i, %one : tensor<i32>
				stablehlo.return %n, %s : tensor<i32>, tensor<1000003xi32> }
		return %0#1 : tensor<1000003xi32> }`, []int{3, 1000003},
		func(x []int32) []int32 {
			n := len(x) / 3
			y := make([]int32, n)
			for i := range y {
				y[i] = 4*x[i] + 2*x[n+i] + x[2*n+i]
			}
			return y
		}},
}

// threads sets how many threads compute a loop, until the end of the test.
func threads(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func TestSplitLoops(t *testing.T) {
	threads(t, 4)
	for _, tt := range large {
		t.Run(tt.name, func(t *testing.T) {
			e, input, want := tt.prepare(t)
			var runs sync.WaitGroup
			for range 50 {
				runs.Go(func() {
					results, err := e.Call(t.Context(), input)
					if err != nil {
						t.Error(err)
						return
					}
					got, err := tensor.Slice[int32](results[0])
					if err != nil || !slices.Equal(want, got) {
						t.Errorf("the result is wrong, %v", err)
					}
				})
			}
			runs.Wait()
		})
	}
}

// TestSplitBits holds that results have the same bits whatever the number of threads, of numbers that are rounded.
func TestSplitBits(t *testing.T) {
	const n = 1000
	e := compile(t, `func.func @main(%x: tensor<1000x1000xf32>)
			-> (tensor<1000x1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<f32>, tensor<f32>) {
		%c = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.exponential %x : tensor<1000x1000xf32>
		%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1]
			: (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
		%2 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]
			: (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
		%3 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1000xf32>) -> tensor<1000x1000xf32>
		%4 = stablehlo.divide %0, %3 : tensor<1000x1000xf32>
		%5 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0, 1]
			: (tensor<1000x1000xf32>, tensor<f32>) -> tensor<f32>
		%6 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0, 1]
			: (tensor<1000x1000xf32>, tensor<f32>) -> tensor<f32>
		return %4, %1, %2, %5, %6 : tensor<1000x1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<f32>, tensor<f32> }`)
	x := rows(t, n, n, func(row, i int) float32 { return float32((row*31+i*17)%101)/17 - 3 })
	var want []tensor.View // compared by slices.EqualFunc, as cmp takes seconds for so much
	for _, k := range []int{1, 2, 3, 8} {
		threads(t, k)
		got, err := e.Call(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.EqualFunc(want, got, func(a, b tensor.View) bool { return bytes.Equal(a.Data, b.Data) }) {
			t.Errorf("%d threads compute other bits", k)
		}
	}
}

// TestHelpers holds that runs have helpers if there are processors for them.
func TestHelpers(t *testing.T) {
	created := func() uint64 {
		samples := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(samples)
		return samples[0].Value.Uint64()
	}
	const runs = 50
	for _, tt := range large {
		t.Run(tt.name, func(t *testing.T) {
			e, input, _ := tt.prepare(t)
			for _, processors := range []int{1, 3} {
				threads(t, processors)
				before, others := created(), runtime.NumGoroutine()
				limit := time.Now().Add(10 * time.Second)
				for range runs {
					if _, err := e.Call(t.Context(), input); err != nil {
						t.Fatal(err)
					}
					// A helper that has not ended yet is one less for the next run.
					for runtime.NumGoroutine() > others && time.Now().Before(limit) {
						runtime.Gosched()
					}
				}
				if n := created() - before; (n > runs/2) != (processors > 1) {
					t.Errorf("%d processors: %d runs have %d helpers", processors, runs, n)
				}
			}
		})
	}
}
