package autodiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// layers is a module of 3·n operations.
func layers(n int) string {
	var b strings.Builder
	b.WriteString("func.func @main(%w: tensor<8x8xf32>, %x0: tensor<8xf32>) -> tensor<f32> {\n%zero = stablehlo.constant dense<0.0> : tensor<f32>\n")
	for i := range n {
		fmt.Fprintf(&b, "%%a%d = stablehlo.dot_general %%w, %%x%d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>\n", i, i)
		fmt.Fprintf(&b, "%%b%d = stablehlo.tanh %%a%d : tensor<8xf32>\n%%x%d = stablehlo.add %%b%d, %%x%d : tensor<8xf32>\n", i, i, i+1, i, i)
	}
	fmt.Fprintf(&b, "%%r = stablehlo.reduce(%%x%d init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\nreturn %%r : tensor<f32>\n}\n", n)
	return b.String()
}

// BenchmarkLarge parses and differentiates a module of 10,000 operations.
func BenchmarkLarge(b *testing.B) {
	text := layers(3333)
	b.Run("parse", func(b *testing.B) {
		c := mlirtest.Context(b)
		for b.Loop() {
			check.NoError(b, check.Must(c.Parse("", []byte(text))).Close())
		}
	})
	for name, derive := range map[string]func(mlir.Operation, autodiff.Options) (mlir.Operation, error){
		"JVP": autodiff.JVP, "Grad": autodiff.Grad,
	} {
		b.Run(name, func(b *testing.B) {
			m := mlirtest.Parse(b, mlirtest.Context(b), text)
			f, _ := m.SymbolTable().Lookup("main")
			for b.Loop() {
				made, err := derive(f, autodiff.Options{})
				check.NoError(b, err)
				check.NoError(b, made.Erase())
			}
		})
	}
}

// BenchmarkMany makes gradients of a function of 300 operations, which stay in its module.
func BenchmarkMany(b *testing.B) {
	text := layers(100)
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				m := mlirtest.Parse(b, mlirtest.Context(b), text)
				f, _ := m.SymbolTable().Lookup("main")
				b.StartTimer()
				for range n {
					_, err := autodiff.Grad(f, autodiff.Options{})
					check.NoError(b, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/gradient")
		})
	}
}
