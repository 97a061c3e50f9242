//go:build engines

package mlir_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// TestEnginesAgree builds the same modules on all engines, which are open at once, and
// compares their output, with locations and in the generic form. The programs list the
// engines that lack a dialect or print something else, with the reason.
func TestEnginesAgree(t *testing.T) {
	engines := mlirtest.Engines(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			var texts []string
			var names []string
			contexts := make([]*mlir.Context, len(engines))
			for i, e := range engines { // all are open at once
				contexts[i] = mlirtest.ContextOf(t, e.Library)
			}
			for i, e := range engines {
				missing := slices.ContainsFunc(p.dialects,
					func(d string) bool { return contexts[i].LoadDialect(d) != nil })
				if _, listed := p.lacks[e.Name]; listed != missing {
					t.Errorf("%s lacks a dialect of %v: %v; listed as lacking one: %v", e.Name, p.dialects, missing,
						listed)
				}
				if missing {
					continue
				}
				m := contexts[i].NewModule(contexts[i].FileLocation("program.go", 1, 1))
				p.build(writer{t, contexts[i], m.Body()})
				if err := m.Verify(); err != nil {
					t.Errorf("%s: %v", e.Name, err)
				}
				printed := m.Operation().Print(mlir.PrintOptions{DebugInfo: true})
				if diff := cmp.Diff(m.String(), mlirtest.Parse(t, contexts[i], printed).String()); diff != "" {
					t.Errorf("%s parses something else than it prints (-printed +read):\n%s", e.Name, diff)
				}
				texts = append(texts, printed+"\n"+m.Operation().Print(mlir.PrintOptions{Generic: true}))
				names = append(names, e.Name)
			}
			if len(texts) < 2 {
				t.Fatalf("only %v took part", names)
			}
			for i := 1; i < len(texts); i++ {
				diff := cmp.Diff(texts[0], texts[i])
				if _, listed := p.differs[names[i]]; listed != (diff != "") {
					t.Errorf("%s and %s differ (-+), or are wrongly listed as different:\n%s", names[0], names[i], diff)
				}
			}
		})
	}
}

const (
	jaxlibEngine   = "MLIR library of jaxlib"
	ireeEngine     = "IREE compiler library"
	upstreamEngine = "upstream MLIR library"
)

// program is a module to build. Engines have the names that mlirtest gives them.
type program struct {
	name     string
	dialects []string
	build    func(w writer)
	lacks    map[string]string // engine: why it lacks one of the dialects
	differs  map[string]string // engine: why it prints something else
}

// writer adds operations at the end of a block.
type writer struct {
	t     *testing.T
	c     *mlir.Context
	block mlir.Block
}

func (w writer) typ(text string) mlir.Type       { return mlirtest.Type(w.c, text) }
func (w writer) attr(text string) mlir.Attribute { return mlirtest.Attribute(w.c, text) }

// attrs returns attributes from alternating names and texts.
func (w writer) attrs(pairs ...string) []mlir.NamedAttribute {
	var out []mlir.NamedAttribute
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, mlir.NamedAttribute{Name: pairs[i], Value: w.attr(pairs[i+1])})
	}
	return out
}

// add adds an operation and returns its first result, if it has one.
func (w writer) add(name string, s mlir.OperationState) mlir.Value {
	w.t.Helper()
	s.Name = name
	if s.Location.IsNil() {
		s.Location = w.c.FileLocation("program.go", len(name), 1)
	}
	o, err := mlir.Create(w.block, s)
	if err != nil {
		w.t.Fatal(err)
	}
	if o.NumResults() == 0 {
		return mlir.Value{}
	}
	return o.Result(0)
}

// of adds an operation with operands and one result of the given type, and returns the
// result.
func (w writer) of(name, result string, operands ...mlir.Value) mlir.Value {
	w.t.Helper()
	return w.add(name, mlir.OperationState{Operands: operands, Results: []mlir.Type{w.typ(result)}})
}

func (w writer) constant(text string) mlir.Value {
	value := w.attr(text)
	typ, _ := value.Type()
	return w.add("arith.constant", mlir.OperationState{
		Results: []mlir.Type{typ}, Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
	})
}

// region creates a region with one block, whose contents fill adds.
func (w writer) region(arguments []string, fill func(w writer, arguments []mlir.Value)) mlir.Region {
	var types []mlir.Type
	for _, a := range arguments {
		types = append(types, w.typ(a))
	}
	block := w.c.NewBlock(w.c.FileLocation("program.go", 7, 7), types...)
	values := block.ArgumentValues()
	fill(writer{w.t, w.c, block}, values)
	r := w.c.NewRegion()
	r.Append(block)
	return r
}

