package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestVerifierKeepsHandles uses handles after a verification that called Go, in which nothing
// is freed.
func TestVerifierKeepsHandles(t *testing.T) {
	const text = `func.func @f(%a: i32) {
  "traffic.wait"(%a) : (i32) -> ()
  return
}`
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, threads := range []bool{false, true} {
			for modules := 1; modules <= 2; modules++ {
				c := dynamic(t, e, mlir.ContextOptions{Threads: threads})
				if c == nil {
					return
				}
				verified := 0
				check.NoError(t, c.AddVerifier("traffic.wait", func(o mlir.Operation) error {
					verified++
					o.Operand(0).Type()
					_ = o.String()
					return nil
				}))
				m := check.Must(c.Parse("", []byte(text)))
				if modules == 2 {
					check.Must(c.Parse("", []byte(text)))
				}
				verified = 0
				verifies := func(what string, f func()) {
					t.Helper()
					before := verified
					f()
					if verified == before {
						t.Errorf("%s called no verifier", what)
					}
				}

				wait := mlirtest.Find(m, "traffic.wait")[0]
				arg := wait.Operand(0)
				detached := check.Must(mlir.Create(c,
					mlir.OperationState{Name: "traffic.wait", Operands: []mlir.Value{arg}}))
				verifies("Module.Verify", func() { check.NoError(t, m.Verify()) })
				verifies("Operation.Verify", func() { check.NoError(t, wait.Verify()) })
				verifies("Operation.Verify", func() { check.NoError(t, detached.Verify()) })
				verifies("Operation.String", func() { _ = wait.String() })
				if wait.Name() != "traffic.wait" || wait.Operand(0) != arg || detached.Operand(0) != arg {
					t.Errorf("after the verification, %v and %v use other values than %v", wait, detached, arg)
				}
				detached.Erase()

				before := verified
				pm := passManager(t, c, mlir.PassManagerOptions{})
				check.NoError(t, pm.AddPass(mlir.Pass{Name: "asks", Op: "func.func", Run: func(f mlir.Operation) error {
					first := f.Region(0).First()
					err := f.Verify()
					_ = f.String()
					check.NoError(t, check.Must(c.Parse("", []byte(text))).Close())
					first.Argument(0).Type()
					return err
				}}))
				check.NoError(t, pm.Run(m))
				check.NoError(t, patterns(t, c, mlir.Pattern{Name: "asks", Op: "traffic.wait",
					Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
						arg := o.Operand(0)
						if _, ok := o.Discardable("a.b"); ok {
							return false, nil
						}
						err := r.ModifyInPlace(o,
							func() error { o.SetDiscardable("a.b", c.UnitAttribute()); return o.Verify() })
						arg.Type()
						return true, err
					}}).Apply(m, mlir.GreedyOptions{}))
				if verified < before+4 {
					t.Errorf("passes and patterns called the verifier %d times", verified-before)
				}
				if c.Library().Has("mlirOpConversionPatternCreate") {
					v := conversion(t, c, mlir.ConversionTarget{Legal: []string{"builtin", "func", "traffic"}})
					check.NoError(t, v.Apply(m, mlir.ConversionOptions{}))
					check.NoError(t, m.Verify())
				}
				check.Panics(t, "after PassManager.Run", func() { wait.Name() })
			}
		}
	})
}
