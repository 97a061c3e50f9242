package operations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	upstream "github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/cf"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/gpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// TestBuild checks what the functions with bodies create.
func TestBuild(t *testing.T) {
	c := mlirtest.Context(t)
	for name, test := range map[string]struct {
		inputs  string
		results string
		build   func(b *mlir.Builder, in []mlir.Value) []mlir.Value
		want    string
	}{
		"Iterate": {"index index index f32", "f32", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			return scf.Iterate(b, in[0], in[1], in[2], in[3:], func(i mlir.Value, carried []mlir.Value) []mlir.Value {
				return []mlir.Value{arith.AddFOp{LHS: carried[0], RHS: in[3],
					Fastmath: arith.FastMathFlagsNnan | arith.FastMathFlagsNinf}.Create(b).Result(0)}
			})
		}, `%0 = scf.for %arg4 = %arg0 to %arg1 step %arg2 iter_args(%arg5 = %arg3) -> (f32) {
%1 = arith.addf %arg5, %arg3 fastmath<nnan,ninf> : f32
scf.yield %1 : f32
}
return %0 : f32`},
		"If": {"i1 memref<f32> f32", "", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			scf.If(b, in[0], func() { memref.Store(b, in[2], in[1]) }, nil)
			scf.If(b, in[0], func() {}, func() { memref.Store(b, in[2], in[1]) })
			return nil
		}, `scf.if %arg0 {
memref.store %arg2, %arg1[] : memref<f32>
}
scf.if %arg0 {
} else {
memref.store %arg2, %arg1[] : memref<f32>
}
return`},
		"Choose": {"i1 i32 i32", "i32", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			return scf.Choose(b, in[0], func() []mlir.Value { return in[1:2] }, func() []mlir.Value { return in[2:3] })
		}, `%0 = scf.if %arg0 -> (i32) {
scf.yield %arg1 : i32
} else {
scf.yield %arg2 : i32
}
return %0 : i32`},
		"While": {"i32 i32", "i32", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			return scf.While(b, in[:1], func(v []mlir.Value) (mlir.Value, []mlir.Value) {
				return arith.CmpI(b, arith.CmpIPredicateSlt, v[0], in[1]), v
			}, func(v []mlir.Value) []mlir.Value { return []mlir.Value{arith.AddI(b, v[0], v[0])} })
		}, `%0 = scf.while (%arg2 = %arg0) : (i32) -> i32 {
%1 = arith.cmpi slt, %arg2, %arg1 : i32
scf.condition(%1) %arg2 : i32
} do {
^bb0(%arg2: i32):
%1 = arith.addi %arg2, %arg2 : i32
scf.yield %1 : i32
}
return %0 : i32`},
		"Parallel": {"index index index memref<?xindex>", "", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			scf.Parallel(b, in[:1], in[1:2], in[2:3], func(i []mlir.Value) { memref.Store(b, i[0], in[3], i[0]) })
			return nil
		}, `scf.parallel (%arg4) = (%arg0) to (%arg1) step (%arg2) {
memref.store %arg4, %arg3[%arg4] : memref<?xindex>
scf.reduce
}
return`},
		"affine.For": {"memref<8xindex>", "", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			upstream.For(b, 0, 8, 2, func(i mlir.Value) {
				upstream.Store(b, upstream.Load(b, in[0], affine.Map{}, i), in[0], affine.Map{}, i)
			})
			return nil
		}, `affine.for %arg1 = 0 to 8 step 2 {
%0 = affine.load %arg0[%arg1] : memref<8xindex>
affine.store %0, %arg0[%arg1] : memref<8xindex>
}
return`},
		"linalg.Generic": {"tensor<4xf32> tensor<4xf32>", "tensor<4xf32>",
			func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
				identity := affine.Identity(b.Context(), 1)
				op := linalg.Generic(b, []affine.Map{identity, identity}, []string{linalg.ParallelLoop}, in[:1],
					in[1:], func(in []mlir.Value) []mlir.Value {
						return []mlir.Value{arith.MulF(b, in[0], in[0])}
					})
				return []mlir.Value{op.Result(0)}
			}, `%0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4xf32>) {
^bb0(%in: f32, %out: f32):
%1 = arith.mulf %in, %in : f32
linalg.yield %1 : f32
} -> tensor<4xf32>
return %0 : tensor<4xf32>`},
		"gpu.Launch": {"index memref<?xindex>", "", func(b *mlir.Builder, in []mlir.Value) []mlir.Value {
			n := [3]mlir.Value{in[0], in[0], in[0]}
			gpu.Launch(b, n, n, func(at gpu.Launched) { memref.Store(b, at.Thread[1], in[1], at.Block[2]) })
			return nil
		}, `gpu.launch blocks(%arg2, %arg3, %arg4) in (%arg8 = %arg0, %arg9 = %arg0, %arg10 = %arg0) threads(%arg5, %arg6, %arg7) in (%arg11 = %arg0, %arg12 = %arg0, %arg13 = %arg0) {
memref.store %arg6, %arg1[%arg4] : memref<?xindex>
gpu.terminator
}
return`},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.NewModule(mlir.Location{})
			b := mlir.NewBuilder(m.Body(), mlir.Location{})
			var f mlir.Operation
			build := func(b *mlir.Builder) {
				f = function.Func(b, "f", typesOf(b, test.inputs), typesOf(b, test.results), func(in []mlir.Value) {
					function.Return(b, test.build(b, in)...)
				})
			}
			build(b)
			check.NoError(t, b.Err())
			check.NoError(t, m.Verify())
			var lines []string
			for line := range strings.Lines(f.String()) {
				lines = append(lines, strings.TrimSpace(line))
			}
			lines = lines[1 : len(lines)-1] // without the function
			check.Diff(t, name, test.want, strings.Join(lines, "\n"))

			failed := mlir.NewBuilder(m.Body(), mlir.Location{})
			failed.Type("!") // whatever follows a mistake must not panic
			build(failed)
		})
	}
}

