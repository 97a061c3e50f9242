package ods

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Writer collects the parts of a new operation. Create keeps an error in the Builder for
// the first part that is missing or wrong.
type Writer struct {
	b        *mlir.Builder
	state    mlir.OperationState
	operands []int32 // lengths of the operands
	results  []int32 // lengths of the results
	age      age     // of the next part
	err      error
}

// New returns a Writer of the named operation. It must not be used after Create or Infer,
// nor after another call with this Builder, which keeps one Writer for the memory of its
// lists.
func New(b *mlir.Builder, name string) *Writer {
	kept := raw.Parts(b)
	w, ok := (*kept).(*Writer)
	if !ok {
		w = new(Writer)
		*kept = w
	}
	w.b, w.err, w.age, w.operands, w.results = b, nil, anyAge, w.operands[:0], w.results[:0]
	s := &w.state
	s.Name, s.Location, s.InferResults = name, mlir.Location{}, false
	s.Operands, s.Results, s.Attributes = s.Operands[:0], s.Results[:0], s.Attributes[:0]
	s.Properties, s.Regions, s.Successors = s.Properties[:0], s.Regions[:0], s.Successors[:0]
	return w
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.state.Name, fmt.Errorf(format, args...))
	}
}

// Operand adds an operand, which must not be nil.
func (w *Writer) Operand(name string, v mlir.Value) {
	if w.lacks(name, !v.IsNil()) {
		return
	}
	if v.IsNil() {
		w.missing("operand", name)
		return
	}
	w.state.Operands = append(w.state.Operands, v)
	w.operands = append(w.operands, 1)
}

func (w *Writer) missing(sort, name string) { w.fail("the %s %s is missing", sort, name) }

// Optional adds an operand, if it is not nil.
func (w *Writer) Optional(name string, v mlir.Value) {
	if w.lacks(name, !v.IsNil()) {
		return
	}
	if v.IsNil() {
		w.operands = append(w.operands, 0)
		return
	}
	w.Operand(name, v)
}

// Operands adds the operands of a variadic one.
func (w *Writer) Operands(name string, values []mlir.Value) {
	if w.lacks(name, len(values) > 0) {
		return
	}
	if complete(w, "operand", name, values) {
		w.state.Operands = append(w.state.Operands, values...)
		w.operands = append(w.operands, int32(len(values)))
	}
}

// Nested adds several lists of operands, and the attribute with their lengths.
func (w *Writer) Nested(name, lengths string, lists [][]mlir.Value) {
	sizes, all := make([]int32, len(lists)), []mlir.Value(nil)
	for i, list := range lists {
		sizes[i] = int32(len(list))
		all = append(all, list...)
	}
	w.Operands(name, all)
	w.add(lengths, mlir.NewDenseArray(w.b.Context(), sizes...))
}

// complete reports whether no part of a list is missing.
func complete[T interface{ IsNil() bool }](w *Writer, sort, name string, list []T) bool {
	for i, v := range list {
		if v.IsNil() {
			w.fail("%s %d of %s is missing", sort, i, name)
			return false
		}
	}
	return true
}

// OperandSegments adds the attribute with the lengths of the operands.
func (w *Writer) OperandSegments() {
	w.add("operandSegmentSizes", mlir.NewDenseArray(w.b.Context(), w.operands...))
}

// NewerOperandSegments does so if the library is one after LLVM 22.
func (w *Writer) NewerOperandSegments() {
	if w.b.Err() == nil && isNewer(w.b.Context()) {
		w.OperandSegments()
	}
}

// ResultSegments adds the attribute with the lengths of the results.
func (w *Writer) ResultSegments() {
	w.add("resultSegmentSizes", mlir.NewDenseArray(w.b.Context(), w.results...))
}

// EqualOperands requires the variadic operands to have the same length. An empty name stands
// for a single operand.
func (w *Writer) EqualOperands(names ...string) {
	length := int32(-1)
	for i, name := range names {
		if name == "" || i >= len(w.operands) {
			continue
		}
		if length < 0 {
			length = w.operands[i]
		}
		if w.operands[i] != length {
			w.fail("the lists of operands have different lengths: %s has %d and one before it %d", name, w.operands[i],
				length)
		}
	}
}

