package linalg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
)

// eachContext runs a test if the library has the functions, and checks their errors
// otherwise.
func eachContext(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.Library().Has("mlirLinalgIsAContractionOp") {
			test(t, c)
			return
		}
		o := c.NewModule(mlir.Location{}).Operation()
		for _, call := range []func() error{
			func() error { _, err := linalg.IsContraction(o); return err },
			func() error { _, err := linalg.IsConvolution(o); return err },
			func() error { _, err := linalg.ContractionOf(o); return err },
			func() error { _, err := linalg.ConvolutionOf(o); return err },
			func() error { _, err := linalg.IndexingMaps(o); return err },
			func() error { m := affine.Identity(c, 1); _, err := linalg.ContractionOfMaps(m, m, m); return err },
			func() error { return linalg.FillRegion(o) },
		} {
			mlirtest.Unsupported(t, call())
		}
	})
}

const source = `func.func @f(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>, %c: tensor<5x2x4xf32>,
  %i: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>, %o: tensor<1x3x3x4xf32>) {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32>) outs(%c : tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%i, %k : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%o : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return
}`

func operations(t *testing.T, c *mlir.Context, text string) map[string]mlir.Operation {
	m := check.Must(c.Parse("f.mlir", []byte(text)))
	found := map[string]mlir.Operation{}
	m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
		found[o.Name()] = o
		return mlir.WalkContinue
	})
	return found
}

func TestDimensions(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		ops := operations(t, c, source)
		matmul, conv, ret := ops["linalg.batch_matmul"], ops["linalg.conv_2d_nhwc_hwcf"], ops["func.return"]
		kinds := func(o mlir.Operation) [2]bool {
			return [2]bool{check.Must(linalg.IsContraction(o)), check.Must(linalg.IsConvolution(o))}
		}
		check.Diff(t, "matmul", [2]bool{true, false}, kinds(matmul))
		check.Diff(t, "convolution", [2]bool{false, true}, kinds(conv))
		check.Diff(t, "return", [2]bool{false, false}, kinds(ret))
		want := linalg.Contraction{Batch: []int64{0}, M: []int64{1}, N: []int64{2}, K: []int64{3}}
		check.Diff(t, "contraction", want, check.Must(linalg.ContractionOf(matmul)))
		got := check.Must(linalg.ConvolutionOf(conv))
		if diff := cmp.Diff(linalg.Convolution{Batch: []int64{0}, OutputImage: []int64{1, 2}, OutputChannel: []int64{3},
			FilterLoop:   []int64{4, 5},
			InputChannel: []int64{6}, Depth: []int64{}, Strides: []int64{2, 2}, Dilations: []int64{1, 1}}, got,
			emptyIsNil); diff != "" {
			t.Errorf("convolution (-want +got):\n%s", diff)
		}
		maps := check.Must(linalg.IndexingMaps(matmul))
		var texts []string
		for _, m := range maps {
			texts = append(texts, m.String())
		}
		check.Diff(t, "maps", []string{"(d0, d1, d2, d3) -> (d0, d1, d3)", "(d0, d1, d2, d3) -> (d0, d3, d2)",
			"(d0, d1, d2, d3) -> (d0, d1, d2)"}, texts)
		check.Diff(t, "from maps", want, check.Must(linalg.ContractionOfMaps(maps[0], maps[1], maps[2])))

		_, err := linalg.ContractionOf(conv)
		check.Error(t, err, "linalg.conv_2d_nhwc_hwcf is not a contraction")
		_, err = linalg.ConvolutionOf(matmul)
		check.Error(t, err, "linalg.batch_matmul is not a convolution")
		_, err = linalg.IndexingMaps(ret)
		check.Error(t, err, "func.return has no indexing maps")
		one := affine.Identity(c, 1)
		_, err = linalg.ContractionOfMaps(maps[0], one, maps[2])
		check.Error(t, err, "is not a map of a contraction over 4 loops")
		_, err = linalg.ContractionOfMaps(one, one, one)
		check.Error(t, err, "do not form a contraction")
		_, err = linalg.ContractionOfMaps(one, one, affine.Map{})
		check.Error(t, err, "is not a map of a contraction")
		_, err = linalg.ContractionOfMaps(one, check.Must(affine.ParseMap(c, "(d0) -> (d0 * 2)")), one)
		check.Error(t, err, "each result must be one of them")
		check.Panics(t, "linalg.IsContraction called on a nil handle",
			func() { linalg.IsContraction(mlir.Operation{}) })
	})
}