func typesOf(b *mlir.Builder, texts string) (types []mlir.Type) {
	for text := range strings.FieldsSeq(texts) {
		types = append(types, b.Type(text))
	}
	return types
}

// TestKernels checks functions that exist outside of functions.
func TestKernels(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	function.Declare(b, "elsewhere", typesOf(b, "i32"), nil)
	gpu.Module(b, "kernels", func() {
		gpu.Kernel(b, "store", typesOf(b, "memref<f32> f32"), func(in []mlir.Value) { memref.Store(b, in[1], in[0]) })
	})
	check.NoError(t, b.Err())
	check.NoError(t, m.Verify())
	check.Diff(t, "module", `module {
  func.func private @elsewhere(i32)
  gpu.module @kernels {
    gpu.func @store(%arg0: memref<f32>, %arg1: f32) kernel {
      memref.store %arg1, %arg0[] : memref<f32>
      gpu.return
    }
  }
}
`, m.String())
}

// TestTerminators checks that bodies of functions without results may end with a terminator or not.
func TestTerminators(t *testing.T) {
	c := mlirtest.Context(t)
	for _, with := range []bool{false, true} {
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		end := func(end func()) {
			if with {
				end()
			}
		}
		function.Func(b, "f", typesOf(b, "index"), nil, func(in []mlir.Value) {
			size := [3]mlir.Value{in[0], in[0], in[0]}
			gpu.Launch(b, size, size, func(gpu.Launched) { end(func() { gpu.Terminator(b) }) })
			end(func() { function.Return(b) })
		})
		function.Func(b, "branches", nil, nil, func([]mlir.Value) {
			next := b.Block()
			cf.Branch(b, nil, next)
			b.In(next, func() { function.Return(b) })
		})
		gpu.Module(b, "kernels", func() {
			gpu.Kernel(b, "k", nil, func([]mlir.Value) { end(func() { gpu.Return(b) }) })
		})
		check.NoError(t, b.Err())
		check.NoError(t, m.Verify())
		count := map[string]int{}
		for op := range m.Operation().All() {
			count[op.Name()]++
		}
		check.Diff(t, fmt.Sprintf("terminators, written: %t", with), [3]int{2, 1, 1},
			[3]int{count["func.return"], count["gpu.terminator"], count["gpu.return"]})
	}
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	function.Func(b, "f", nil, typesOf(b, "i32"), func([]mlir.Value) {})
	check.NoError(t, b.Err())
	if m.Verify() == nil {
		t.Error("a function whose result is missing is valid")
	}
}

// TestStrides checks the lists of numbers of linalg's operations, which are tensors in the IR.
func TestStrides(t *testing.T) {
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("", []byte("func.func @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x1xf32>, %out: tensor<1x3x2x1xf32>) { return }")))
	block := m.Body().First().Region(0).First()
	b := mlir.NewBuilder(mlir.AtStart(block), mlir.Location{})
	var with linalg.Conv2DNhwcHwcfOp
	with.Inputs, with.Outputs = []mlir.Value{block.Argument(0), block.Argument(1)}, []mlir.Value{block.Argument(2)}
	with.Strides, with.Dilations = []int64{2, 3}, []int64{1, 1}
	op := with.Create(b)
	check.NoError(t, b.Err())
	a, _ := op.Attribute("strides")
	check.Diff(t, "strides", "dense<[2, 3]> : tensor<2xi64>", a.String())
	read, ok := linalg.AsConv2DNhwcHwcf(op)
	check.Diff(t, "is one", true, ok)
	check.Diff(t, "read strides", []int64{2, 3}, read.Strides)
	check.Diff(t, "read dilations", []int64{1, 1}, read.Dilations)
}

// TestBeforeAndAfter checks that the functions build before and after an
// operation.
func TestBeforeAndAfter(t *testing.T) {
	c := mlirtest.ContextOf(t, mlirtest.Library(t))
	m := check.Must(
		c.Parse("", []byte("func.func @f(%x: i32) -> i32 {\n  %y = arith.muli %x, %x : i32\n  return %y : i32\n}")))
	double := func(b *mlir.Builder, x mlir.Value) mlir.Value { return arith.AddI(b, x, x) }
	for op := range m.Operation().All() {
		if mul, ok := arith.AsMulI(op); ok {
			b := mlir.NewBuilder(mlir.Before(op), op.Location())
			sum := double(b, mul.LHS)
			double(b.At(mlir.After(op)), sum)
			check.NoError(t, b.Err())
			op.Result(0).ReplaceAllUses(sum)
		}
	}
	check.NoError(t, m.Verify())
	check.Diff(t, "module", `module {
  func.func @f(%arg0: i32) -> i32 {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.muli %arg0, %arg0 : i32
    %2 = arith.addi %0, %0 : i32
    return %0 : i32
  }
}
`, m.String())
}