func (w *Writer) add(name string, a mlir.Attribute) {
	w.state.Attributes = append(w.state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
}

// Region adds a region. If it is nil, the operation gets an empty one.
func (w *Writer) Region(r mlir.Region) {
	if r.IsNil() {
		r = w.b.Context().NewRegion()
	}
	w.state.Regions = append(w.state.Regions, r)
}

// Regions adds the regions of a variadic one.
func (w *Writer) Regions(name string, regions []mlir.Region) {
	if complete(w, "region", name, regions) {
		w.state.Regions = append(w.state.Regions, regions...)
	}
}

// Successor adds a block to branch to, which must not be nil.
func (w *Writer) Successor(name string, b mlir.Block) {
	if b.IsNil() {
		w.missing("successor", name)
		return
	}
	w.state.Successors = append(w.state.Successors, b)
}

// Successors adds the successors of a variadic one.
func (w *Writer) Successors(name string, blocks []mlir.Block) {
	if complete(w, "successor", name, blocks) {
		w.state.Successors = append(w.state.Successors, blocks...)
	}
}

// Result adds the type of a result, which must not be nil.
func (w *Writer) Result(name string, t mlir.Type) {
	if t.IsNil() {
		w.fail("the type of the result %s is missing: it is not inferred", name)
		return
	}
	w.OptionalResult(t)
}

// OptionalResult adds the type of a result, if it is not nil.
func (w *Writer) OptionalResult(t mlir.Type) {
	n := int32(0)
	if !t.IsNil() {
		w.state.Results = append(w.state.Results, t)
		n = 1
	}
	w.results = append(w.results, n)
}

// Results adds the types of a variadic result.
func (w *Writer) Results(name string, types []mlir.Type) {
	if complete(w, "type", name, types) {
		w.state.Results = append(w.state.Results, types...)
		w.results = append(w.results, int32(len(types)))
	}
}

// Create makes the operation.
func (w *Writer) Create() mlir.Operation {
	if w.err == nil && w.b.Err() == nil && !w.state.InferResults {
		if g := guards[w.state.Name]; g != nil {
			w.err = g(w.state)
		}
	}
	if w.err != nil {
		w.b.Fail(w.err)
	}
	return raw.Build(w.b, &w.state)
}

// Infer makes the operation. It infers the result types if none was added.
func (w *Writer) Infer() mlir.Operation {
	w.state.InferResults = len(w.state.Results) == 0
	return w.Create()
}

// ResultOr adds the type of a result that is always of the same type, which need not be given.
func (w *Writer) ResultOr(name string, t mlir.Type, always string) {
	if t.IsNil() && w.err == nil && w.b.Err() == nil {
		t = w.b.Type(always)
	}
	w.Result(name, t)
}

// InferOr is Infer for an operation that some libraries do not infer the result types of. They are these then. The
// result of a type that ends with a question mark is left out if the first operand is an address of another block's
// shared memory: such operations of NVVM return nothing.
func (w *Writer) InferOr(types ...string) mlir.Operation {
	if w.err != nil || w.b.Err() != nil || len(w.state.Results) > 0 || w.b.Context().InfersTypes(w.state.Name) {
		return w.Infer()
	}
	for _, text := range types {
		text, optional := strings.CutSuffix(text, "?")
		if !optional || len(w.state.Operands) == 0 || w.state.Operands[0].Type().String() != "!llvm.ptr<7>" {
			w.state.Results = append(w.state.Results, w.b.Type(text))
		}
	}
	return w.Create()
}

// Infer makes the named operation of single operands, whose names are separated by spaces. It
// is the short way for operations that need nothing else.
func Infer(b *mlir.Builder, name, operands string, values ...mlir.Value) mlir.Operation {
	for _, v := range values {
		if v.IsNil() {
			w := New(b, name)
			for i, operand := range strings.Fields(operands) {
				w.Operand(operand, values[i])
			}
			return w.Infer()
		}
	}
	return b.Create(mlir.OperationState{Name: name, Operands: values, InferResults: true})
}

// Destination adds the types of a variadic result. If there are none, they are those of the
// destinations that are tensors.
func (w *Writer) Destination(name string, types []mlir.Type, destinations ...mlir.Value) {
	if types == nil && w.err == nil && w.b.Err() == nil {
		for _, v := range destinations {
			if t := v.Type(); t.IsRankedTensor() {
				types = append(types, t)
			}
		}
	}
	w.Results(name, types)
}

// DestinationType adds the type of a result. If it is nil, it is that of the destination.
func (w *Writer) DestinationType(name string, t mlir.Type, destination mlir.Value) {
	if t.IsNil() && w.err == nil && w.b.Err() == nil {
		t = destination.Type()
	}
	w.Result(name, t)
}

// Builder returns the Builder that the operation is for.
func (w *Writer) Builder() *mlir.Builder { return w.b }
