package mlir_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestGoexit checks that a context can be closed after Go code that the library called has ended its
// goroutine, and that it says so when it is used.
func TestGoexit(t *testing.T) {
	const text = `func.func @f(%a: i32) -> i32 { %0 = arith.addi %a, %a : i32 func.return %0 : i32 }`
	runs := map[string]func(c *mlir.Context, m *mlir.Module) error{
		"pattern": func(c *mlir.Context, m *mlir.Module) error {
			p := check.Must(c.NewPatterns(mlir.Pattern{Name: "p", Op: "arith.addi",
				Rewrite: func(mlir.Operation, *mlir.Rewriter) (bool, error) { runtime.Goexit(); return false, nil }}))
			return p.Apply(m, mlir.GreedyOptions{})
		},
		"modification": func(c *mlir.Context, m *mlir.Module) error {
			p := check.Must(c.NewPatterns(mlir.Pattern{Name: "p", Op: "arith.addi",
				Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
					return true, r.ModifyInPlace(op, func() error { runtime.Goexit(); return nil })
				}}))
			return p.Apply(m, mlir.GreedyOptions{})
		},
		"walk": func(c *mlir.Context, m *mlir.Module) error {
			p := check.Must(c.NewPatterns(mlir.Pattern{Name: "p", Op: "arith.addi",
				Rewrite: func(mlir.Operation, *mlir.Rewriter) (bool, error) { runtime.Goexit(); return false, nil }}))
			return p.Walk(m)
		},
		"pass": func(c *mlir.Context, m *mlir.Module) error {
			p := check.Must(c.NewPassManager(mlir.PassManagerOptions{}))
			check.Must(0,
				p.AddPass(mlir.Pass{Name: "p", Run: func(mlir.Operation) error { runtime.Goexit(); return nil }}))
			return p.Run(m)
		},
		"conversion": func(c *mlir.Context, m *mlir.Module) error {
			target := mlir.ConversionTarget{Illegal: []string{"arith"}}
			v, err := c.NewConversion(target, mlir.ConversionPattern{Name: "p", Op: "arith.addi",
				Convert: func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
					runtime.Goexit()
					return false, nil
				}})
			if err != nil {
				return err
			}
			return v.Apply(m, mlir.ConversionOptions{})
		},
	}
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		n := 0
		for _, name := range []string{"pattern", "modification", "walk", "pass", "conversion"} {
			if n++; n <= start {
				continue
			}
			fmt.Printf("%s%d %s\n", mlirtest.CaseMark, n-1, name)
			c := mlirtest.Library(t).NewContext(mlir.ContextOptions{})
			m := check.Must(c.Parse("", []byte(text)))
			op := check.Must(c.Parse("", []byte(text))).Body().First() // the run ends handles into m
			returned := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer c.Close()
				_ = runs[name](c, m)
				returned = true
			}()
			<-done
			if returned {
				t.Errorf("%s: the run returned", name)
			}
			for what, use := range map[string]func(){
				"the context":  func() { c.UnknownLocation() },
				"the module":   func() { _ = m.String() },
				"an operation": func() { op.Name() },
			} {
				func() {
					defer func() {
						if v := fmt.Sprint(recover()); !strings.Contains(v, "ended its goroutine") {
							t.Errorf("%s: %s: %s", name, what, v)
						}
					}()
					use()
				}()
			}
		}
	})
}