// TestConvolutionOfMaps infers the dimensions of a convolution, and tries other maps.
func TestConvolutionOfMaps(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		parse := func(text string) affine.Map { return check.Must(affine.ParseMap(c, "(n, w, f, k, d) -> "+text)) }
		filter, result := parse("(k, d, f)"), parse("(n, w, f)")
		got, err := linalg.ConvolutionOfMaps(parse("(n, w * 2 + k * 3, d)"), filter, result)
		if !c.Library().Has("mlirLinalgInferConvolutionDimensionsFromMaps") {
			mlirtest.Unsupported(t, err)
			return
		}
		check.NoError(t, err)
		if diff := cmp.Diff(linalg.Convolution{Batch: []int64{0}, OutputImage: []int64{1}, OutputChannel: []int64{2},
			FilterLoop:   []int64{3},
			InputChannel: []int64{4}, Strides: []int64{2}, Dilations: []int64{3}}, got, emptyIsNil); diff != "" {
			t.Errorf("convolution (-want +got):\n%s", diff)
		}
		for _, image := range []string{"()", "(n, w mod 2, d)", "(n, w floordiv 3 + k, d)", "(n, 5, d)",
			"(n, w + w, d)", "(n, w + k + f, d)",
			"(w + k, w + k)", "(n, w * -1 + k, d)", "(n, w * 2 + 1, d)", "(n, w * 2, d)"} {
			_, err := linalg.ConvolutionOfMaps(parse(image), filter, result)
			check.Error(t, err, "is not a map of an image")
		}
		for _, image := range []string{"(w + k)", "(n, w, f, k, d)", "(f + k, n + d, w)", "(n + w, k + d)",
			"(k + w, n)", "(d + k)"} {
			for _, filter := range []string{"()", "(k)", "(n, w, f, k, d)", "(w, n)", "(d, k, f, n)"} {
				for _, result := range []string{"()", "(w)", "(n, w, f)", "(k, d)", "(n, w, f, k, d)"} {
					if got, err := linalg.ConvolutionOfMaps(parse(image), parse(filter), parse(result)); err == nil &&
						len(got.OutputImage) != len(got.FilterLoop) {
						t.Errorf("%s, %s and %s gave %v", image, filter, result, got)
					}
				}
			}
		}
		_, err = linalg.ConvolutionOfMaps(filter, filter, result)
		check.Error(t, err, "do not form a convolution")
		_, err = linalg.ConvolutionOfMaps(filter, affine.Identity(c, 1), result)
		check.Error(t, err, "is not a map of a convolution over 5 loops")
		_, err = linalg.ConvolutionOfMaps(filter, filter, parse("(n + w)"))
		check.Error(t, err, "is not a map of a convolution over 5 loops")
		_, err = linalg.ConvolutionOfMaps(filter, filter, affine.Map{})
		check.Error(t, err, "is not a map of a convolution")
	})
}

var emptyIsNil = cmp.Transformer("list", func(s []int64) string {
	text := ""
	for _, v := range s {
		text += string(rune('0' + v))
	}
	return text
})

