package builder_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestNamed gives operations names, in names, and looks for them in the locations of the module.
func TestNamed(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("f", tensor.ShapeOf(tensor.F32, 2))
	x := builder.Exp(f.Param(0))
	b.Named("layer1", func() {
		x = builder.Sin(x)
		x = builder.Named("attention", func(x builder.Value) builder.Value { return builder.Cos(x) })(x)
		x = builder.Tanh(x)
	})
	func() {
		defer func() { _ = recover() }()
		b.Named("lost", func() { panic("stop") })
	}()
	x = builder.Floor(x)
	f.Return(x)
	m := check.Must(b.Module())
	defer m.Close()
	got := map[string]string{}
	for o := range m.Body().First().Region(0).First().Operations() {
		if strings.HasPrefix(o.Name(), "stablehlo.") {
			name, rest, _ := strings.Cut(o.Location().String(), filepath.Dir(o.Location().Position().File))
			got[o.Name()] = name
			if !strings.Contains(rest, "named_test.go") {
				t.Errorf("%s has the location %s, which is no line of this file", name, o.Location())
			}
		}
	}
	check.Diff(t, "the beginnings of the locations", map[string]string{
		"stablehlo.exponential": `loc("`,
		"stablehlo.sine":        `loc("layer1"("`,
		"stablehlo.cosine":      `loc("layer1/attention"("`,
		"stablehlo.tanh":        `loc("layer1"("`,
		"stablehlo.floor":       `loc("`,
	}, got)
	text := m.Operation().Print(mlir.PrintOptions{DebugInfo: true})
	if !strings.Contains(text, `loc("layer1/attention"(`) {
		t.Errorf("the module does not show the name:\n%s", text)
	}
}

// TestNamedErrors makes mistakes in operations with names, at the place of another module too, and in calls of Named.
func TestNamedErrors(t *testing.T) {
	var place builder.Place
	for _, test := range []struct {
		name, want string
		build      func(*builder.Builder, *builder.Func)
	}{
		{"an operation", "in layer1/attention: add(f32[2], f32[3]): ", func(b *builder.Builder, f *builder.Func) {
			b.Named("layer1", func() {
				b.Named("attention", func() {
					place = b.Place()
					builder.Add(f.Param(0), f.Param(1))
				})
			})
		}},
		{"the place of another builder", "in layer1/attention: add(f32[2], f32[3]): ",
			func(b *builder.Builder, f *builder.Func) {
				b.At(place)
				builder.Add(f.Param(0), f.Param(1))
			}},
		{"after it", "add(f32[2], f32[3]): ", func(b *builder.Builder, f *builder.Func) {
			b.Named("layer1", func() {})
			builder.Add(f.Param(0), f.Param(1))
		}},
		{"no name", "named: it needs a name and a function", func(b *builder.Builder, f *builder.Func) {
			b.Named("", func() {})
		}},
		{"no function", "named(f32[2]): its Go function is nil", func(b *builder.Builder, f *builder.Func) {
			builder.Named[builder.Value, builder.Value]("layer1", nil)(f.Param(0))
		}},
		{"no name of a function", "named(f32[2]): it needs a name", func(b *builder.Builder, f *builder.Func) {
			builder.Named("", builder.Sin)(f.Param(0))
		}},
	} {
		b := newBuilder(t)
		test.build(b, b.Func("f", tensor.ShapeOf(tensor.F32, 2), tensor.ShapeOf(tensor.F32, 3)))
		check.Error(t, b.Err(), test.want)
		e, _ := errors.AsType[*builder.Error](b.Err())
		if named := strings.HasPrefix(test.want, "in "); named != (e.Names != "") {
			t.Errorf("%s: the error has the names %q", test.name, e.Names)
		}
	}
}
