package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestReplaceUsesIf(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `%a = "t.make"() : () -> i32
%b = "t.other"() : () -> i32
"t.use"(%a, %b, %a) : (i32, i32, i32) -> ()
"t.more"(%a) : (i32) -> ()`)
		a, b := op(m, "t.make").Result(0), op(m, "t.other").Result(0)
		seen := 0
		a.ReplaceUsesIf(b, func(use mlir.Use) bool {
			seen++
			return use.Owner.Name() == "t.more" || use.Operand == 2
		})
		check.Diff(t, "uses", 3, seen)
		check.Diff(t, "module", `module {
  %0 = "t.make"() : () -> i32
  %1 = "t.other"() : () -> i32
  "t.use"(%0, %1, %1) : (i32, i32, i32) -> ()
  "t.more"(%1) : (i32) -> ()
}
`, m.String())
		b.ReplaceUsesIf(b, func(mlir.Use) bool { return true })
	})
}
