package check

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Receivers calls each exported method of the pointers, which point to zero values, with
// zero arguments, and those of nil pointers if the type is no error and exports no field. It reports a panic that does
// not begin with prefix. The pointers must be of all structs that the package in the current folder exports.
func Receivers(t *testing.T, prefix string, pointers ...any) {
	t.Helper()
	missing := exportedStructs(t)
	for _, p := range pointers {
		v := reflect.ValueOf(p)
		of := v.Type().Elem()
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == of.Name() })
		callAll(t, prefix, v)
		_, isError := p.(error)
		if !isError && !slices.ContainsFunc(reflect.VisibleFields(of), reflect.StructField.IsExported) {
			callAll(t, prefix, reflect.Zero(v.Type()))
		}
	}
	if len(missing) > 0 {
		t.Errorf("types that were not tried: %s", missing)
	}
}

func callAll(t *testing.T, prefix string, v reflect.Value) {
	t.Helper()
	for m := range v.Type().Methods() {
		if _, ofValue := v.Type().Elem().MethodByName(m.Name); ofValue && v.IsNil() {
			continue // the message is Go's
		}
		args := []reflect.Value{v}
		for i := 1; i < m.Type.NumIn(); i++ {
			switch in := m.Type.In(i); {
			case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
			case in == reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(t.Context()))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil && !strings.HasPrefix(fmt.Sprint(r), prefix) {
					t.Errorf("%s.%s (nil: %t) panics: %v", v.Type(), m.Name, v.IsNil(), r)
				}
			}()
			m.Func.Call(args)
		}()
	}
}

func exportedStructs(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() {
				if _, ok := s.Type.(*ast.StructType); ok {
					names = append(names, s.Name.Name)
				}
			}
			return true
		})
	}
	return names
}
