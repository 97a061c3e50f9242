package mlir_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// traffic is a dialect with operations of each kind, a type and an attribute.
const traffic = `irdl.dialect @traffic {
  irdl.type @road {
    %0 = irdl.is i32
    %1 = irdl.any
    irdl.parameters(length: %1, of: %0)
  }
  irdl.attribute @sign {
    %0 = irdl.any
    irdl.parameters(text: %0)
  }
  irdl.operation @street {
    %0 = irdl.region
    irdl.regions(body: %0)
  }
  irdl.operation @wait {
    %0 = irdl.any
    irdl.operands(seconds: %0)
  }
  irdl.operation @end {}
}`

// dynamic returns a context with the dialect, or nil if the library has no dynamic traits.
func dynamic(t *testing.T, e mlirtest.Engine, o mlir.ContextOptions) *mlir.Context {
	t.Helper()
	c := e.Library.NewContext(o)
	t.Cleanup(func() { c.Close() })
	if !e.Library.Has("mlirDynamicOpTraitAttach") {
		mlirtest.Unsupported(t, c.AddTraits("traffic.end", mlir.TraitTerminator))
		mlirtest.Unsupported(t, c.AddVerifier("traffic.end", func(mlir.Operation) error { return nil }))
		return nil
	}
	if c.LoadDialect("irdl") != nil {
		check.Error(t, c.AddTraits("traffic.end", mlir.TraitTerminator), "LoadIRDL has not defined")
		return nil
	}
	m := check.Must(c.Parse("traffic.mlir", []byte(traffic)))
	check.NoError(t, c.LoadIRDL(m))
	check.NoError(t, m.Close())
	return c
}

func TestTraits(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := dynamic(t, e, mlir.ContextOptions{})
		if c == nil {
			return
		}
		parse := func(text string) error {
			m, err := c.Parse("", []byte(text))
			if err == nil {
				err = m.Verify()
				m.Close()
			}
			return err
		}
		const inner = `func.func @f(%a: i32) {
  "traffic.street"() ({
    "traffic.wait"(%a) : (i32) -> ()
    "traffic.end"() : () -> ()
  }) : () -> ()
  return
}`
		check.Error(t, parse(inner), "block with no terminator")
		check.NoError(t, c.AddTraits("traffic.end", mlir.TraitTerminator))
		check.NoError(t, parse(inner))
		if err := c.AddTraits("traffic.street", mlir.TraitIsolatedFromAbove); errors.Is(err, mlir.ErrUnsupported) {
			return // LLVM 23
		} else if err != nil {
			t.Fatal(err)
		}
		check.Error(t, parse(inner), "using value defined outside the region")
		check.Error(t,
			parse(`"traffic.street"() ({ "traffic.end"() : () -> () "traffic.end"() : () -> () }) : () -> ()`), "must be the last operation")
		const open = `"traffic.street"() ({ "traffic.street"() ({}) : () -> () }) : () -> ()`
		check.Error(t, parse(open), "block with no terminator")
		check.NoError(t, c.AddTraits("traffic.street", mlir.TraitNoTerminator))
		check.NoError(t, parse(open))
		check.Error(t, c.AddTraits("traffic.street", mlir.TraitNoTerminator), `has the trait "no terminator" already`)
		check.Error(t, c.AddTraits("traffic.street", 9), "no trait with the number 9")
		for _, name := range []string{"traffic.none", "arith.addi", "transform.sequence", "traffic", ""} {
			check.Error(t, c.AddTraits(name, mlir.TraitTerminator), "LoadIRDL has not defined the operation "+name)
		}
	})
}

