package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestDefinedHints misspells names of a dialect of LoadIRDL, and uses an operation in a form that it does not have.
func TestDefinedHints(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := dynamic(t, e, mlir.ContextOptions{})
		if c == nil {
			return
		}
		for text, want := range map[string]string{
			`"traffic.ent"() : () -> ()`:                            `; is it "traffic.end"?`,
			`traffic.ent`:                                           `; is it "traffic.end"?`,
			`func.func private @f(!traffic.raod<1, i32>)`:           `; is it "traffic.road"?`,
			`module attributes {a.b = #traffic.sing<"stop">} {}`:    `; is it "traffic.sign"?`,
			"module {\n  // traffic.end\n  traffic.end\n}":          `:3:3: error: operations that LoadIRDL defines`,
			"module {\n  traffic.end \"here\"\n}":                   `:2:3: error: operations that LoadIRDL defines`,
			`func.func @f(%a: i32) { traffic.wait %a : i32 return}`: `write "traffic.wait"(…) : (…) -> (…)`,
		} {
			_, err := c.Parse("", []byte(text))
			check.Error(t, err, want)
		}
		_, err := mlir.Create(c, mlir.OperationState{Name: "traffic.ent"})
		check.Error(t, err, `does not know the operation "traffic.ent" (is it "traffic.end"?)`)
		_, err = c.DynamicType("traffic.raod")
		check.Error(t, err, `has not defined the type traffic.raod in this context (is it "traffic.road"?)`)
		_, err = c.DynamicAttribute("traffic.sing")
		check.Error(t, err, `(is it "traffic.sign"?)`)
		check.Error(t, c.AddTraits("traffic.ent", mlir.TraitPure), `(is it "traffic.end"?)`)
	})
}

// TestPure lets passes merge, remove and move operations that are pure.
func TestPure(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirDynamicOpTraitAttach") {
			mlirtest.Unsupported(t, mlirtest.ContextOf(t, e.Library).AddTraits("a.b", mlir.TraitPure))
			return
		}
		for _, pure := range []bool{false, true} {
			c := mlirtest.ContextOf(t, e.Library)
			if c.LoadDialect("irdl") != nil {
				return // dynamic has the error
			}
			m := mlirtest.Parse(t, c, `irdl.dialect @units {
  irdl.operation @double { %0 = irdl.any irdl.operands(x: %0) irdl.results(y: %0) }
}`)
			check.NoError(t, c.LoadIRDL(m))
			if pure {
				check.NoError(t, c.AddTraits("units.double", mlir.TraitPure))
				check.Error(t, c.AddTraits("units.double", mlir.TraitPure), `has the trait "pure" or other memory effects already`)
			}
			m = mlirtest.Parse(t, c, `func.func private @use(i32, i32)
func.func @f(%a: i32, %n: index, %one: index) {
  %unused = "units.double"(%a) : (i32) -> i32
  scf.for %i = %one to %n step %one {
    %x = "units.double"(%a) : (i32) -> i32
    %y = "units.double"(%a) : (i32) -> i32
    func.call @use(%x, %y) : (i32, i32) -> ()
  }
  return
}`)
			pm := passManager(t, c, mlir.PassManagerOptions{
				Pipeline: "builtin.module(func.func(canonicalize,loop-invariant-code-motion,cse))"})
			check.NoError(t, pm.Run(m))
			inLoop := 0
			found := mlirtest.Find(m, "units.double")
			for _, o := range found {
				if o.Parent().Name() == "scf.for" {
					inLoop++
				}
			}
			want := [2]int{3, 2}
			if pure {
				want = [2]int{1, 0}
			}
			check.Diff(t, "operations, and those in the loop", want, [2]int{len(found), inLoop})
		}
	})
}
