package execution

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/mlir"
)

// Compiled code calls a Go function of any type through a function of the module that is
// added here. It stores the arguments in memory and passes their addresses, in an array, to a
// Go function that takes one pointer.

// hostPrefix precedes the names of the functions that take the array.
const hostPrefix = "calliope_go_"

var errorType = reflect.TypeFor[error]()

// define returns a copy of the module in which the named functions are defined.
func (e *Engine) define(m *mlir.Module, functions map[string]any) (*mlir.Module, error) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		s, ok := e.functions[name]
		if !ok || s.defined || s.variadic {
			return nil, fmt.Errorf("execution: Options.Functions: the module does not declare a function @%s that can be defined: it needs llvm.func @%s without a body", name, name)
		}
		if err := s.matches(functions[name]); err != nil {
			return nil, fmt.Errorf("execution: Options.Functions: the Go function for @%s has the type %T: %w", name,
				functions[name], err)
		}
		text.WriteString(s.definition(name))
	}
	c := m.Context()
	added, err := c.Parse("Options.Functions", []byte(text.String()))
	if err != nil {
		return nil, fmt.Errorf("execution: Options.Functions: %w", err)
	}
	defer added.Close()
	with := m.Clone()
	for op := range with.Body().Operations() {
		if name, ok := op.Symbol(); ok && op.Name() == "llvm.func" && functions[name] != nil {
			if err := op.Erase(); err != nil {
				with.Close()
				return nil, err
			}
		}
	}
	for op := range added.Body().Operations() {
		with.Body().Append(op.Clone())
	}
	for name := range functions {
		s := e.functions[name]
		s.defined = true
		e.functions[name], e.symbols[name] = s, true
	}
	if err := with.Verify(); err != nil {
		with.Close()
		return nil, fmt.Errorf("execution: Options.Functions: %w", err)
	}
	return with, nil
}

// matches returns an error if a Go function cannot have the signature.
func (s signature) matches(function any) error {
	t := reflect.TypeOf(function)
	if t == nil || t.Kind() != reflect.Func || reflect.ValueOf(function).IsNil() || t.IsVariadic() {
		return fmt.Errorf("it must be a function with a fixed number of parameters")
	}
	if t.NumIn() != len(s.arguments) {
		return fmt.Errorf("the module's function has %d parameters", len(s.arguments))
	}
	for i, a := range s.arguments {
		if !a.accepts(t.In(i)) {
			return fmt.Errorf("its parameter %d is %s in the module, which %s does not match: %s", i, a.text, t.In(i),
				a.advice())
		}
	}
	at := 0
	for i, in := range s.in {
		for j := range in.parts() {
			if in.memRef && !in.unranked && j < 2 && !in.pointsTo(t.In(at+j)) {
				return fmt.Errorf("its parameter %d is an address of the %s that is parameter %d in the module, to whose elements %s does not point",
					at+j, in.text, i, t.In(at+j))
			}
		}
		at += in.parts()
	}
	results := t.NumOut()
	if results > 0 && t.Out(results-1) == errorType {
		results--
	}
	switch {
	case s.result.kind == layoutVoid && results == 0:
		return nil
	case s.result.kind == layoutVoid:
		return fmt.Errorf("the module's function has no result")
	case results != 1 || !s.result.accepts(t.Out(0)):
		return fmt.Errorf("its result is %s in the module, and must be one result in Go, which an error may follow: %s",
			s.result.text, s.result.advice())
	}
	return nil
}

// definition returns the text of the function of the module, and of the one that it calls.
func (s signature) definition(name string) string {
	var b strings.Builder
	var params []string
	for i, a := range s.arguments {
		params = append(params, fmt.Sprintf("%%a%d: %s", i, a.full()))
	}
	result, slots := "", len(s.arguments)
	if s.result.kind != layoutVoid {
		result, slots = " -> "+s.result.full(), slots+1
	}
	fmt.Fprintf(&b, "llvm.func @%q(!llvm.ptr)\nllvm.func @%q(%s)%s {\n", hostPrefix+name, name,
		strings.Join(params, ", "), result)
	fmt.Fprintf(&b, "  %%one = llvm.mlir.constant(1 : i64) : i64\n  %%n = llvm.mlir.constant(%d : i64) : i64\n",
		max(slots, 1))
	fmt.Fprintf(&b, "  %%all = llvm.alloca %%n x !llvm.ptr : (i64) -> !llvm.ptr\n")
	for i := range slots {
		typ := s.result.full()
		if i < len(s.arguments) {
			typ = s.arguments[i].full()
		}
		fmt.Fprintf(&b, "  %%p%d = llvm.alloca %%one x %s : (i64) -> !llvm.ptr\n", i, typ)
		if i < len(s.arguments) {
			fmt.Fprintf(&b, "  llvm.store %%a%d, %%p%d : %s, !llvm.ptr\n", i, i, typ)
		} else {
			fmt.Fprintf(&b, "  %%zero = llvm.mlir.zero : %s\n  llvm.store %%zero, %%p%d : %s, !llvm.ptr\n", typ, i, typ)
		}
		fmt.Fprintf(&b, "  %%s%d = llvm.getelementptr %%all[%d] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  llvm.store %%p%d, %%s%d : !llvm.ptr, !llvm.ptr\n", i, i, i, i)
	}
	fmt.Fprintf(&b, "  llvm.call @%q(%%all) : (!llvm.ptr) -> ()\n", hostPrefix+name)
	if s.result.kind == layoutVoid {
		b.WriteString("  llvm.return\n}\n")
	} else {
		fmt.Fprintf(&b, "  %%r = llvm.load %%p%d : !llvm.ptr -> %s\n  llvm.return %%r : %s\n}\n", len(s.arguments),
			s.result.full(), s.result.full())
	}
	return b.String()
}

// full returns the type as it is written outside of a type of the LLVM dialect.
func (n machineType) full() string {
	if n.kind == layoutInt || n.kind == layoutFloat || strings.HasPrefix(n.text, "!llvm.") {
		return n.text
	}
	return "!llvm." + n.text
}

// serve sets the Go function that the array for a function of the module is passed to.
func (e *Engine) serve(name string, f reflect.Value) error {
	t, s := f.Type(), e.functions[name]
	return e.registerHost(hostPrefix+name, func(argument unsafe.Pointer) error {
		at := unsafe.Slice((*unsafe.Pointer)(argument), t.NumIn()+1)
		in := make([]reflect.Value, t.NumIn())
		for i := range in {
			s.arguments[i].unpack(t.In(i), at[i])
			in[i] = reflect.NewAt(t.In(i), at[i]).Elem()
		}
		out := f.Call(in)
		if n := len(out); n > 0 && t.Out(n-1) == errorType {
			if err, _ := out[n-1].Interface().(error); err != nil {
				return err
			}
			out = out[:n-1]
		}
		if len(out) == 1 {
			result, err := s.result.packed(out[0])
			if err != nil {
				return fmt.Errorf("execution: the result of the Go function for @%s: %w", name, err)
			}
			reflect.NewAt(t.Out(0), at[len(in)]).Elem().Set(result)
		}
		return nil
	})
}
