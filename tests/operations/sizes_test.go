package operations_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
	"github.com/calliope-mlir/calliope/mlir/dialect/vector"
	"github.com/calliope-mlir/calliope/native"
)

// TestSizesOfShortForms builds operations whose sizes are numbers and values in one list.
func TestSizesOfShortForms(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := c.NewModule(mlir.Location{})
		m.Operation().SetAttribute("transform.with_named_sequence", c.UnitAttribute())
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		function.Func(b, "f", []mlir.Type{b.Type("vector<4x8xf32>"), c.IndexType()}, nil, func(in []mlir.Value) {
			row := vector.Extract(b, in[0], mlir.Computed(in[1]))
			check.Diff(t, "row", "vector<8xf32>", row.Type().String())
			vector.Insert(b, row, in[0], mlir.Fixed(3))
			vector.Extract(b, in[0], mlir.Fixed(1), mlir.Computed(in[1]))
			function.Return(b)
		})
		check.NoError(t, b.Err())
		if c.LoadDialect("transform") != nil {
			return // jaxlib's library
		}
		hasXeGPU := false
		sizes := func(s ...mlir.Size) []mlir.Size { return s }
		transform.Main(b, func(root mlir.Value) {
			op, n := b.Type("!transform.any_op"), mlir.Fixed(8)
			some := mlir.Computed(transform.ParamConstant(b, b.Type("!transform.param<i64>"), b.Attribute("8 : i64")))
			transform.Vectorize(b, transform.Match(b, root, "linalg.add"), some, n, some)
			transform.Vectorize(b, transform.Match(b, root, "linalg.sub"))
			if e.Name != native.IREE.String() { // its operation has further lists of operands
				transform.TileUsingFor(b, op, []mlir.Type{op, op}, transform.Match(b, root, "linalg.mul"), n, some)
			}
			transform.TileUsingForall(b, op, op, transform.Match(b, root, "linalg.div"), nil, some, n)
			transform.Split(b, op, transform.Match(b, root, "linalg.exp"), 0, some)
			transform.Split(b, op, transform.Match(b, root, "linalg.log"), 0, n)
			if c.Registered("transform.xegpu.insert_prefetch") {
				value := func(name string) mlir.Value {
					of := transform.Match(b, root, name)
					return transform.GetResult(b, b.Type("!transform.any_value"), of, []int64{0})
				}
				loads, products := value("xegpu.load_nd"), value("xegpu.dpas")
				if e.Name == "default" { // its operation takes operations
					loads, products = transform.Match(b, root, "xegpu.load_nd"), transform.Match(b, root, "xegpu.dpas")
				}
				transform.InsertPrefetch(b, op, loads, some)
				transform.InsertPrefetch(b, op, products, n)
				transform.ConvertLayout(b, op, value("arith.addf"), sizes(n, some), sizes(n, n), nil, sizes(some, n),
					sizes(n, n))
				hasXeGPU = true
			}
			transform.Pack(b, b.Type(`!transform.op<"linalg.generic">`), transform.Match(b, root, "linalg.abs"), n, n)
		})
		check.NoError(t, b.Err())
		check.NoError(t, m.Verify())
		check.Must(c.Parse("again", []byte(m.String())))
		for op := range m.Operation().All() {
			if v, ok := transform.AsVectorize(op); ok && len(v.VectorSizes) > 0 {
				check.Diff(t, "sizes", []int64{mlir.Dynamic, 8, mlir.Dynamic}, v.StaticVectorSizes)
				check.Diff(t, "scalable", []bool{false, false, false}, v.ScalableSizes)
			}
		}
		if e.Name != native.IREE.String() && !hasXeGPU {
			t.Error("the library lacks transform.xegpu.insert_prefetch")
		}
		for op := range m.Operation().All() {
			if v, ok := transform.AsInsertPrefetch(op); ok {
				check.Diff(t, "the prefetch is a value", v.DynamicNbPrefetch.IsNil(), *v.StaticNbPrefetch == 8)
			}
			if v, ok := transform.AsConvertLayout(op); ok {
				check.Diff(t, "input layout", []int64{8, mlir.Dynamic}, v.StaticInputSgLayout)
				check.Diff(t, "target layout", []int64{mlir.Dynamic, 8}, v.StaticTargetSgLayout)
				check.Diff(t, "target data", []int64{8, 8}, v.StaticTargetSgData)
				check.Diff(t, "values", 2, len(v.InputSgLayout)+len(v.TargetSgLayout))
			}
		}
		b = mlir.NewBuilder(m.Body(), mlir.Location{})
		transform.Vectorize(b, mlir.Value{}, mlir.Computed(mlir.Value{}))
		check.Error(t, b.Err(), "the vector sizes of transform.structured.vectorize: the value of number 0 is missing")
	})
}
