package execution

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// A source is the type of a parameter or result before it was lowered. A memref is lowered to addresses and numbers,
// whose types say neither what the elements are nor which sizes and strides the compiled code relies on.
type source struct {
	text     string
	machine  machineType // of what is no memref; the kind is layoutOther if it is not known
	memRef   bool
	unranked bool
	bare     bool        // the compiled code takes nothing but the address of the elements
	element  machineType // of a memref
	sizes    []int64     // mlir.Dynamic: any
	// rowMajor says that the elements are in row-major order from the start of the memory. Otherwise they have these
	// strides and this offset, of which those that are mlir.Dynamic may be any.
	rowMajor bool
	strides  []int64
	offset   int64
}

// typed returns the signature with the types that the function has in the text of a function type or, if that is
// empty, had before the module was lowered.
func (s signature) typed(m *mlir.Module, name, text string) (signature, error) {
	t := raw.Unlowered(m, name)
	if text != "" {
		var err error
		if t, err = m.Context().ParseType(text); err != nil {
			return s, err
		}
		if !t.IsFunction() {
			return s, fmt.Errorf("%s is not the type of a function, such as (f32, memref<?xf32>) -> ()", text)
		}
	}
	if t.IsNil() {
		s.untyped = errors.New("the module was in the LLVM dialect from the start, in which an address has no element type and no sizes")
		return s, nil
	}
	inputs, results, _ := t.Signature()
	for _, bare := range []bool{false, true} {
		in, out := sources(inputs, bare), sources(results, bare)
		if lowered(in, s.arguments) && lowered(out, s.results(len(out))) {
			s.in, s.out, s.untyped = in, out, nil
			return s, nil
		}
	}
	err := fmt.Errorf("%s is not lowered to %s", t, s.text)
	if text == "" {
		s.untyped = fmt.Errorf("it is %s, and its type before the run of passes that lowered it %w: run passes that change the types of functions in an earlier run",
			s.text, err)
		return s, nil
	}
	return s, err
}

// results returns the types of n results, which are the parts of a struct if there are several.
func (s signature) results(n int) []machineType {
	switch {
	case s.result.kind == layoutVoid:
		return nil
	case n > 1:
		return s.result.parts
	}
	return []machineType{s.result}
}

func sources(types []mlir.Type, bare bool) []source {
	list := make([]source, len(types))
	for i, t := range types {
		s := source{text: t.String(), machine: machineOf(t)}
		kind := t.Kind()
		switch kind {
		case mlir.KindRankedTensor, mlir.KindMemRef:
			s.memRef, s.bare, s.rowMajor = true, bare, true // the passes decide on the layout of a tensor's memref
			s.sizes, _ = t.Dims()
		case mlir.KindUnrankedTensor, mlir.KindUnrankedMemRef:
			s.memRef, s.unranked = true, true
		}
		if kind == mlir.KindMemRef {
			layout, _ := affine.LayoutOf(t)
			s.rowMajor = layout.IsIdentity()
			s.strides, s.offset, _ = t.Strides()
		}
		if s.memRef {
			element, _ := t.Element()
			s.element = elementOf(element)
		}
		list[i] = s
	}
	return list
}

// machineOf returns what a type is lowered to, or a machineType of the kind layoutOther for all but numbers.
func machineOf(t mlir.Type) machineType {
	m := machineType{text: t.String()}
	if bits, _, ok := t.IntegerWidth(); ok {
		m.kind, m.bits = layoutInt, bits
	} else if part, ok := t.ComplexElement(); ok {
		if part := machineOf(part); part.kind == layoutFloat {
			m.kind, m.parts = layoutStruct, []machineType{part, part}
		}
	} else if kind, _ := t.FloatKind(); kind == mlir.F16 || kind == mlir.BF16 {
		m.kind, m.bits = layoutFloat, 16
	} else if kind == mlir.F32 {
		m.kind, m.bits = layoutFloat, 32
	} else if kind == mlir.F64 {
		m.kind, m.bits = layoutFloat, 64
	}
	return m
}

