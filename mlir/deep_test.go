package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

const (
	manyBrackets = 100_000
	manyRegions  = 3_000
)

func brackets(open, inner, close string, levels int) string {
	return strings.Repeat(open, levels) + inner + strings.Repeat(close, levels)
}

// TestDeepText checks that deep nesting does not end the process, also outside of
// OnLargeStack.
func TestDeepText(t *testing.T) {
	check.NoRaces(t)
	for name, use := range map[string]func(t *testing.T, c *mlir.Context) (int, error){
		"a type": func(t *testing.T, c *mlir.Context) (int, error) {
			typ, err := c.ParseType(brackets("tuple<", "i32", ">", manyBrackets))
			if err != nil {
				return 0, err
			}
			return strings.Count(typ.String(), "tuple"), nil
		},
		"an attribute": func(t *testing.T, c *mlir.Context) (int, error) {
			a, err := c.ParseAttribute(brackets("[", "1", "]", manyBrackets))
			if err != nil {
				return 0, err
			}
			return strings.Count(a.String(), "["), nil
		},
		"a string of brackets": func(t *testing.T, c *mlir.Context) (int, error) {
			a, err := c.ParseAttribute(brackets(`["]", `, "1", "]", manyBrackets))
			if err != nil {
				return 0, err
			}
			return strings.Count(a.String(), `"]"`), nil
		},
		"an affine map": func(t *testing.T, c *mlir.Context) (int, error) {
			m, err := affine.ParseMap(c, "(d0) -> ("+brackets("(", "d0", ")", manyBrackets)+")")
			if err != nil {
				return 0, err
			}
			check.Diff(t, "the map", "(d0) -> (d0)", m.String())
			return manyBrackets, nil
		},
		"a pipeline": func(t *testing.T, c *mlir.Context) (int, error) {
			p, err := c.NewPassManager(mlir.PassManagerOptions{Op: "any"})
			if err != nil {
				return 0, err
			}
			defer p.Close()
			if err := p.Add(brackets("any(", "cse", ")", manyRegions)); err != nil {
				return 0, err
			}
			return strings.Count(p.String(), "any(") - 1 + manyBrackets - manyRegions, nil
		},
		"an attribute that is built": func(t *testing.T, c *mlir.Context) (int, error) {
			a := c.UnitAttribute()
			for range manyBrackets / 2 {
				a = c.ArrayAttribute(a)
				a = c.DictionaryAttribute(mlir.NamedAttribute{Name: "x", Value: a})
			}
			text := a.String()
			return strings.Count(text, "[") + strings.Count(text, "{"), nil
		},
		"a type that is built": func(t *testing.T, c *mlir.Context) (int, error) {
			typ := c.IndexType()
			for range manyBrackets {
				typ = c.TupleType(typ)
			}
			return strings.Count(typ.String(), "tuple"), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
				c := mlirtest.ContextOf(t, e.Library)
				n, err := use(t, c)
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				check.Diff(t, "levels", manyBrackets, n)
			})
		})
	}
}

// TestDeepRegions checks that deeply nested modules can be parsed, verified, printed,
// written, read, copied and closed.
func TestDeepRegions(t *testing.T) {
	check.NoRaces(t)
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for name, make := range map[string]func(c *mlir.Context) (*mlir.Module, error){
			"parsed": func(c *mlir.Context) (*mlir.Module, error) {
				return c.Parse("", []byte(brackets("\"t.op\"() ({\n", "", "}) : () -> ()\n", manyRegions)))
			},
			"built from without": func(c *mlir.Context) (*mlir.Module, error) {
				m := c.NewModule(mlir.Location{})
				block := m.Body()
				for range manyRegions {
					op, err := mlir.Create(block,
						mlir.OperationState{Name: "t.op", Regions: []mlir.Region{c.NewRegion()}})
					if err != nil {
						return nil, err
					}
					block = c.NewBlock(mlir.Location{})
					op.Region(0).Append(block)
				}
				return m, nil
			},
			"built from within": func(c *mlir.Context) (*mlir.Module, error) {
				inner, err := mlir.Create(c, mlir.OperationState{Name: "t.op"})
				for range manyRegions {
					if err != nil {
						return nil, err
					}
					region, block := c.NewRegion(), c.NewBlock(mlir.Location{})
					block.Append(inner)
					region.Append(block)
					inner, err = mlir.Create(c, mlir.OperationState{Name: "t.op", Regions: []mlir.Region{region}})
				}
				m := c.NewModule(mlir.Location{})
				m.Body().Append(inner)
				return m, err
			},
		} {
			t.Run(fmt.Sprint(name), func(t *testing.T) {
				c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
				defer c.Close()
				m, err := make(c)
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				if err := m.Verify(); err != nil {
					t.Fatalf("%.300v", err)
				}
				data, err := m.Bytecode()
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				other := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
				defer other.Close()
				read, err := other.Parse("", data)
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				n := 0
				for op := range read.Operation().All() {
					if op.Name() == "t.op" {
						n++
					}
				}
				if n < manyRegions {
					t.Errorf("%d operations were read, want %d", n, manyRegions)
				}
				m.Clone().Close()
				m.Close()
			})
		}
	})
}
