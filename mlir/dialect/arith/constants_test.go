package arith_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

func TestConstants(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for name, test := range map[string]struct {
			make func(b *mlir.Builder) mlir.Value
			want string
		}{
			"integer": {func(b *mlir.Builder) mlir.Value { return arith.ConstantInt(b, b.Type("i8"), 7) }, "7 : i8"},
			"float": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantFloat(b, b.Type("f32"), 2)
			}, "2.000000e+00 : f32"},
			"splat of integers": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantInt(b, b.Type("vector<2x3xi8>"), -1)
			}, "dense<-1> : vector<2x3xi8>"},
			"splat of booleans": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantInt(b, b.Type("tensor<4xi1>"), 1)
			}, "dense<true> : tensor<4xi1>"},
			"splat of indices": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantInt(b, b.Type("tensor<4xindex>"), 9)
			}, "dense<9> : tensor<4xindex>"},
			"splat of a scalable vector": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantFloat(b, b.Type("vector<[4]xf64>"), 1)
			}, "dense<1.000000e+00> : vector<[4]xf64>"},
			"splat of bf16, rounded": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantFloat(b, b.Type("tensor<4xbf16>"), 1.001)
			}, "dense<1.000000e+00> : tensor<4xbf16>"},
			"no elements": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantFloat(b, b.Type("tensor<0xf32>"), 1)
			}, "dense<> : tensor<0xf32>"},
			"dense": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantDense(b, b.Type("vector<2x2xi16>"), []int16{1, 2, 3, 4})
			}, "dense<[[1, 2], [3, 4]]> : vector<2x2xi16>"},
			"dense booleans": {func(b *mlir.Builder) mlir.Value {
				return arith.ConstantDense(b, b.Type("tensor<2xi1>"), []bool{true, false})
			}, "dense<[true, false]> : tensor<2xi1>"},
		} {
			m := c.NewModule(mlir.Location{})
			b := mlir.NewBuilder(m.Body(), mlir.Location{})
			v := test.make(b)
			check.NoError(t, b.Err())
			check.NoError(t, m.Verify())
			value, _ := v.Owner().Attribute("value")
			check.Diff(t, name, test.want, value.String())
		}
	})
}
