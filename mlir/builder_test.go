package mlir_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// line returns the file and line of its caller, in the form of locations.
func line() string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.ToSlash(file), n)
}

// constant creates an arith.constant of type i32.
func constant(b *mlir.Builder, text string) mlir.Value {
	return b.Create(mlir.OperationState{Name: "arith.constant", Results: []mlir.Type{b.Type("i32")},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: b.Attribute(text)}}}).Result(0)
}

func TestBuilderPlaces(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	first := constant(b, "1 : i32").Owner()
	constant(b.At(mlir.Before(first)), "2 : i32")
	constant(b.At(mlir.After(first)), "3 : i32")
	constant(b.At(mlir.AtStart(m.Body())), "4 : i32")
	constant(b.At(b), "5 : i32")
	b.In(mlir.Before(first), func() { constant(b, "6 : i32") })
	check.NoError(t, b.Err())
	var got []string
	for op := range m.Body().Operations() {
		value, _ := op.Attribute("value")
		got = append(got, value.String())
	}
	check.Diff(t, "operations", got, strings.Split("4 : i32|2 : i32|6 : i32|1 : i32|3 : i32|5 : i32", "|"))
}

// The location is the line of the Go code, if no other is given.
func TestBuilderLocation(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	var ops []mlir.Operation
	var want []string
	poison := mlir.OperationState{Name: "ub.poison", Results: []mlir.Type{c.IndexType()}}
	for range 2 {
		ops, want = append(ops, b.Create(poison)), append(want, line())
	}
	ops, want = append(ops, b.Create(poison)), append(want, line())
	b.SetLocation(c.FileLocation("x.mlir", 7, 0))
	ops, want = append(ops, b.Create(poison)), append(want, "x.mlir:7")
	check.NoError(t, b.Err())
	for i, op := range ops {
		if got := op.Location().String(); !strings.Contains(strings.ReplaceAll(got, `"`, ""), want[i]+":0") {
			t.Errorf("the location of operation %d is %s, want %s", i, got, want[i])
		}
	}
}

func TestBuilderKeepsTheFirstError(t *testing.T) {
	c, other := mlirtest.Context(t), mlirtest.Context(t)
	foreign := constant(mlir.NewBuilder(other, mlir.Location{}), "1 : i32")
	i32 := check.Must(c.ParseType("i32"))
	cast := func(b *mlir.Builder, v mlir.Value) {
		b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast", Operands: []mlir.Value{v},
			Results: []mlir.Type{i32}})
	}
	unknown := mlir.OperationState{Name: "arith.ad"}
	for name, test := range map[string]struct {
		do   func(b *mlir.Builder) string
		want string
	}{
		"unknown operation": {func(b *mlir.Builder) string { b.Create(unknown); return line() },
			`does not know the operation "arith.ad"`},
		"unknown type": {func(b *mlir.Builder) string { b.Type("i3 2"); return line() },
			"parsing the type"},
		"unknown attribute": {func(b *mlir.Builder) string { b.Attribute("#"); return line() },
			"parsing the attribute"},
		"value of another context": {func(b *mlir.Builder) string { cast(b, foreign); return "" },
			"given a value of another context"},
		"no value": {func(b *mlir.Builder) string { cast(b, mlir.Value{}); return "" },
			"a value that is nil"},
		"place of another context": {func(b *mlir.Builder) string { b.At(other); return line() },
			"insertion point of another context"},
		"own": {func(b *mlir.Builder) string { b.Fail(errors.New("mine")); return line() }, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.NewModule(mlir.Location{})
			b := mlir.NewBuilder(m.Body(), mlir.Location{})
			at := test.do(b)
			var failed *mlir.BuildError
			if !errors.As(b.Err(), &failed) || !strings.HasPrefix(failed.Error(), at) ||
				!strings.Contains(failed.Error(), test.want) {
				t.Fatalf("the error is %v, want %q at %s", b.Err(), test.want, at)
			}
			// Nothing panics from here on.
			op := b.Create(mlir.OperationState{Name: "ub.poison", Results: []mlir.Type{i32}})
			constant(b.At(other), "1 : i32").Type()
			b.Region(func([]mlir.Value) { t.Error("Region called its function after an error") }, op.Result(1).Type(),
				b.Type("f32"))
			b.Fail(errors.New("another"))
			if b.Err() != error(failed) {
				t.Errorf("the error became %v", b.Err())
			}
			if !m.Body().First().IsNil() {
				t.Errorf("an operation was created:\n%s", m)
			}
		})
	}
}

func TestBuilderRegion(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	b := mlir.NewBuilder(m.Body(), mlir.Location{})
	i32 := b.Type("i32")
	region := b.Region(func(in []mlir.Value) {
		b.Create(mlir.OperationState{Name: "scf.yield", Operands: in})
	}, i32)
	b.Create(mlir.OperationState{Name: "scf.execute_region", Results: []mlir.Type{i32}, Regions: []mlir.Region{region}})
	constant(b, "1 : i32")
	check.NoError(t, b.Err())
	if region := b.Region(nil); b.Err() == nil || region.IsNil() {
		t.Error("a Region without a function is no error")
	}
	var names []string
	for op := range m.Body().Operations() {
		names = append(names, op.Name())
	}
	check.Diff(t, "operations", names, []string{"scf.execute_region", "arith.constant"})
}
