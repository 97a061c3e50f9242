package define_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/define"
)

// complexDialect has types, attributes and operations of every kind.
func complexDialect(c *mlir.Context) define.Dialect {
	f32, f64 := c.F32Type(), check.Must(c.FloatType(mlir.F64))
	float := define.OneOf(define.Is(f32), define.Is(f64))
	same := define.Instance("cmath.complex", float)
	return define.Dialect{
		Name:       "cmath",
		Types:      []define.Parametric{{Name: "complex", Params: []define.Part{{Name: "elem", Is: float}}}},
		Attributes: []define.Parametric{{Name: "mode", Params: []define.Part{{Name: "text"}}}},
		Operations: []define.Operation{
			{Name: "mul", Operands: []define.Part{{Name: "lhs", Is: same}, {Name: "rhs", Is: same}},
				Results: []define.Part{{Name: "res", Is: same}}},
			{Name: "norm", Operands: []define.Part{{Name: "in", Is: same}},
				Results: []define.Part{{Name: "res", Is: float}},
				Attributes: []define.Part{
					{Name: "mode", Is: define.Instance("cmath.mode", define.Is(c.StringAttribute("fast")))}}},
			{Name: "sum", Operands: []define.Part{{Name: "in", Is: same, Number: define.Variadic}},
				Results: []define.Part{{Name: "res", Number: define.Optional}}},
			{Name: "with_body", Regions: []define.Region{{Name: "body", Blocks: 1}}},
		},
	}
}

func TestDefineDialect(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		err := complexDialect(c).Load(c)
		if !e.Library.Has("mlirLoadIRDLDialects") || c.LoadDialect("irdl") != nil {
			if err == nil {
				t.Error("a library without IRDL has defined a dialect")
			}
			return
		}
		check.NoError(t, err)
		check.Error(t, complexDialect(c).Load(c), `the dialect "cmath" already exists`)
		complex32 := check.Must(c.DynamicType("cmath.complex", c.TypeAttribute(c.F32Type())))
		check.Diff(t, "the type", "!cmath.complex<f32>", complex32.String())
		if _, err := c.DynamicType("cmath.complex", c.TypeAttribute(c.IndexType())); err == nil {
			t.Error("a complex number of index was made")
		}
		for _, test := range []struct{ text, want string }{
			{`%0 = "cmath.mul"(%a, %a) : (!cmath.complex<f32>, !cmath.complex<f32>) -> !cmath.complex<f32>`, ""},
			{`%0 = "cmath.mul"(%a, %b) : (!cmath.complex<f32>, !cmath.complex<f64>) -> !cmath.complex<f32>`, "expected"},
			{`%0 = "cmath.mul"(%a) : (!cmath.complex<f32>) -> !cmath.complex<f32>`, "expects"},
			{`%0 = "cmath.norm"(%a) {mode = #cmath.mode<"fast">} : (!cmath.complex<f32>) -> f32`, ""},
			{`%0 = "cmath.norm"(%a) {mode = #cmath.mode<"slow">} : (!cmath.complex<f32>) -> f32`, "expected"},
			{`%0 = "cmath.norm"(%a) {mode = #cmath.mode<"fast">} : (!cmath.complex<f32>) -> f64`, "expected"},
			{`%0 = "cmath.norm"(%a) : (!cmath.complex<f32>) -> f32`, "attribute"},
			{`"cmath.sum"(%a, %a, %a) : (!cmath.complex<f32>, !cmath.complex<f32>, !cmath.complex<f32>) -> ()`, ""},
			{`%0 = "cmath.sum"() : () -> index`, ""},
			{`"cmath.with_body"() ({ ^b: "cmath.sum"() : () -> () }) : () -> ()`, "terminator"},
			{`"cmath.with_body"() : () -> ()`, "region"},
		} {
			_, err := c.Parse("", []byte("func.func @f(%a: !cmath.complex<f32>, %b: !cmath.complex<f64>) {\n  "+
				test.text+"\n  return\n}"))
			if test.want == "" {
				check.NoError(t, err)
			} else {
				check.Error(t, err, test.want)
			}
		}
	})
}

