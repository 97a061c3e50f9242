package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestHandleDiagnostics(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		var got []string
		note := func(who string) func(d mlir.Diagnostic, at mlir.Location) bool {
			return func(d mlir.Diagnostic, at mlir.Location) bool {
				got = append(got, who+" "+d.String()+" "+at.String())
				return who == d.Message
			}
		}
		defer c.OnDiagnostic(func(d mlir.Diagnostic) { got = append(got, "on "+d.Message) })()
		defer c.HandleDiagnostics(note("first"))()
		stop := c.HandleDiagnostics(note("second"))
		at := c.NameLocation("here", c.FileLocation("a.go", 1, 2))
		c.EmitWarning(at, "first")
		c.EmitRemark(at, "second")
		c.EmitError(at, "none")
		stop()
		m := mlirtest.Parse(t, c, `module { "t.x"() : () -> () }`)
		op(m, "t.x").EmitWarning("x")
		op(m, "t.x").EmitRemark("y")
		const place = ` loc("here"("a.go":1:2))`
		const x = ` loc("test.mlir":1:10)`
		check.Diff(t, "calls", []string{
			"second a.go:1:2: warning: first" + place, "first a.go:1:2: warning: first" + place,
			"second a.go:1:2: remark: second" + place,
			"second a.go:1:2: error: none" + place, "first a.go:1:2: error: none" + place, "on none",
			"first test.mlir:1:10: warning: x" + x, "on x", "first test.mlir:1:10: remark: y" + x, "on y",
		}, got)
		got = nil
		_, err := c.ParseType("tensor<")
		check.Error(t, err, "mlir: ")
		_, err = c.Parse("a.mlir", []byte("module {\n  func.func @f() { return %x : i32 }\n}"))
		check.Error(t, err, "a.mlir:2:27: error: ")
		check.Diff(t, "calls in parsers", []string{
			`first tensor<:1:7: error: expected non-function type loc("tensor<":1:7)`, "on expected non-function type",
			`first a.mlir:2:27: error: use of undeclared SSA value name loc("a.mlir":2:27)`,
			"on use of undeclared SSA value name",
		}, got)
	})
}
