package bridge

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestNilArguments calls methods and functions with nil for each argument that can be nil. None panics, and a nil
// context is an error.
func TestNilArguments(t *testing.T) {
	client := testClient(t)
	e := compile(t, client, "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }",
		engine.CompileOptions{})
	b := check.Must(client.ArrayFromHost(t.Context(), tensor.Scalar(float32(1)), 0))
	check.Cleanup(t, b)
	run := check.Must(e.Start(t.Context(), tensor.Scalar(float32(1))))
	for _, out := range check.Must(run.Wait(t.Context())) {
		check.NoError(t, out.Close())
	}
	good := map[reflect.Type]reflect.Value{
		reflect.TypeFor[context.Context](): reflect.ValueOf(t.Context()),
		reflect.TypeFor[engine.Program]():  reflect.ValueOf(Source("module {}")),
		reflect.TypeFor[engine.Input]():    reflect.ValueOf(b),
		reflect.TypeFor[tensor.View]():     reflect.ValueOf(tensor.Scalar(float32(1))),
		reflect.TypeFor[*Run]():            reflect.ValueOf(run),
		reflect.TypeFor[string]():          reflect.ValueOf("device"), // a memory space
	}
	// call calls a function without its i-th argument, in a subtest.
	call := func(name string, f reflect.Value, i int) {
		var in []reflect.Value
		typ := f.Type()
		for j := range typ.NumIn() {
			p := typ.In(j)
			if typ.IsVariadic() && j == typ.NumIn()-1 {
				p = p.Elem()
			}
			v, ok := good[p]
			if i == j || !ok {
				v = reflect.Zero(p)
			}
			in = append(in, v)
		}
		t.Run(fmt.Sprintf("%s, argument %d", name, i), func(t *testing.T) {
			defer func() {
				if e := recover(); e != nil {
					t.Errorf("panic: %v", e)
				}
			}()
			var err error
			for _, v := range f.Call(in) {
				if e, ok := v.Interface().(error); ok {
					err = e
				}
			}
			if typ.In(i) == reflect.TypeFor[context.Context]() {
				check.Error(t, err, "the context is nil: give context.Background()")
			}
		})
	}
	try := func(name string, f reflect.Value) {
		for i := range f.Type().NumIn() {
			switch f.Type().In(i).Kind() {
			case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Func:
				call(name, f, i)
			}
		}
	}
	for _, v := range []any{testPlugin(t), client, e, b, run} {
		r := reflect.ValueOf(v)
		for i := range r.NumMethod() {
			try(r.Type().String()+"."+r.Type().Method(i).Name, r.Method(i))
		}
	}
	for name, f := range map[string]any{"InnerClient": InnerClient, "WaitAll": WaitAll} {
		try(name, reflect.ValueOf(f))
	}
	for _, in := range []engine.Input{nil, (*engine.Array)(nil), engine.Donate(nil)} {
		_, err := e.Run(t.Context(), in)
		check.Error(t, err, "input 0: ")
	}
}
