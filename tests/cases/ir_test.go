package cases

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/acc"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/spirv"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
	"github.com/calliope-mlir/calliope/mlir/execution"
	scripts "github.com/calliope-mlir/calliope/mlir/transform"
)

func newContext() *mlir.Context {
	return must(mlir.Open(mlir.OpenOptions{})).NewContext(mlir.ContextOptions{})
}

// report prints what became of a module: the first error of building, verifying, printing, writing and reading it.
func report(c *mlir.Context, b *mlir.Builder, m *mlir.Module) {
	err := b.Err()
	if err == nil {
		err = m.Verify()
	}
	if err == nil {
		_, err = c.Parse("printed", []byte(m.String()))
	}
	if err == nil {
		var data []byte
		if data, err = m.Bytecode(); err == nil {
			_, err = c.Parse("written", data)
		}
	}
	fmt.Println("error:", err)
}

// irProgram builds what the first argument names: IR that the library crashed on, or never came back from.
func irProgram() {
	within(30 * time.Second)
	c := newContext()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	switch os.Args[1] {
	case "acc":
		t := b.Type("memref<4x?xf32>")
		function.Func(b, "f", []mlir.Type{t}, nil, func(in []mlir.Value) {
			acc.ReductionInitOp{Var: in[0], ReductionOperator: acc.ReductionOperator(1), ResultType: t,
				Region: c.NewRegion()}.Create(b)
			function.Return(b)
		})
	case "spirv":
		spirv.AtomicLoad(b, arith.ConstantIndex(b, 1), spirv.ScopeDevice, spirv.MemorySemanticsNone)
	case "transpose":
		t := b.Type("tensor<f32>")
		function.Func(b, "f", []mlir.Type{t, t}, nil, func(in []mlir.Value) {
			linalg.TransposeOp{Input: in[0], Init: in[1], Permutation: []int64{}}.Create(b)
			function.Return(b)
		})
	case "greedy":
		flip := func(from, to string) mlir.Pattern {
			return mlir.Pattern{Name: from, Op: from, Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
				other, err := mlir.Create(r, mlir.OperationState{Name: to, Operands: op.OperandValues(),
					Results: mlir.TypesOf(op.ResultValues()), Location: op.Location()})
				if err != nil {
					return false, err
				}
				r.ReplaceWith(op, other)
				return true, nil
			}}
		}
		c.SetAllowUnregistered(true)
		m = must(c.Parse("m", []byte(`func.func @f(%a: i32) -> i32 { %0 = "t.a"(%a) : (i32) -> i32
			return %0 : i32 }`)))
		s := must(c.NewPatterns(flip("t.a", "t.b"), flip("t.b", "t.a")))
		b.Fail(s.Apply(m, mlir.GreedyOptions{}))
	case "memref":
		must(0, saxpy(b))
		pm := must(c.NewPassManager(mlir.PassManagerOptions{
			Pipeline: "builtin.module(canonicalize,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts)"}))
		must(0, pm.Run(m))
		engine := must(execution.New(m, execution.Options{}))
		x, y := []float64{1, 2, 3}, []float32{10, 10, 10}
		b.Fail(engine.Invoke("saxpy", nil, float32(2), execution.NewMemRef(x, 3), execution.NewMemRef(y, 3)))
	}
	report(c, b, m)
}

// saxpy adds a function on arrays of f32, which gets one of f64.
func saxpy(b *mlir.Builder) error {
	f32, vector := b.Type("f32"), b.Type("memref<?xf32>")
	function.Func(b, "saxpy", []mlir.Type{f32, vector, vector}, nil, func(in []mlir.Value) {
		zero, one := arith.ConstantIndex(b, 0), arith.ConstantIndex(b, 1)
		scf.For(b, zero, memref.Dim(b, in[1], zero), one, func(i mlir.Value) {
			ax := arith.MulF(b, in[0], memref.Load(b, in[1], i))
			memref.Store(b, arith.AddF(b, ax, memref.Load(b, in[2], i)), in[2], i)
		})
		function.Return(b)
	})
	return b.Err()
}

// unrankedCast casts an array of unknown rank: the operation, and the two types.
func unrankedCast() {
	within(30 * time.Second)
	c := newContext()
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	cast := map[string]func(*mlir.Builder, mlir.Type, mlir.Value) mlir.Value{
		"extf":   func(b *mlir.Builder, to mlir.Type, v mlir.Value) mlir.Value { return arith.ExtF(b, to, v) },
		"truncf": func(b *mlir.Builder, to mlir.Type, v mlir.Value) mlir.Value { return arith.TruncF(b, to, v) },
		"sitofp": func(b *mlir.Builder, to mlir.Type, v mlir.Value) mlir.Value { return arith.SIToFP(b, to, v) },
		"extsi":  func(b *mlir.Builder, to mlir.Type, v mlir.Value) mlir.Value { return arith.ExtSI(b, to, v) },
	}[os.Args[1]]
	from, to := b.Type(os.Args[2]), b.Type(os.Args[3])
	function.Func(b, "f", []mlir.Type{from}, []mlir.Type{to}, func(in []mlir.Value) {
		function.Return(b, cast(b, to, in[0]))
	})
	report(c, b, m)
}

