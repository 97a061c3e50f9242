package mlirtest

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Reader reads an operation as the struct that creates it.
type Reader func(mlir.Operation) (any, bool)

// Readers returns the readers of the operations of samples, by name. If the library lacks a
// sample's operation or dialect, there is none.
func Readers(c *mlir.Context, samples []Sample) map[string]Reader {
	readers := map[string]Reader{}
	for _, s := range samples {
		if readers[s.Name] != nil || !s.supported(c) || !c.Registered(s.Name) {
			continue
		}
		if m, _, made, err := s.Module(c); err == nil {
			readers[s.Name] = made.read
			m.Close()
		}
	}
	return readers
}

// defaults matches attributes that the structs leave out.
var defaults = regexp.MustCompile(`, [a-z_]+ = false|[a-z_]+ = false, | <\{[a-z_]+ = false\}>`)

// Rebuild replaces each operation of a module that has a reader by one created from its
// struct, and checks that the text of the module stays the same, except for attributes that
// are false, which is the default. It returns how many it replaced.
func Rebuild(t testing.TB, m *mlir.Module, readers map[string]Reader) int {
	t.Helper()
	generic := func() string {
		return defaults.ReplaceAllString(m.Operation().Print(mlir.PrintOptions{Generic: true}), "")
	}
	before := generic()
	var list []mlir.Operation
	m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		if readers[op.Name()] != nil {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		v, ok := readers[op.Name()](op)
		if !ok {
			t.Errorf("it is not read: %s", op)
			continue
		}
		made, err := CreateAt(mlir.Before(op), op.Location(), detached(m.Context(), v))
		if err != nil {
			t.Errorf("%v, for %s", err, op)
			return 0
		}
		for name, a := range op.Attributes() {
			if strings.Contains(name, ".") { // another dialect's, which is not part of the struct
				made.SetAttribute(name, a)
			}
		}
		for i, v := range op.Results() {
			v.ReplaceAllUses(made.Result(i))
		}
		check.NoError(t, op.Erase())
	}
	check.Diff(t, "rebuilt", before, generic())
	return len(list)
}

// detached returns the struct with regions that are detached: their contents move there.
func detached(c *mlir.Context, v any) Operation {
	to := reflect.New(reflect.TypeOf(v)).Elem()
	to.Set(reflect.ValueOf(v))
	move := func(field reflect.Value) {
		region := c.NewRegion()
		region.TakeBody(field.Interface().(mlir.Region))
		field.Set(reflect.ValueOf(region))
	}
	regionType := reflect.TypeFor[mlir.Region]()
	for i := range to.NumField() {
		switch f := to.Field(i); {
		case f.Type() == regionType:
			move(f)
		case f.Kind() == reflect.Slice && f.Type().Elem() == regionType:
			list := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
			reflect.Copy(list, f)
			f.Set(list)
			for j := range f.Len() {
				move(f.Index(j))
			}
		}
	}
	return to.Interface().(Operation)
}
