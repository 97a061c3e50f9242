// Vectorize multiplies two matrices with code that a script of the dialect transform tiled and vectorized, holds the
// result against Go's, and prints how long a product took.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand"
	"time"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
	"github.com/calliope-mlir/calliope/mlir/execution"
	scripts "github.com/calliope-mlir/calliope/mlir/transform"
	"github.com/calliope-mlir/calliope/passes"
)

// n is the number of rows and columns of each matrix.
const n = 512

// The tile of the result that is kept in registers, and the number of products that are added to it at once.
const rows, columns, depth = 8, 32, 8

func main() {
	log.SetFlags(0)
	emit := flag.String("emit", "", "print the module after this step: matmul, vectors or llvm")
	plain := flag.Bool("plain", false, "compile loops, without the script")
	flag.Parse()
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	if err := compile(m, *plain, *emit); err != nil {
		log.Fatal(err)
	}
	if *emit != "" {
		fmt.Print(m)
	} else if err := measure(m); err != nil {
		log.Fatal(err)
	}
}

// compile writes the product and lowers it, up to a step.
func compile(m *mlir.Module, plain bool, until string) error {
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	matrix := b.Type(fmt.Sprintf("memref<%dx%[1]dxf32>", n))
	function.Func(b, "matmul", []mlir.Type{matrix, matrix, matrix}, nil, func(in []mlir.Value) {
		linalg.Matmul(b, in[:2], in[2])
		function.Return(b)
	})
	if b.Err() != nil || until == "matmul" {
		return b.Err()
	}
	if !plain {
		script := m.Context().NewModule(mlir.Location{})
		defer script.Close()
		b := mlir.NewBuilder(script.Body(), mlir.Location{})
		script.Operation().SetAttribute("transform.with_named_sequence", b.Context().UnitAttribute())
		transform.Main(b, func(root mlir.Value) { schedule(b, root) })
		b.Fail(scripts.Apply(m, script, scripts.Options{ExpensiveChecks: true}))
		if b.Err() != nil || until == "vectors" {
			return b.Err()
		}
	}
	return passes.RunGuarded(m, lowering)
}

// schedule is the script.
func schedule(b *mlir.Builder, root mlir.Value) {
	op := b.Type("!transform.any_op")
	// Loops over tiles of the result, and in each one over the products that are added to it.
	tile, _ := transform.Tile(b, transform.Match(b, root, "linalg.matmul"), rows, columns, 0)
	transform.Tile(b, tile, 0, 0, depth)
	f := transform.VectorizeChildrenAndApplyPatterns(b, op, transform.Match(b, root, "func.func"))
	transform.ApplyPatterns(b, f, b.Region(func([]mlir.Value) {
		transform.ApplyLowerContractionPatternsOp{
			LoweringStrategy: transform.VectorContractLoweringOuterProduct}.Create(b)
		transform.ApplyLowerOuterProductPatterns(b)
		transform.ApplyTransferPermutationPatterns(b)
	}))
}

const lowering = `builtin.module(canonicalize,cse,convert-linalg-to-loops,convert-vector-to-scf{full-unroll=true},expand-strided-metadata,lower-affine,
	convert-scf-to-cf,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts)`

// measure runs the product for a fifth of a second, checks it, and prints the shortest time.
func measure(m *mlir.Module) error {
	program, err := execution.New(m, execution.Options{Optimize: 3})
	if err != nil {
		return err
	}
	defer program.Close()
	x, y := make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(rand.Intn(9)-4), float32(rand.Intn(9)-4) // so that sums are exact
	}
	var z []float32
	best := time.Duration(1<<63 - 1)
	for begin := time.Now(); z == nil || time.Since(begin) < time.Second/5; {
		z = make([]float32, n*n)
		start := time.Now()
		if err := program.Invoke("matmul", nil, execution.NewMemRef(x, n, n), execution.NewMemRef(y, n, n),
			execution.NewMemRef(z, n, n)); err != nil {
			return err
		}
		best = min(best, time.Since(start))
	}
	for i := range n {
		for k := range n {
			want := float32(0)
			for j := range n {
				want += x[i*n+j] * y[j*n+k]
			}
			if z[i*n+k] != want {
				return fmt.Errorf("element %d, %d is %v, not %v", i, k, z[i*n+k], want)
			}
		}
	}
	fmt.Printf("%d x %[1]d: right, in %.1f ms\n", n, best.Seconds()*1000)
	return nil
}