func TestFillRegion(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		m, arguments := c.NewModule(mlir.Location{}), []mlir.Type{}
		for _, text := range []string{"tensor<2x3xf32>", "tensor<3x4xf32>", "tensor<2x4xf32>", "tensor<2x!llvm.ptr>"} {
			arguments = append(arguments, mlirtest.Type(c, text))
		}
		block := c.NewBlock(mlir.Location{}, arguments...)
		create := func(name string, regions int, operands ...int) mlir.Operation {
			s := mlir.OperationState{Name: name, Attributes: []mlir.NamedAttribute{{Name: "operandSegmentSizes",
				Value: mlir.NewDenseArray(c, int32(len(operands)-1), int32(1))}}}
			for _, o := range operands {
				s.Operands = append(s.Operands, block.Argument(o))
			}
			if len(operands) > 0 {
				s.Results = []mlir.Type{s.Operands[len(operands)-1].Type()}
			}
			for range regions {
				s.Regions = append(s.Regions, c.NewRegion())
			}
			return check.Must(mlir.Create(c, s))
		}
		matmul := create("linalg.matmul", 1, 0, 1, 2)
		check.NoError(t, linalg.FillRegion(matmul))
		check.Report(t, matmul.Verify())
		var names []string
		for o := range matmul.Region(0).First().Operations() {
			names = append(names, o.Name())
		}
		check.Diff(t, "the body", []string{"arith.mulf", "arith.addf", "linalg.yield"}, names)
		check.Error(t, linalg.FillRegion(matmul), "must have one region, and it must be empty")
		check.Error(t, linalg.FillRegion(create("linalg.matmul", 1, 0, 1)), "takes 3 operands, but has 2")
		check.Error(t, linalg.FillRegion(create("linalg.matmul", 1, 3, 3, 3)), "must hold numbers, not !llvm.ptr")
		check.Error(t, linalg.FillRegion(create("linalg.generic", 1, 0, 0)), "is not a known named operation")
		check.Error(t, linalg.FillRegion(m.Operation()), "is not a known named operation")
		if _, err := linalg.IsContraction(create("linalg.matmul", 1, 0, 1, 2)); err == nil {
			t.Error("an operation without a body was read")
		}
	})
}

// TestIndex checks that linalg.index can be created, and printed before it is in an operation,
// which the library's verifier assumes.
func TestIndex(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		if !c.Registered("linalg.index") {
			linalg.Index(b, 0)
			check.Error(t, b.Err(), "does not know the operation")
			return
		}
		out := b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast",
			Results: []mlir.Type{b.Type("memref<4xindex>")}}).Result(0)
		var i mlir.Value
		linalg.Generic(b, []affine.Map{affine.Identity(c, 1)}, []string{linalg.ParallelLoop}, nil, []mlir.Value{out},
			func([]mlir.Value) []mlir.Value {
				i = linalg.Index(b, 0)
				op := i.Owner()
				for _, text := range []string{i.String(), op.String(),
					check.Must(op.NewAsmState(mlir.PrintOptions{})).Print(op)} {
					if !strings.Contains(text, `"linalg.index"()`) {
						t.Errorf("the operation is %s", text)
					}
				}
				check.Diff(t, "the name", "%0", i.Name(mlir.PrintOptions{}))
				check.Error(t, op.Verify(), "'linalg.index' op is not in an operation: add it to one first")
				return []mlir.Value{i}
			})
		b.Fail(m.Verify())
		check.NoError(t, b.Err())
		check.Diff(t, "in its place", "%1 = linalg.index 0 : index", i.String())
		clone := i.Owner().Clone()
		check.Diff(t, "detached", `%0 = "linalg.index"() <{dim = 0 : i64}> : () -> index`,
			strings.TrimSpace(clone.String()))
		check.Error(t, clone.Verify(), "is not in an operation")
	})
}

