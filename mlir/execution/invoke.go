package execution

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Invoke calls a function of the module. Arguments are Go values of the same layout as
// the function's: i1 takes a bool, iN an integer of N bits, f32 and f64 a float,
// !llvm.ptr any pointer, and the group of arguments that stands for a memref takes a
// MemRef. What pointers point to stays in place for the call, but must not itself hold
// Go pointers. result is nil for a function without one, and else a pointer to where it
// goes: a struct for a struct. What does not match is an error; what compiled code does
// with good arguments is its own affair, and it may crash.
func (e *Engine) Invoke(name string, result any, arguments ...any) error {
	t := e.live("Engine.Invoke")
	e.calls.Add(1)
	defer e.calls.Add(-1)
	s, ok := e.functions[name]
	switch {
	case !ok || !s.defined:
		return fmt.Errorf("execution: the module defines no function %q that can be called", name)
	case s.variadic:
		return fmt.Errorf("execution: %s takes a variable number of arguments, and such a function cannot be called", name)
	}
	var values []reflect.Value
	for _, a := range arguments {
		if m, ok := a.(MemRef); ok {
			if m.err != nil {
				return m.err
			}
			for _, piece := range m.pieces {
				values = append(values, reflect.ValueOf(piece))
			}
			continue
		}
		values = append(values, reflect.ValueOf(a))
	}
	if len(values) != len(s.arguments) {
		return fmt.Errorf("execution: %s takes %d arguments, and %d were given (a memref counts as its pieces)", name, len(s.arguments), len(values))
	}
	for i, v := range values {
		if !v.IsValid() || !s.arguments[i].accepts(v.Type()) {
			return fmt.Errorf("execution: argument %d of %s is of type %s, for which a %T does not do", i, name, s.arguments[i].text, anyOf(v))
		}
	}
	to := reflect.ValueOf(result)
	switch {
	case s.result.kind == layoutVoid && result != nil:
		return fmt.Errorf("execution: %s has no result: give nil for it", name)
	case s.result.kind == layoutVoid:
	case to.Kind() != reflect.Pointer || to.IsNil() || !s.result.accepts(to.Type().Elem()):
		return fmt.Errorf("execution: %s gives a result of type %s, which does not go into a %T", name, s.result.text, result)
	}
	f := capi.MlirExecutionEngineLookupPacked(t, e.raw, name)
	if f == nil {
		return fmt.Errorf("execution: %s cannot be linked: something that it uses is defined nowhere", name)
	}
	callPacked(f, values, to)

	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.failed
	e.failed = nil
	return err
}

func anyOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// callPacked lays arguments and result out in C memory and calls a packed function.
func callPacked(f unsafe.Pointer, values []reflect.Value, result reflect.Value) {
	var pins runtime.Pinner
	defer pins.Unpin()
	const align = 16
	sizes := func(v reflect.Type) int { return (int(v.Size()) + align - 1) &^ (align - 1) }
	table := (int(unsafe.Sizeof(uintptr(0)))*(len(values)+1) + align - 1) &^ (align - 1)
	total := table
	for _, v := range values {
		total += sizes(v.Type())
	}
	if result.IsValid() {
		total += sizes(result.Type().Elem())
	}
	memory := capi.Alloc(total)
	defer capi.Free(memory)
	addresses := unsafe.Slice((*unsafe.Pointer)(memory), len(values)+1)
	at := table
	place := func(t reflect.Type) reflect.Value {
		slot := reflect.NewAt(t, unsafe.Add(memory, at))
		at += sizes(t)
		return slot
	}
	for i, v := range values {
		slot := place(v.Type())
		switch v.Kind() {
		case reflect.Pointer, reflect.UnsafePointer:
			pin(&pins, v.UnsafePointer())
		}
		slot.Elem().Set(v)
		addresses[i] = slot.UnsafePointer()
	}
	if !result.IsValid() {
		capi.CallPacked(f, &addresses[0])
		return
	}
	slot := place(result.Type().Elem())
	addresses[len(values)] = slot.UnsafePointer()
	capi.CallPacked(f, &addresses[0])
	result.Elem().Set(slot.Elem())
}

// pin keeps Go memory in place. Memory of C needs no pin, and Pin panics on it.
func pin(pins *runtime.Pinner, p unsafe.Pointer) {
	if p == nil {
		return
	}
	defer func() { _ = recover() }()
	pins.Pin(p)
}
