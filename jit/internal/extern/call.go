// Package extern adds calls of C functions to modules of tensors, with the addresses of arrays.
package extern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// A Call is a call of a C function.
type Call struct {
	Function string  // of C
	Pointer  string  // a function whose address is the first argument; may be ""
	Numbers  []int64 // the next arguments
	Arrays   []Array // whose addresses are the further ones
	Fixed    int     // how many arguments the C function names, if it takes any number of further ones
}

// Packed is the prefix of the function that the execution engine adds to each function, for calls with an array of the
// addresses of the arguments.
const Packed = "_mlir_"

// An Array is an array that a call passes.
type Array struct {
	Value  mlir.Value // a tensor whose elements have no signs
	Access Access
}

// Access is what a call does to an array. Bufferization makes of it which arrays it copies.
type Access string

// What a call can do to an array. It must write all of an array that it writes and does not read.
const (
	Read      Access = "read"
	Write     Access = "write"
	ReadWrite Access = "read-write"
)

// Define adds the functions of a text that the module does not have, and returns the one with a name, which must be
// new.
func Define(m *mlir.Module, name, text string) (defined mlir.Operation, err error) {
	added, err := m.Context().Parse(name, []byte(text))
	if err != nil {
		return defined, err
	}
	defer added.Close()
	table := m.SymbolTable()
	for op := range added.Body().Operations() {
		symbol, _ := op.Symbol()
		if _, has := table.Lookup(symbol); has {
			continue
		}
		if op = m.Body().Append(op.Clone()); symbol == name {
			defined = op
		}
	}
	return defined, nil
}

// mostTensors is how many arrays a call passes as tensors, which are copied only where they must be. Bufferization
// takes a time that grows with the cube of their number.
const mostTensors = 32

// Create adds a function with a name to the module, unless it has that function, and calls it. The function makes the
// call. The result has all arrays as they are afterwards.
func (c Call) Create(b *mlir.Builder, m *mlir.Module, name string) []mlir.Value {
	if b.Err() != nil {
		return nil
	}
	if _, has := m.SymbolTable().Lookup(name); !has {
		if _, err := Define(m, name, c.text(name)); err != nil {
			b.Fail(err)
			return nil
		}
	}
	if len(c.Arrays) > mostTensors {
		return c.passBuffers(b, name)
	}
	var operands []mlir.Value
	var results []mlir.Type
	for _, a := range c.Arrays {
		operands = append(operands, a.Value)
		if a.Access != Read {
			results = append(results, a.Value.Type())
		}
	}
	call := b.Create(mlir.OperationState{Name: "func.call", Operands: operands, Results: results,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: m.Context().SymbolAttribute(name)}}})
	if b.Err() != nil {
		return nil
	}
	n := 0
	for i, a := range c.Arrays {
		if a.Access != Read {
			operands[i] = call.Result(n)
			n++
		}
	}
	return operands
}

// passBuffers calls the function with buffers, which are copies of the arrays that the call writes.
func (c Call) passBuffers(b *mlir.Builder, name string) (after []mlir.Value) {
	var buffers []mlir.Value
	for _, a := range c.Arrays {
		t := bufferType(b, a.Value.Type())
		if b.Err() != nil {
			return nil
		}
		var buffer mlir.Value
		if a.Access != Write {
			buffer = bufferization.ToBufferOp{Tensor: a.Value, ReadOnly: true, BufferType: t}.Create(b).Result(0)
		}
		if a.Access != Read {
			own := memref.Alloc(b, t, nil)
			if a.Access == ReadWrite {
				memref.Copy(b, buffer, own)
			}
			buffer = own
		}
		buffers = append(buffers, buffer)
	}
	b.Create(mlir.OperationState{Name: "func.call", Operands: buffers,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: b.Context().SymbolAttribute(name)}}})
	for i, a := range c.Arrays {
		if b.Err() != nil {
			return nil
		}
		v := a.Value
		if a.Access != Read {
			v = bufferization.ToTensorOp{Buffer: buffers[i], Restrict: true, ResultType: v.Type()}.Create(b).Result(0)
		}
		after = append(after, v)
	}
	return after
}

// bufferType returns the type of a buffer for a tensor.
func bufferType(b *mlir.Builder, t mlir.Type) mlir.Type {
	element, _ := t.Element()
	dims, _ := t.Dims()
	buffer, err := b.Context().MemRefType(element, mlir.MemRefOptions{}, dims...)
	b.Fail(err)
	return buffer
}

// text returns the declarations of functions, and the function that calls that of C.
func (c Call) text(name string) string {
	var lines, parameters, results, written, arguments, types []string
	line := func(format string, a ...any) { lines = append(lines, "  "+fmt.Sprintf(format, a...)+"\n") }
	argument := func(value, typ string) { arguments, types = append(arguments, value), append(types, typ) }
	pointer := ""
	if c.Pointer != "" {
		pointer = fmt.Sprintf("llvm.func @%s(!llvm.ptr)\n", c.Pointer)
		line("%%f = llvm.mlir.addressof @%s : !llvm.ptr", c.Pointer)
		argument("%f", "!llvm.ptr")
	}
	for i, n := range c.Numbers {
		line("%%n%d = llvm.mlir.constant(%d : i64) : i64", i, n)
		argument(fmt.Sprintf("%%n%d", i), "i64")
	}
	for i, a := range c.Arrays {
		t := a.Value.Type().String()
		buffer := "memref" + strings.TrimPrefix(t, "tensor")
		if len(c.Arrays) > mostTensors {
			parameters = append(parameters, fmt.Sprintf("%%b%d: %s", i, buffer))
		} else {
			parameters = append(parameters, fmt.Sprintf("%%a%d: %s {bufferization.access = %q}", i, t, a.Access))
			if a.Access != Read {
				results, written = append(results, t), append(written, fmt.Sprintf("%%a%d", i))
			}
			// For bufferization nothing here writes: what the function writes, the attribute says, and it returns it.
			line("%%b%d = bufferization.to_buffer %%a%d read_only : %s to %s", i, i, t, buffer)
		}
		line("%%i%d = memref.extract_aligned_pointer_as_index %%b%d : %s -> index", i, i, buffer)
		line("%%w%d = arith.index_cast %%i%d : index to i64", i, i)
		line("%%p%d = llvm.inttoptr %%w%d : i64 to !llvm.ptr", i, i)
		argument(fmt.Sprintf("%%p%d", i), "!llvm.ptr")
	}
	declared, variadic := strings.Join(types, ", "), ""
	if c.Fixed > 0 {
		declared = strings.Join(append(slices.Clone(types[:c.Fixed]), "..."), ", ")
		variadic = fmt.Sprintf(" vararg(!llvm.func<void (%s)>)", declared)
	}
	line("llvm.call @%s(%s)%s : (%s) -> ()", c.Function, strings.Join(arguments, ", "), variadic,
		strings.Join(types, ", "))
	if len(results) == 0 {
		line("return")
	} else {
		line("return %s : %s", strings.Join(written, ", "), strings.Join(results, ", "))
	}
	return pointer + fmt.Sprintf("llvm.func @%s(%s)\nfunc.func private @%s(%s) -> (%s) {\n%s}\n", c.Function, declared,
		name, strings.Join(parameters, ", "), strings.Join(results, ", "), strings.Join(lines, ""))
}
