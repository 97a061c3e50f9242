package mlir_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

type nesting func(*mlir.Context, mlir.Attribute) mlir.Attribute

// deepKinds are what can be nested without limit: each nests one of its kind once more.
var deepKinds = []struct {
	name    string
	written int // the library takes quadratic time to write more levels in a module
	parts   int // in a level
	nest    nesting
}{
	{"name locations", 10_000, 1, nestLocation(func(c *mlir.Context, l mlir.Location) mlir.Location {
		return c.NameLocation("n", l)
	})},
	{"callees", 1_000, 1, nestLocation(func(c *mlir.Context, l mlir.Location) mlir.Location {
		return c.CallSiteLocation(l, c.FileLocation("f", 1, 2))
	})},
	{"callers", 1_000, 1, nestLocation(func(c *mlir.Context, l mlir.Location) mlir.Location {
		return c.CallSiteLocation(c.FileLocation("f", 1, 2), l)
	})},
	{"fused locations", 1_000, 1, nestLocation(func(c *mlir.Context, l mlir.Location) mlir.Location {
		odd = !odd // the same metadata would make one location of both
		return c.FusedLocation(c.BoolAttribute(odd), l)
	})},
	{"metadata of locations", 1_000, 1, nestLocation(func(c *mlir.Context, l mlir.Location) mlir.Location {
		return c.FusedLocation(l.Attribute(), c.FileLocation("f", 1, 2))
	})},
	{"memrefs", 1_000, 1, nestType(func(c *mlir.Context, t mlir.Type) mlir.Type {
		return check.Must(c.MemRefType(t, mlir.MemRefOptions{}, 2))
	})},
	{"unranked memrefs", 1_000, 1, nestType(func(c *mlir.Context, t mlir.Type) mlir.Type {
		return check.Must(c.UnrankedMemRefType(t, mlir.Attribute{}))
	})},
	{"encodings", 1_000, 2, nestType(func(c *mlir.Context, t mlir.Type) mlir.Type {
		return check.Must(c.EncodedTensorType(c.F32Type(), c.TypeAttribute(t), 2))
	})},
	{"functions", 1_000, 1, nestType(func(c *mlir.Context, t mlir.Type) mlir.Type {
		return c.FunctionType([]mlir.Type{c.IndexType()}, []mlir.Type{t})
	})},
	{"arrays", 1_000, 1, func(c *mlir.Context, a mlir.Attribute) mlir.Attribute { return c.ArrayAttribute(a) }},
}

var odd bool

func nestLocation(nest func(*mlir.Context, mlir.Location) mlir.Location) nesting {
	return func(c *mlir.Context, a mlir.Attribute) mlir.Attribute {
		l := c.FileLocation("f", 3, 4)
		if inner, err := c.AttributeLocation(a); err == nil {
			l = inner
		}
		return nest(c, l).Attribute()
	}
}

func nestType(nest func(*mlir.Context, mlir.Type) mlir.Type) nesting {
	return func(c *mlir.Context, a mlir.Attribute) mlir.Attribute {
		t := c.F32Type()
		if inner, ok := a.TypeValue(); ok {
			t = inner
		}
		return c.TypeAttribute(nest(c, t))
	}
}

// TestDeepBuilt checks that deep IR which is built, and not parsed, is printed, written, read and
// destroyed, and that building what is too deep for that panics.
func TestDeepBuilt(t *testing.T) {
	check.NoRaces(t)
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		n := 0
		mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
			for _, kind := range deepKinds {
				for _, levels := range []int{1_000, 100_000 / kind.parts, 150_000 / kind.parts} {
					if n++; n <= start {
						continue
					}
					fmt.Printf("%s%d %s: %d %s\n", mlirtest.CaseMark, n-1, e.Name, levels, kind.name)
					refused := buildDeep(t, e, kind.nest, levels, levels <= kind.written)
					if want := levels*kind.parts > 131_072; (refused != nil) != want {
						t.Errorf("%d %s: %.200v", levels, kind.name, refused)
					}
				}
			}
		})
	})
}

func buildDeep(t *testing.T, e mlirtest.Engine, nest nesting, levels int, write bool) (refused any) {
	defer func() { refused = recover() }()
	c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	a := c.UnitAttribute()
	for range levels {
		a = nest(c, a)
	}
	if n := len(a.String()); n < levels {
		t.Errorf("%d levels are printed in %d bytes", levels, n)
	}
	if !write {
		return nil
	}
	m := c.NewModule(mlir.Location{})
	state := mlir.OperationState{Name: "t.op", Attributes: []mlir.NamedAttribute{{Name: "deep", Value: a}}}
	if l, err := c.AttributeLocation(a); err == nil {
		state.Location = l
	}
	check.Must(mlir.Create(m.Body(), state))
	data := check.Must(m.Bytecode())
	other := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer other.Close()
	read, err := other.Parse("", data)
	if err != nil {
		t.Errorf("%d levels cannot be read: %.200v", levels, err)
		return nil
	}
	if want, got := len(m.String()), len(read.String()); want != got {
		t.Errorf("%d bytes were printed after reading, want %d", got, want)
	}
	return nil
}

// TestDeepAliases checks that a module whose aliases nest deeply, line by line, is printed and closed.
func TestDeepAliases(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		const levels = 50_000
		for n, form := range []struct{ first, next, use string }{
			{"#a0 = loc(\"f\":1:2)\n", "#a%d = loc(\"n\"(#a%d))\n", "\"t.op\"() : () -> () loc(#a%d)\n"},
			{"#a0 = 1 : i8\n", "#a%d = [#a%d]\n", "\"t.op\"() {a = #a%d} : () -> ()\n"},
		} {
			if n < start {
				continue
			}
			fmt.Printf("%s%d %s\n", mlirtest.CaseMark, n, form.next)
			text := []byte(form.first)
			for i := range levels {
				text = fmt.Appendf(text, form.next, i+1, i)
			}
			text = fmt.Appendf(text, form.use, levels)
			c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
			m, err := c.Parse("", text)
			if err != nil {
				t.Fatalf("%.300v", err)
			}
			op := m.Body().First()
			if n := len(op.Location().String()) + len(m.String()); n < levels {
				t.Errorf("%d levels are printed in %d bytes", levels, n)
			}
			c.Close()
		}
	})
}