// TestFillRegionNumbers holds that bodies are filled for the kinds of numbers that the library
// computes with, and refused for others, on which it crashes.
func TestFillRegionNumbers(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		fill := func(name string, attributes []mlir.NamedAttribute, elements ...string) (mlir.Operation, error) {
			s := mlir.OperationState{Name: "linalg." + name, Regions: []mlir.Region{c.NewRegion()},
				Attributes: append(attributes,
					mlir.NamedAttribute{Name: "operandSegmentSizes",
						Value: mlir.NewDenseArray(c, int32(len(elements)-1), int32(1))})}
			var types []mlir.Type
			for _, e := range elements {
				types = append(types, mlirtest.Type(c, "tensor<2x"+e+">"))
			}
			block := c.NewBlock(mlir.Location{}, types...)
			for i := range types {
				s.Operands = append(s.Operands, block.Argument(i))
			}
			s.Results = types[len(types)-1:]
			op := check.Must(mlir.Create(c, s))
			return op, linalg.FillRegion(op)
		}
		all := []string{"i1", "i32", "index", "f32", "complex<f32>"}
		for name, want := range map[string][]string{
			"add": {"i1", "i32", "f32", "complex<f32>"}, "sub": {"i32", "f32", "complex<f32>"},
			"mul": {"i1", "i32", "f32", "complex<f32>"},
			"div": {"i32", "f32", "complex<f32>"}, "div_unsigned": {"i32"}, "max": {"i1", "i32", "f32"},
			"powf": {"f32"},
		} {
			if !c.Registered("linalg." + name) {
				continue // newer libraries have linalg.elementwise in its place
			}
			var got []string
			for _, e := range all {
				if op, err := fill(name, nil, e, e, e); err == nil && op.Verify() == nil {
					got = append(got, e)
				}
			}
			check.Diff(t, name, want, got)
		}
		for _, test := range []struct{ name, kind, elements, want string }{
			{"add", "", "i32 f32 f32", "operand 1 of linalg.add must hold integers, as operand 0, not f32"},
			{"select", "", "i32 f32 f32 f32", "operand 0 of linalg.select must hold i1"},
			{"dot", "", "f32 complex<f32> f32",
				"operand 1 of linalg.dot holds complex numbers, and the output floating-point numbers"},
			{"dot", "", "index index index", "operand 0 of linalg.dot must hold numbers other than index"},
			{"quantized_matmul", "", "i1 i1 i1 i1 i1", "linalg.quantized_matmul cannot subtract zero points of i1"},
			{"elementwise", "", "f32 f32", "linalg.elementwise has no kind"},
			{"elementwise", "exp", "f32 f32 f32", "takes 2 operands, but has 3"},
			{"elementwise", "exp", "i32 i32",
				"operand 0 of linalg.elementwise must hold floating-point numbers, not i32"},
			{"elementwise", "sub", "i1 i1 i1",
				"must hold integers or floating-point numbers or complex numbers, not i1"},
			{"elementwise", "max_unsigned", "complex<f32> complex<f32> complex<f32>",
				"must hold i1 or integers or floating-point numbers, not complex<f32>"},
			{"elementwise", "select", "i32 f32 f32 f32", "operand 0 of linalg.elementwise must hold i1"},
		} {
			if !c.Registered("linalg." + test.name) {
				continue
			}
			var kind []mlir.NamedAttribute
			if test.kind != "" {
				kind = []mlir.NamedAttribute{
					{Name: "kind", Value: mlirtest.Attribute(c, "#linalg.elementwise_kind<"+test.kind+">")}}
			}
			_, err := fill(test.name, kind, strings.Fields(test.elements)...)
			check.Error(t, err, test.want)
		}
	})
}

// TestNamed builds the named operations whose bodies depend on more than the name.
func TestNamed(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Registered("linalg.elementwise") || !c.Registered("linalg.contract") {
			return
		}
		square := mlirtest.Type(c, "tensor<4x4xf32>")
		bools := mlirtest.Type(c, "tensor<4x4xi1>")
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		var names []string
		function.Func(b, "f", []mlir.Type{square, square, bools}, nil, func(in []mlir.Value) {
			x, y := in[:1], in[:2]
			d := []affine.Expr{affine.Dim(c, 0), affine.Dim(c, 1), affine.Dim(c, 2)}
			maps := []affine.Map{affine.NewMap(c, 3, 0, d[0], d[2]), affine.NewMap(c, 3, 0, d[2], d[1]),
				affine.NewMap(c, 3, 0, d[0], d[1])}
			for _, op := range []mlir.Operation{
				linalg.Elementwise(b, x, x, linalg.ElementwiseKindExp),
				linalg.Elementwise(b, y, x, linalg.ElementwiseKindMaxSigned),
				linalg.Elementwise(b, []mlir.Value{in[2], in[0], in[1]}, x, linalg.ElementwiseKindSelect),
				linalg.Contract(b, y, x, maps),
			} {
				if b.Err() == nil {
					names = append(names, op.Region(0).First().First().Name())
				}
			}
			linalg.Transpose(b, in[0], in[1], []int64{1, 0})
			function.Return(b)
		})
		b.Fail(m.Verify())
		check.NoError(t, b.Err())
		check.Diff(t, "the first operations of the bodies",
			[]string{"math.exp", "arith.maximumf", "arith.select", "arith.mulf"}, names)
	})
}