// resource compiles a constant of the type of the second argument whose bytes, the third one, are a resource: by jit,
// by package execution, or into LLVM's IR.
func resource() {
	within(30 * time.Second)
	c := newContext()
	t, bytes := os.Args[2], os.Args[3]
	files := fmt.Sprintf("\n{-# dialect_resources: { builtin: { r: %q } } #-}", "0x04000000"+bytes)
	if os.Args[1] == "jit" {
		m := must(c.Parse("weight", []byte(strings.ReplaceAll(`func.func public @main(%x: TYPE) -> TYPE {
			%0 = stablehlo.constant dense_resource<r> : TYPE
			%1 = stablehlo.add %x, %0 : TYPE
			return %1 : TYPE
		}`, "TYPE", t)+files)))
		_, err := jit.Compile(context.Background(), m, jit.Options{})
		fmt.Println("error:", err)
		return
	}
	m := must(c.Parse("weight", []byte(strings.ReplaceAll(`func.func @f() -> TYPE {
		%0 = arith.constant dense_resource<r> : TYPE
		return %0 : TYPE
	}`, "TYPE", t)+files)))
	data := must(m.Bytecode())
	must(c.Parse("again", data))
	pm := must(c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(one-shot-bufferize{" +
		"bufferize-function-boundaries=1},convert-bufferization-to-memref,convert-to-llvm,reconcile-unrealized-casts)"}))
	err := pm.Run(m)
	if err == nil && os.Args[1] == "ir" {
		_, err = m.LLVMIR()
	} else if err == nil {
		_, err = execution.New(m, execution.Options{})
	}
	fmt.Println("error:", err)
}

// shortForm makes, prints and writes one operation of package transform, and applies the script that has it.
func shortForm() {
	within(30 * time.Second)
	c := newContext()
	m := c.NewModule(mlir.Location{})
	m.Operation().SetAttribute("transform.with_named_sequence", c.UnitAttribute())
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	transform.Main(b, func(root mlir.Value) {
		op := b.Type("!transform.any_op")
		n := transform.ParamConstant(b, b.Type("!transform.param<i64>"), b.Attribute("8 : i64"))
		f := transform.Match(b, root, "linalg.matmul")
		map[string]func(){
			"threads": func() {
				transform.SetGPULaunchThreadsOp{Target: f, Threads: []mlir.Value{n, n, n}}.Create(b)
			},
			"anchor": func() {
				transform.SetAnchorLayoutOp{Target: f, SgLayout: []mlir.Value{n}, SgData: []mlir.Value{n},
					InstData: []mlir.Value{n}}.Create(b)
			},
			"vectorize": func() {
				transform.VectorizeOp{Target: f, VectorSizes: []mlir.Value{n, n, n}}.Create(b)
			},
			"prefetch": func() { transform.InsertPrefetch(b, op, f, mlir.Fixed(2)) },
			"prefetchdynamic": func() {
				transform.InsertPrefetchOp{Target: f, DescOpType: op, DynamicNbPrefetch: n}.Create(b)
			},
			"pad": func() {
				transform.PadOp{Target: f, PaddedType: op, PadType: op, CopyType: op,
					PadToMultipleOf: []mlir.Value{n}}.Create(b)
			},
			"padtiling": func() {
				transform.PadTilingInterfaceOp{Target: f, PaddedType: op, PadType: op,
					PaddingSizes: []mlir.Value{n}}.Create(b)
			},
			"fuse": func() {
				transform.FuseOp{Target: f, TileSizes: []mlir.Value{n}, TransformedType: op}.Create(b)
			},
			"convert": func() { transform.ConvertLayout(b, op, f, nil, nil, nil, nil, nil) },
			"vectorizelost": func() {
				transform.VectorizeOp{Target: f, StaticVectorSizes: []int64{mlir.Dynamic, 8, 8},
					ScalableSizes: make([]bool, 3)}.Create(b)
			},
			"tilelost": func() {
				transform.TileUsingForOp{Target: f, StaticSizes: []int64{mlir.Dynamic}, ScalableSizes: []bool{false},
					TiledLinalgOpType: op, LoopsTypes: []mlir.Type{op}}.Create(b)
			},
			"padlost": func() {
				transform.PadOp{Target: f, PaddedType: op, PadType: op, CopyType: op,
					StaticPadToMultipleOf: []int64{mlir.Dynamic}, PaddingDimensions: []int64{0}}.Create(b)
			},
			"packlost": func() {
				transform.PackOp{Target: f, StaticPackedSizes: []int64{mlir.Dynamic, 4, 4}, PackedOpType: op}.Create(b)
			},
			"splitlost": func() {
				transform.SplitOp{Target: f, Dimension: 0, StaticChunkSizes: mlir.Dynamic, SplitListType: op}.Create(b)
			},
			"foralllost": func() {
				transform.TileUsingForallOp{Target: f, StaticTileSizes: []int64{mlir.Dynamic, 4}, TiledOpType: op,
					ForallOpType: op}.Create(b)
			},
		}[os.Args[1]]()
	})
	report(c, b, m)
	if b.Err() != nil {
		return
	}
	p := must(c.Parse("p", []byte(`func.func @f(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
		%0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
		return %0 : tensor<8x8xf32>
	}`)))
	fmt.Println("applied:", scripts.Apply(p, m, scripts.Options{}) == nil)
}