// TestDefineTraits defines operations with traits and a verifier in Go.
func TestDefineTraits(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		err := define.Dialect{Name: "flow1", Operations: []define.Operation{
			{Name: "block", Regions: []define.Region{{Name: "body"}},
				Traits: []mlir.Trait{mlir.TraitIsolatedFromAbove}},
			{Name: "stop", Traits: []mlir.Trait{mlir.TraitTerminator}, Verify: func(o mlir.Operation) error {
				if _, ok := o.Attribute("why"); !ok {
					return fmt.Errorf("stops without a reason")
				}
				return nil
			}},
		}}.Load(c)
		if !e.Library.Has("mlirDynamicOpTraitIsIsolatedFromAboveCreate") { // LLVM 23 and before
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("without traits: %v", err)
			}
			return
		}
		if c.LoadDialect("irdl") != nil {
			return // TestDefineDialect has the error
		}
		check.NoError(t, err)
		_, err = c.Parse("", []byte(`"flow1.block"() ({ "flow1.stop"() {why = "done"} : () -> () }) : () -> ()`))
		check.NoError(t, err)
		_, err = c.Parse("stop.mlir", []byte(`"flow1.block"() ({ "flow1.stop"() : () -> () }) : () -> ()`))
		check.Error(t, err, "stop.mlir:1:20: error: stops without a reason")
	})
}

func TestDefineRefused(t *testing.T) {
	c := mlirtest.Context(t)
	part := define.Part{Name: "x"}
	loop := define.OneOf(nil)
	*loop = *define.OneOf(loop)
	deep, wide := define.Anything(), define.Is(c.F32Type())
	for range 1000 {
		deep, wide = define.OneOf(deep), define.OneOf(wide, wide)
	}
	op := func(o define.Operation) define.Dialect {
		if o.Name == "" {
			o.Name = "op"
		}
		return define.Dialect{Name: "wrong", Operations: []define.Operation{o}}
	}
	f32, index := define.Is(c.F32Type()), define.Is(c.IndexType())
	// vector has a type and an attribute with parameters, and an operation whose result meets a constraint.
	vector := func(is *define.Constraint) define.Dialect {
		d := op(define.Operation{Results: []define.Part{{Name: "x", Is: is}}})
		d.Types = []define.Parametric{{Name: "vector",
			Params: []define.Part{{Name: "elem", Is: f32}, {Name: "size", Is: define.Instance("wrong.size")}}}}
		d.Attributes = []define.Parametric{{Name: "size"}}
		return d
	}
	for _, test := range []struct {
		definition define.Dialect
		want       string
	}{
		{define.Dialect{}, "the name must match"},
		{define.Dialect{Name: "a.b"}, "the name must match"},
		{define.Dialect{Name: "arith"}, `the dialect "arith" already exists`},
		{define.Dialect{Name: "wrong", Types: []define.Parametric{{Name: "t"}, {Name: "t"}}}, "t is defined twice"},
		{define.Dialect{Name: "wrong", Types: []define.Parametric{
			{Name: "t", Params: []define.Part{{Name: "x", Number: define.Variadic}}}}}, "can only be single"},
		{op(define.Operation{Name: "a b"}), `the name "a b" must match`},
		{op(define.Operation{Operands: []define.Part{part, part}}), "be there once"},
		{op(define.Operation{Results: []define.Part{{}}}), `the name "" of a part`},
		{op(define.Operation{Results: []define.Part{{Name: "x", Number: 3}}}), "has no such Number"},
		{op(define.Operation{Attributes: []define.Part{{Name: "x", Number: define.Optional}}}), "can only be single"},
		{op(define.Operation{Regions: []define.Region{{Name: "x", Blocks: -1}}}), "negative number"},
		{op(define.Operation{Traits: []mlir.Trait{9}}), "Trait(9) of op is unknown"},
		{op(define.Operation{Traits: []mlir.Trait{mlir.TraitTerminator, mlir.TraitTerminator}}), "there twice"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: define.OneOf()}}}), "need constraints"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: loop}}}), "contains itself"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: deep}}}), "nested more than 1000 deep"},
		{op(define.Operation{Attributes: []define.Part{{Name: "x", Is: wide}}}), "consists of more than 65536"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: define.Is(mlir.Type{})}}}),
			"expected attribute value"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: define.Instance("t")}}}), "must be DIALECT.NAME"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: define.Instance("other.t")}}}),
			"of another dialect"},
		{op(define.Operation{Operands: []define.Part{{Name: "x", Is: define.Instance("wrong.t")}}}),
			`the name "wrong.t", which the dialect does not define`},
		{vector(define.Instance("wrong.vectr", f32)), `the dialect does not define (is it "vector"?)`},
		{vector(define.Instance("wrong.vector")), "Instance of wrong.vector has 0 parameters, but vector has 2"},
		{vector(define.Instance("wrong.vector", index, nil)), "a constraint for the parameter elem that excludes"},
		{vector(define.Instance("wrong.vector", define.OneOf(index, define.Instance("wrong.size")), nil)),
			"a constraint for the parameter elem that excludes"},
		{vector(define.Instance("wrong.vector", f32, define.Instance("wrong.vector", f32, nil))),
			"a constraint for the parameter size that excludes"},
		{vector(define.AllOf(f32, define.OneOf(index))), "AllOf has constraints that exclude each other"},
		{vector(define.Is(c.UnitAttribute())), "the part x of op is a value, but only attributes meet its constraint"},
		{vector(define.OneOf(define.Instance("wrong.size"), define.Is(c.UnitAttribute()))), "but only attributes meet"},
	} {
		check.Error(t, test.definition.Load(c), test.want)
	}
	if c.Registered("wrong.op") {
		t.Error("a refused dialect is there")
	}
	right := define.Instance("wrong.vector", define.OneOf(f32, index), define.AllOf(define.Instance("wrong.size")))
	check.NoError(t, vector(define.AllOf(right, define.OneOf(index, right))).Load(c))
}