// function adds a func.func of the given type.
func (w writer) function(name, typ string, body func(w writer, x []mlir.Value) []mlir.Value) {
	w.t.Helper()
	inputs, _, _ := w.typ(typ).Signature()
	var texts []string
	for _, i := range inputs {
		texts = append(texts, i.String())
	}
	w.add("func.func", mlir.OperationState{
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: w.c.StringAttribute(name)},
			{Name: "function_type", Value: w.c.TypeAttribute(w.typ(typ))},
		},
		Regions: []mlir.Region{w.region(texts, func(w writer, x []mlir.Value) {
			w.add("func.return", mlir.OperationState{Operands: body(w, x)})
		})},
	})
}

var programs = []program{
	{
		name: "arithmetic", dialects: []string{"arith", "math", "func"},
		build: func(w writer) {
			w.function("f", "(i32, f32, vector<4xf32>) -> (i32, f32, vector<4xf32>)",
				func(w writer, x []mlir.Value) []mlir.Value {
					seven := w.constant("7 : i32")
					sum := w.of("arith.addi", "i32", x[0], seven)
					less := w.add("arith.cmpi", mlir.OperationState{
						Operands: []mlir.Value{sum, x[0]}, Results: []mlir.Type{w.typ("i1")},
						Attributes: w.attrs("predicate", "2 : i64"),
					})
					chosen := w.of("arith.select", "i32", less, sum, w.constant("-1 : i32"))
					root := w.of("math.sqrt", "f32", x[1])
					scaled := w.of("arith.mulf", "vector<4xf32>", x[2],
						w.constant("dense<[1.0, 0.5, -2.5e10, 0x7F800000]> : vector<4xf32>"))
					return []mlir.Value{chosen, root, scaled}
				})
		},
	},
	{
		name: "control flow", dialects: []string{"arith", "func", "scf"},
		build: func(w writer) {
			w.function("sum", "(index, i1) -> f64", func(w writer, x []mlir.Value) []mlir.Value {
				zero, one, start := w.constant("0 : index"), w.constant("1 : index"), w.constant("0.0 : f64")
				total := w.add("scf.for", mlir.OperationState{
					Operands: []mlir.Value{zero, x[0], one, start}, Results: []mlir.Type{w.typ("f64")},
					Regions: []mlir.Region{w.region([]string{"index", "f64"}, func(w writer, x []mlir.Value) {
						w.add("scf.yield",
							mlir.OperationState{Operands: []mlir.Value{w.of("arith.addf", "f64", x[1], x[1])}})
					})},
				})
				branch := func(negate bool) mlir.Region {
					return w.region(nil, func(w writer, _ []mlir.Value) {
						v := total
						if negate {
							v = w.of("arith.negf", "f64", v)
						}
						w.add("scf.yield", mlir.OperationState{Operands: []mlir.Value{v}})
					})
				}
				return []mlir.Value{w.add("scf.if", mlir.OperationState{
					Operands: []mlir.Value{x[1]}, Results: []mlir.Type{w.typ("f64")},
					Regions: []mlir.Region{branch(false), branch(true)},
				})}
			})
		},
	},
	{
		name: "memory", dialects: []string{"arith", "func", "memref"},
		build: func(w writer) {
			const m = "memref<?x4xf32, strided<[?, 1], offset: ?>, 3>"
			w.function("swap", "("+m+", index) -> memref<4xf32>", func(w writer, x []mlir.Value) []mlir.Value {
				old := w.of("memref.load", "f32", x[0], x[1], x[1])
				w.add("memref.store",
					mlir.OperationState{Operands: []mlir.Value{w.constant("1.5 : f32"), x[0], x[1], x[1]}})
				room := w.add("memref.alloc", mlir.OperationState{
					Results:    []mlir.Type{w.typ("memref<4xf32>")},
					Attributes: w.attrs("operandSegmentSizes", "array<i32: 0, 0>"),
				})
				w.add("memref.store", mlir.OperationState{Operands: []mlir.Value{old, room, x[1]}})
				return []mlir.Value{room}
			})
		},
	},
	{
		name: "aligned memory", dialects: []string{"memref"},
		differs: map[string]string{
			ireeEngine: "after LLVM 22 memref.alloc prints its alignment without braces and type"},
		build: func(w writer) {
			w.add("memref.alloc", mlir.OperationState{
				Results:    []mlir.Type{w.typ("memref<4xf32>")},
				Attributes: w.attrs("operandSegmentSizes", "array<i32: 0, 0>", "alignment", "64 : i64"),
			})
		},
	},
	{
		name: "branches", dialects: []string{"arith", "func", "cf"},
		lacks: map[string]string{jaxlibEngine: "jaxlib registers no dialect cf"},
		build: func(w writer) {
			typ := w.typ("(i32) -> i32")
			r := w.c.NewRegion()
			loc := w.c.UnknownLocation()
			i32 := w.typ("i32")
			entry, loop, end := w.c.NewBlock(loc, i32), w.c.NewBlock(loc, i32), w.c.NewBlock(loc, i32)
			for _, b := range []mlir.Block{entry, loop, end} {
				r.Append(b)
			}
			writer{w.t, w.c, entry}.add("cf.br",
				mlir.OperationState{Operands: []mlir.Value{entry.Argument(0)}, Successors: []mlir.Block{loop}})
			inner := writer{w.t, w.c, loop}
			x := loop.Argument(0)
			next := inner.of("arith.subi", "i32", x, inner.constant("1 : i32"))
			more := inner.add("arith.cmpi", mlir.OperationState{
				Operands: []mlir.Value{next, x}, Results: []mlir.Type{w.typ("i1")},
				Attributes: w.attrs("predicate", "4 : i64"),
			})
			inner.add("cf.cond_br", mlir.OperationState{
				Operands: []mlir.Value{more, next, x}, Successors: []mlir.Block{loop, end},
				Attributes: w.attrs("operandSegmentSizes", "array<i32: 1, 1, 1>"),
			})
			writer{w.t, w.c, end}.add("func.return", mlir.OperationState{Operands: []mlir.Value{end.Argument(0)}})
			w.add("func.func", mlir.OperationState{
				Attributes: []mlir.NamedAttribute{
					{Name: "sym_name", Value: w.c.StringAttribute("count down")},
					{Name: "function_type", Value: w.c.TypeAttribute(typ)},
				},
				Regions: []mlir.Region{r},
			})
		},
	},
	{
		name: "tensors", dialects: []string{"arith", "func", "linalg", "tensor"},
		lacks: map[string]string{jaxlibEngine: "jaxlib registers neither linalg nor tensor"},
		build: func(w writer) {
			w.function("scale", "(tensor<?x8xf32>, index) -> tensor<?x8xf32>",
				func(w writer, x []mlir.Value) []mlir.Value {
					empty := w.of("tensor.empty", "tensor<?x8xf32>", x[1])
					return []mlir.Value{w.add("linalg.generic", mlir.OperationState{
						Operands: []mlir.Value{x[0], empty}, Results: []mlir.Type{w.typ("tensor<?x8xf32>")},
						Attributes: w.attrs(
							"indexing_maps", "[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]",
							"iterator_types", "[#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>]",
							"operandSegmentSizes", "array<i32: 1, 1>"),
						Regions: []mlir.Region{w.region([]string{"f32", "f32"}, func(w writer, x []mlir.Value) {
							w.add("linalg.yield",
								mlir.OperationState{Operands: []mlir.Value{w.of("arith.mulf", "f32", x[0], x[0])}})
						})},
					})}
				})
		},
	},
	{
		name: "attributes and types",
		build: func(w writer) {
			c, m := w.c, w.block.Parent()
			i8 := c.IntegerType(8, mlir.Signed)
			d, s := affine.Dim(c, 0), affine.Symbol(c, 0)
			set := func(name string, a mlir.Attribute) { m.SetAttribute("test."+name, a) }
			set("text", c.StringAttribute("a\"b\\c\x00\xff\n"))
			set("typed", c.TypedStringAttribute("s", c.IndexType()))
			set("numbers", c.ArrayAttribute(c.IntegerAttribute(i8, -7), c.FloatAttribute(c.F64Type(), 0.1),
				c.BoolAttribute(true), c.Int64ArrayAttribute(1, -2)))
			set("symbol", c.NestedSymbolAttribute("a", "b", "c d"))
			set("map",
				affine.NewMap(c, 1, 1, d.Add(s).Mul(affine.Constant(c, 3)), d.Mod(affine.Constant(c, 2))).Attribute())
			set("set", w.attr("affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 mod 2 == 0)>"))
			set("layout", c.StridedLayoutAttribute(3, 4, 1))
			set("nested", c.DictionaryAttribute(mlir.NamedAttribute{Name: "b", Value: c.UnitAttribute()},
				mlir.NamedAttribute{Name: "a", Value: c.TypeAttribute(i8)}))
			set("bytes", check.Must(c.DenseAttribute(w.typ("tensor<2x2xi8>"), []byte{1, 2, 3, 254})))
			set("halves", w.attr("dense<[1.0, -0.0, 6.5e4]> : tensor<3xf16>"))
			set("sparse", w.attr("sparse<[[0, 1]], [2.5]> : tensor<2x2xf32>"))
			for i, text := range []string{
				"(i1, tuple<index, none>) -> (complex<f64>, vector<[4]x2xi5>)", "tensor<?x0xbf16, \"encoded\">",
				"memref<2x?xf32, affine_map<(i, j) -> (j, i)>>", "memref<*xi4, 1 : i32>", "tensor<4xf8E4M3FN>",
				"tensor<*xui3>",
			} {
				set(fmt.Sprint("type", i), c.TypeAttribute(w.typ(text)))
			}
		},
	},
	{
		name: "locations", dialects: []string{"arith", "func"},
		build: func(w writer) {
			c := w.c
			file, name := c.FileLocation("a \"b\".py", 3, 1<<20), c.NameLocation("x/y", c.UnknownLocation())
			for i, loc := range []mlir.Location{
				file, name, c.NameLocation("op", file), c.CallSiteLocation(name, file),
				c.FusedLocation(mlir.Attribute{}, file, name),
				c.FusedLocation(c.StringAttribute("why"), file), c.UnknownLocation(),
			} {
				w.add("arith.constant", mlir.OperationState{
					Location: loc, Results: []mlir.Type{c.IndexType()},
					Attributes: []mlir.NamedAttribute{
						{Name: "value", Value: c.IntegerAttribute(c.IndexType(), int64(i))}},
				})
			}
		},
	},
	{
		name: "stablehlo", dialects: []string{"func", "stablehlo"},
		lacks: map[string]string{upstreamEngine: "upstream MLIR has no StableHLO"},
		build: func(w writer) {
			const m, n = "tensor<2x3xf32>", "tensor<3x2xf32>"
			w.function("main", "("+m+", "+n+", tensor<i1>) -> (tensor<2x2xf32>, tensor<2xf32>)",
				func(w writer, x []mlir.Value) []mlir.Value {
					twice := w.of("stablehlo.add", m, x[0], x[0])
					product := w.add("stablehlo.dot_general", mlir.OperationState{
						Operands: []mlir.Value{twice, x[1]}, Results: []mlir.Type{w.typ("tensor<2x2xf32>")},
						Attributes: w.attrs("dot_dimension_numbers", "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
							"precision_config", "[#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]"),
					})
					zero := w.add("stablehlo.constant", mlir.OperationState{
						Results:    []mlir.Type{w.typ("tensor<f32>")},
						Attributes: w.attrs("value", "dense<0.0> : tensor<f32>"),
					})
					sums := w.add("stablehlo.reduce", mlir.OperationState{
						Operands: []mlir.Value{product, zero}, Results: []mlir.Type{w.typ("tensor<2xf32>")},
						Attributes: w.attrs("dimensions", "array<i64: 1>"),
						Regions: []mlir.Region{
							w.region([]string{"tensor<f32>", "tensor<f32>"}, func(w writer, x []mlir.Value) {
								w.add("stablehlo.return", mlir.OperationState{
									Operands: []mlir.Value{w.of("stablehlo.maximum", "tensor<f32>", x[0], x[1])}})
							})},
					})
					branch := func(v mlir.Value) mlir.Region {
						return w.region(nil, func(w writer, _ []mlir.Value) {
							w.add("stablehlo.return", mlir.OperationState{Operands: []mlir.Value{v}})
						})
					}
					either := w.add("stablehlo.if", mlir.OperationState{
						Operands: []mlir.Value{x[2]}, Results: []mlir.Type{w.typ("tensor<2xf32>")},
						Regions: []mlir.Region{branch(sums), branch(w.of("stablehlo.negate", "tensor<2xf32>", sums))},
					})
					called := w.add("stablehlo.custom_call", mlir.OperationState{
						Operands: []mlir.Value{either}, Results: []mlir.Type{w.typ("tensor<2xf32>")},
						Attributes: w.attrs("call_target_name", `"calliope_io_callback"`, "api_version", "4 : i32",
							"has_side_effect", "true",
							"backend_config", "{v = 1 : i64}",
							"output_operand_aliases", "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"),
					})
					return []mlir.Value{product, called}
				})
		},
	},
}