// elementOf returns what an element of a memref is for Go: a float of 8 bits is the integer with its bits. Integers
// that Go lacks have no kind, because nothing converts the elements.
func elementOf(t mlir.Type) machineType {
	m := machineOf(t)
	kind, _ := t.FloatKind()
	switch {
	case m.kind == layoutInt && m.bits == 1:
		m.bits = 8
	case m.kind == layoutInt && !slices.Contains([]int{8, 16, 32, wordBits}, m.bits):
		m.kind = layoutOther
	case t.IsIndex():
		m.kind, m.bits = layoutInt, 64
	case kind >= mlir.F8E5M2:
		m.kind, m.bits = layoutInt, 8
	}
	return m
}

// lowered reports whether types of the LLVM dialect can be what the sources were lowered to.
func lowered(list []source, to []machineType) bool {
	for _, s := range list {
		n := s.parts()
		if s.memRef && len(to) > 0 && to[0].kind == layoutStruct { // a result
			if !lowered([]source{s}, flat(to[0])) {
				return false
			}
			to = to[1:]
			continue
		}
		if len(to) < n {
			return false
		}
		for i, part := range to[:n] {
			if want := s.part(i); want != layoutOther && part.kind != layoutOther && // layoutOther cannot be passed
				(part.kind != want || !s.memRef && !part.same(s.machine)) {
				return false
			}
		}
		to = to[n:]
	}
	return len(to) == 0
}

// same reports whether two types are the same number, or both are something else.
func (t machineType) same(u machineType) bool {
	return t.kind == u.kind && t.bits == u.bits && (t.kind != layoutFloat || t.text == u.text)
}

// flat returns the parts of a memref that a function returns, as a function takes them.
func flat(t machineType) (parts []machineType) {
	for _, part := range t.parts {
		if part.kind == layoutArray {
			parts = append(parts, slices.Repeat(part.parts, part.length)...)
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// parts returns the number of arguments that a compiled function takes for a parameter.
func (s source) parts() int {
	switch {
	case s.unranked:
		return 2
	case s.memRef && !s.bare:
		return memRefHeader + 2*len(s.sizes)
	}
	return 1
}

// part returns the kind of the i-th of these arguments, or layoutOther if it is not known.
func (s source) part(i int) layoutKind {
	switch {
	case !s.memRef:
		return s.machine.kind
	case s.unranked && i == 0, !s.unranked && i > 1:
		return layoutInt
	}
	return layoutPointer
}

// holds returns an error if a memref of Go is not one of the type s.
func (s source) holds(m MemRef) error {
	switch {
	case !s.memRef:
		return errors.New("it is not a memref")
	case !s.element.accepts(m.element):
		return fmt.Errorf("its elements are %s, and %s", m.element, s.element.advice())
	case s.unranked != m.unranked && s.unranked:
		return errors.New("it is unranked: pass MemRef.Unranked")
	case s.unranked != m.unranked:
		return errors.New("it is not unranked: do not pass MemRef.Unranked")
	case s.unranked:
		return nil
	case len(m.sizes) != len(s.sizes):
		return fmt.Errorf("it has the rank %d, and %d is wanted", len(m.sizes), len(s.sizes))
	}
	for i, size := range s.sizes {
		if size != mlir.Dynamic && size != m.sizes[i] {
			return fmt.Errorf("its size %d is %d, and %d is wanted", i, m.sizes[i], size)
		}
	}
	if slices.Contains(m.sizes, 0) {
		return nil // it has no elements
	}
	strides, offset, order := s.strides, s.offset, ""
	if s.rowMajor {
		strides, offset, order = rowMajor(m.sizes), 0, ", because the order is row-major"
	}
	for i, stride := range strides {
		if stride != mlir.Dynamic && stride != m.strides[i] && m.sizes[i] > 1 {
			return fmt.Errorf("its stride %d is %d, and %d is wanted%s", i, m.strides[i], stride, order)
		}
	}
	if offset != mlir.Dynamic && offset != m.offset {
		return fmt.Errorf("its offset is %d, and %d is wanted%s", m.offset, offset, order)
	}
	return nil
}

// pointsTo reports whether a Go type may be an address of elements of the memref s.
func (s source) pointsTo(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer || s.element.accepts(t.Elem())
}