// TestHostileIRDL loads definitions that contradict themselves, and uses others wrongly. Each is an error.
func TestHostileIRDL(t *testing.T) {
	const two = `irdl.operation @o { %0 = irdl.any
  irdl.operands(x: variadic %0, y: variadic %0) irdl.results(a: variadic %0, b: optional %0) }`
	segments := func(operands, results string) string {
		return `func.func @f(%a: index) {
  %r:2 = "d.o"(%a, %a) {operandSegmentSizes = ` + operands + `, resultSegmentSizes = ` + results + `} : (index, index) -> (index, index)
  return
}`
	}
	for _, test := range []struct{ body, use, want string }{
		{"irdl.operation @o { %0 = irdl.any_of(%1) %1 = irdl.any_of(%0) irdl.operands(x: %0) }", "",
			"does not dominate"},
		{"irdl.operation @o { %0 = irdl.base \"!no.such\" irdl.operands(x: %0) }", "", "no registered type"},
		{"irdl.operation @o { %0 = irdl.parametric @d::@o<> irdl.operands(x: %0) }", "", "does not refer to a type"},
		{"irdl.operation @o { %0 = irdl.region irdl.operands(x: %0) }", "", "expects different type"},
		{"irdl.operation @o { %0 = irdl.region with size -1 irdl.regions(x: %0) }", "", "expected to be >= 1"},
		{"irdl.operation @o { } irdl.operation @o { }", "", "redefinition"},
		{"irdl.type @t { %0 = irdl.any %1 = irdl.parametric @d::@t<%0> irdl.parameters(x: %1) }",
			"func.func private @f(!d.t<index>)", "expected base type"},
		{"irdl.type @t { %0 = irdl.base @d::@t irdl.parameters(x: %0) }",
			"func.func private @f(!d.t<!d.t<index>>)", "expected base type"},
		{two, segments("array<i32: -1, 3>", "array<i32: 1, 1>"), "non-negative"},
		{two, segments("array<i32: 2147483647, 2147483647>", "array<i32: 1, 1>"), "sum of elements"},
		{two, segments("array<i32: 1>", "array<i32: 1, 1>"), "must have 2 elements"},
		{two, segments("dense<1> : vector<2xi32>", "array<i32: 1, 1>"), "dense i32 array"},
		{two, segments("array<i32: 1, 1>", "array<i32: -2147483648, 2>"), "non-negative"},
		{two, segments("array<i32: 1, 1>", "unit"), "dense i32 array"},
	} {
		c := mlirtest.Context(t)
		m, err := c.Parse("", []byte("irdl.dialect @d { "+test.body+" }"))
		if err == nil {
			if err = c.LoadIRDL(m); err == nil {
				_, err = c.Parse("", []byte(test.use))
			}
			check.NoError(t, m.Close())
		}
		check.Error(t, err, test.want)
	}
}
