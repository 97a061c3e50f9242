package execution

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Invoke calls a function of the module. Arguments are Go values with the layout of the
// function's parameters: a bool for i1, an integer of N bits for iN, a float for f32 and
// f64, a complex number for a struct of two floats, any pointer for !llvm.ptr, and a MemRef
// for the parameters of a memref. Memory that
// an argument points to is pinned during the call. It must not contain Go pointers. The
// result is a pointer to a variable for the function's result, such as a struct for a
// struct and a MemRefResult for a memref, or nil if the function has none. Invoke returns an error if the layouts do
// not match. It cannot check the compiled code itself, which may crash.
func (e *Engine) Invoke(name string, result any, arguments ...any) error {
	t := e.live("Engine.Invoke")
	e.calls.Add(1)
	defer e.calls.Add(-1)
	s, ok := e.functions[name]
	switch {
	case !ok || !s.defined:
		return fmt.Errorf("execution: the module does not define a function %q that can be called", name)
	case s.variadic:
		return fmt.Errorf("execution: %s is variadic: variadic functions cannot be called", name)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	var values []reflect.Value
	for _, a := range arguments {
		if m, ok := a.(MemRef); ok {
			if m.err != nil {
				return m.err
			}
			for _, part := range m.arguments(&pins) {
				values = append(values, reflect.ValueOf(part))
			}
			continue
		}
		values = append(values, reflect.ValueOf(a))
	}
	if len(values) != len(s.arguments) {
		return fmt.Errorf("execution: %s takes %d arguments, but %d are given (a memref counts as its parts)", name,
			len(s.arguments), len(values))
	}
	for i, v := range values {
		if !v.IsValid() || !s.arguments[i].accepts(v.Type()) {
			return fmt.Errorf("execution: argument %d of %s has the type %s, which %T does not match", i, name,
				s.arguments[i].text, anyOf(v))
		}
	}
	to := reflect.ValueOf(result)
	memRef, isMemRef := result.(memRefResult)
	switch {
	case s.result.kind == layoutVoid && result != nil:
		return fmt.Errorf("execution: %s has no result: pass nil", name)
	case s.result.kind == layoutVoid:
	case isMemRef:
		rank, err := s.result.memRefRank()
		if err != nil {
			return fmt.Errorf("execution: %s returns a result of type %s, which %T cannot hold: %w", name,
				s.result.text, result, err)
		}
		to = memRefWords(rank)
	case to.Kind() != reflect.Pointer || to.IsNil() || !s.result.accepts(to.Type().Elem()):
		return fmt.Errorf("execution: %s returns a result of type %s, which %T cannot hold", name, s.result.text,
			result)
	}
	f := capi.MlirExecutionEngineLookupPacked(t, e.raw, name)
	if f == nil {
		return e.unlinked(name)
	}
	callPacked(f, values, to)
	if isMemRef {
		memRef.set(to, values)
	}

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

// callPacked copies the arguments to C memory, calls a packed function, and copies its
// result back.
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

// pin pins Go memory. It ignores C memory, for which Pin panics.
func pin(pins *runtime.Pinner, p unsafe.Pointer) {
	if p == nil {
		return
	}
	defer func() { _ = recover() }()
	pins.Pin(p)
}