// TestDestinations builds operations whose results have the types of their destinations.
func TestDestinations(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		row, matrix, packed := mlirtest.Type(c, "tensor<4xf32>"), mlirtest.Type(c, "tensor<4x4xf32>"),
			mlirtest.Type(c, "tensor<2x4x2xf32>")
		buffer, f32 := mlirtest.Type(c, "memref<4x4xf32>"), mlirtest.Type(c, "f32")
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		var results []string
		function.Func(b, "f", []mlir.Type{row, matrix, packed, buffer}, nil, func(in []mlir.Value) {
			row, matrix, packed, buffer := in[0], in[1], in[2], in[3]
			sum := func() mlir.Region {
				return b.Region(func(in []mlir.Value) { linalg.Yield(b, arith.AddF(b, in[0], in[1])) }, f32, f32)
			}
			operations := []mlir.Operation{
				linalg.Transpose(b, matrix, matrix, []int64{1, 0}),
				linalg.Transpose(b, buffer, buffer, []int64{1, 0}),
				linalg.Broadcast(b, row, matrix, []int64{0}),
				linalg.Reduce(b, []mlir.Value{matrix}, []mlir.Value{row}, []int64{1}, sum()),
				linalg.Map(b, []mlir.Value{matrix}, matrix,
					b.Region(func(in []mlir.Value) { linalg.Yield(b, in[0]) }, f32, f32)),
				linalg.Softmax(b, matrix, matrix, 1),
			}
			if c.Registered("linalg.pack") {
				operations = append(operations, linalg.Pack(b, matrix, packed, []int64{0}, mlir.Fixed(2)).Owner(),
					linalg.UnPack(b, packed, matrix, []int64{0}, mlir.Fixed(2)).Owner())
			}
			for _, op := range operations {
				results = append(results, op.Name()+fmt.Sprint(len(op.ResultValues())))
			}
			function.Return(b)
		})
		b.Fail(m.Verify())
		check.NoError(t, b.Err())
		want := strings.Fields("linalg.transpose1 linalg.transpose0 linalg.broadcast1 linalg.reduce1 linalg.map1 linalg.softmax1 linalg.pack1 linalg.unpack1")
		check.Diff(t, "the results", want[:len(results)], results)
	})
}

// TestFillRng2D fills tensors of each kind of elements with random numbers.
func TestFillRng2D(t *testing.T) {
	eachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Registered("linalg.fill_rng_2d") {
			return
		}
		for element, want := range map[string]string{"f32": "", "f64": "", "i8": "", "i32": "",
			"ui8": "must hold numbers", "index": "must hold numbers", "complex<f32>": "must hold numbers"} {
			m := c.NewModule(mlir.Location{})
			b := mlir.NewBuilder(mlir.AtEnd(m.Body()), mlir.Location{})
			f64, i32, output := b.Type("f64"), b.Type("i32"), b.Type("tensor<2x3x"+element+">")
			function.Func(b, "f", []mlir.Type{f64, f64, i32, output}, nil, func(in []mlir.Value) {
				linalg.FillRng2D(b, in[:3], in[3])
				function.Return(b)
			})
			if err := b.Err(); want != "" {
				check.Error(t, err, want)
				continue
			}
			check.NoError(t, b.Err())
			check.NoError(t, m.Verify())
			if text := m.String(); !strings.Contains(text, "linalg.fill_rng_2d") {
				t.Errorf("the operation is not in %s", text)
			}
		}
	})
}
