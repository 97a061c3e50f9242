package execution

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Invoke calls a function of the module. Arguments are Go values of the function's parameters: a bool for i1, an
// integer of N bits for iN, a float for f32 and f64, a complex number for a complex type or a struct of two floats, any
// pointer for !llvm.ptr, and a MemRef for a memref, or for a tensor that passes made one. Memory that an argument
// points to is pinned during the call. It must not contain Go pointers. The result is a pointer to a variable for the
// function's result, such as a struct for a struct or several results and a MemRefResult for a memref, or nil if the
// function has none.
//
// For an f16 or bf16 give a tensor.Float16 or tensor.BFloat16, or an integer of 16 bits with the bits of one. For an
// integer that Go lacks give the next larger one, such as an int32 or uint32 for i17. One of more than 64 bits is an
// array of words, with the lowest one first, such as a [2]uint64 for i128. An argument that does not fit is an error. A
// signed integer for a result extends its sign, and the others begin with zeros.
//
// Invoke returns an error if the arguments or the result do not match the types that the function had when the run of
// passes began that lowered the module: those of numbers, and the element type, the rank, the static sizes and the
// layout of each memref. A memref of a tensor must be in row-major order, unless passes make the memrefs in an earlier
// run. If these types are not known, because the module was in the LLVM dialect from the start, functions that take
// numbers and pointers can be called, and those with a MemRef only with Options.Signatures. What a pointer points to,
// and the compiled code itself, cannot be checked: wrong ones may end the process.
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
	values, err := s.values(name, arguments, &pins)
	if err != nil {
		return err
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
		if err := s.element(memRef.element()); err != nil {
			return fmt.Errorf("execution: the result of %s cannot be a %T: %w", name, result, err)
		}
		to = memRefWords(rank)
	case to.Kind() != reflect.Pointer || to.IsNil() || !s.result.accepts(to.Type().Elem()):
		return fmt.Errorf("execution: %s returns a result of type %s, which %T cannot hold: give a pointer to it: %s", name,
			s.result.text, result, s.result.advice())
	default:
		if err := s.fields(to.Type().Elem()); err != nil {
			return fmt.Errorf("execution: the result of %s cannot be a %T: %w", name, result, err)
		}
	}
	f := capi.MlirExecutionEngineLookupPacked(t, e.raw, name)
	if f == nil {
		return e.unlinked(name)
	}
	callPacked(f, values, to)
	if to.IsValid() {
		s.result.unpack(to.Type().Elem(), to.UnsafePointer())
	}
	if isMemRef {
		memRef.set(to, values)
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	err = e.failed
	e.failed = nil
	return err
}

// values returns what the compiled function takes for arguments.
func (s signature) values(name string, arguments []any, pins *runtime.Pinner) (values []reflect.Value, err error) {
	var of []int // the arguments of the values
	var wrong error
	for i, a := range arguments {
		var from *source // nil if it is not known
		if i < len(s.in) && s.untyped == nil {
			from = &s.in[i]
		}
		m, ok := a.(MemRef)
		if ok && m.err != nil {
			return nil, m.err
		}
		parts := []any{a}
		if ok {
			parts = m.arguments(pins, from != nil && from.bare)
		}
		for _, part := range parts {
			values, of = append(values, reflect.ValueOf(part)), append(of, i)
		}
		if wrong != nil {
			continue
		}
		switch {
		case ok && s.untyped != nil:
			wrong = fmt.Errorf("argument %d of %s is a memref, and the types of the function are not known: %w: give its type in Options.Signatures, such as (f32, memref<?xf32>) -> ()",
				i, name, s.untyped)
		case from == nil:
		case ok:
			if err := from.holds(m); err != nil {
				wrong = fmt.Errorf("argument %d of %s has the type %s, which a memref of %s of the sizes %v does not match: %w",
					i, name, from.text, m.element, m.sizes, err)
			}
		case from.memRef:
			wrong = fmt.Errorf("argument %d of %s has the type %s, which %T does not match: pass a MemRef", i, name,
				from.text, a)
		}
	}
	if len(values) != len(s.arguments) {
		err := fmt.Errorf("execution: %s takes %d arguments, but %d are given (a memref counts as its parts)", name,
			len(s.arguments), len(values))
		if wrong != nil {
			err = fmt.Errorf("%w: %w", err, wrong)
		}
		return nil, err
	}
	if wrong != nil {
		return nil, fmt.Errorf("execution: %w", wrong)
	}
	for i, v := range values {
		if !v.IsValid() || !s.arguments[i].accepts(v.Type()) {
			return nil, fmt.Errorf("execution: argument %d of %s has the type %s, which %T does not match: %s", of[i], name,
				s.arguments[i].text, anyOf(v), s.arguments[i].advice())
		}
		if values[i], err = s.arguments[i].packed(v); err != nil {
			return nil, fmt.Errorf("execution: argument %d of %s: %w", of[i], name, err)
		}
	}
	return values, nil
}

// element returns an error if the elements of a memref that the function returns are not of a Go type.
func (s signature) element(t reflect.Type) error {
	switch {
	case s.untyped != nil:
		return fmt.Errorf("the types of the function are not known: %w: give its type in Options.Signatures, such as () -> memref<?xf32>",
			s.untyped)
	case !s.out[0].element.accepts(t):
		return fmt.Errorf("it is a %s, whose elements are %s", s.out[0].text, s.out[0].element.goType())
	}
	return nil
}

// fields returns an error if the variable for a result has a typed pointer to elements of another type.
func (s signature) fields(t reflect.Type) error {
	for i, out := range s.out {
		part := t
		if len(s.out) > 1 {
			part = t.Field(i).Type
		}
		if !out.memRef || out.unranked || part.Kind() != reflect.Struct {
			continue
		}
		for j := range 2 {
			if f := part.Field(j).Type; !out.pointsTo(f) {
				return fmt.Errorf("result %d is a %s, whose elements %s does not point to", i, out.text, f)
			}
		}
	}
	return nil
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