// TestVerifiers verifies operations in Go while modules are parsed, verified and changed by passes.
func TestVerifiers(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, threads := range []bool{false, true} {
			c := dynamic(t, e, mlir.ContextOptions{Threads: threads})
			if c == nil {
				return
			}
			var calls atomic.Int32
			var kept mlir.Operation
			check.NoError(t, c.AddVerifier("traffic.wait", func(o mlir.Operation) error {
				calls.Add(1)
				kept = o
				switch o.Operand(0).Type().String() {
				case "i32":
					return nil
				case "f32":
					panic("help")
				case "f64":
					o.SetDiscardable("a.b", c.UnitAttribute())
				}
				return fmt.Errorf("waits for %s in %s", o.Operand(0).Type(), o.Block().Parent().Name())
			}))
			module := func(types ...string) string {
				var b strings.Builder
				for i, typ := range types {
					fmt.Fprintf(&b, "func.func @f%d(%%a: %s) {\n  \"traffic.wait\"(%%a) : (%[2]s) -> ()\n  return\n}\n", i, typ)
				}
				return b.String()
			}
			m := check.Must(c.Parse("", []byte(module("i32", "i32", "i32"))))
			if calls.Load() != 3 {
				t.Errorf("parsing called the verifier %d times", calls.Load())
			}
			check.Panics(t, "after the end", func() { kept.Name() })
			check.NoError(t, m.Verify())
			if calls.Load() != 6 {
				t.Errorf("parsing and verifying called the verifier %d times", calls.Load())
			}
			_, err := c.Parse("wait.mlir", []byte(module("i32", "i64")))
			check.Error(t, err, "wait.mlir:6:3: error: waits for i64 in func.func")
			_, err = c.Parse("", []byte(module("f32")))
			check.Error(t, err, "panic: help")
			_, err = c.Parse("", []byte(module("f64")))
			check.Error(t, err, "a function of Context.AddVerifier changes operations")
			m = check.Must(c.Parse("", []byte(`func.func @f(%a: i32, %b: index) {
  "traffic.wait"(%a) : (i32) -> ()
  return
}`)))
			wait := mlirtest.Find(m, "traffic.wait")[0]
			wait.SetOperand(0, wait.Block().Argument(1))
			check.Error(t, m.Verify(), "waits for index in func.func")
			pm := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(canonicalize)"})
			if err := pm.Run(m); err == nil {
				t.Error("a pass accepted an operation that the verifier refuses")
			}
			check.Error(t, c.AddVerifier("traffic.wait", nil), "needs a function")
		}
	})
}

func TestDynamicTypes(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := dynamic(t, e, mlir.ContextOptions{})
		if c == nil {
			return
		}
		i32 := c.TypeAttribute(c.IntegerType(32, mlir.Signless))
		road, err := c.DynamicType("traffic.road", c.StringAttribute("a \"long\" <way>"), i32)
		check.NoError(t, err)
		name, params, ok := road.Dynamic()
		if !ok || name != "traffic.road" || len(params) != 2 || params[1] != i32 {
			t.Errorf("%v has the parts %q, %v, %v", road, name, params, ok)
		}
		sign, err := c.DynamicAttribute("traffic.sign", c.UnitAttribute())
		check.NoError(t, err)
		name, params, ok = sign.Dynamic()
		if !ok || name != "traffic.sign" || len(params) != 1 || params[0] != c.UnitAttribute() {
			t.Errorf("%v has the parts %q, %v, %v", sign, name, params, ok)
		}
		if _, _, ok := c.IndexType().Dynamic(); ok {
			t.Error("index is dynamic")
		}
		if _, _, ok := i32.Dynamic(); ok {
			t.Error("i32 is dynamic")
		}
		for _, wrong := range [][]mlir.Attribute{nil, {i32}, {i32, i32, i32}, {i32, c.UnitAttribute()}} {
			if typ, err := c.DynamicType("traffic.road", wrong...); err == nil {
				t.Errorf("%v was made", typ)
			}
		}
		for _, name := range []string{"traffic.none", "traffic.sign", "traffic.", "traffic", "llvm.ptr",
			"traffic.road<1>"} {
			if typ, err := c.DynamicType(name); err == nil {
				t.Errorf("%s was made: %v", name, typ)
			}
		}
	})
}
