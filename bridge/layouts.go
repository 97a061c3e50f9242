package bridge

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// A LayoutError reports an array that XLA would lay out in another order than row-major,
// and that Go reads or writes. Go does not see the order and would take each value for
// another element.
type LayoutError struct {
	// Target is that of the custom call, or "" for a parameter of the module.
	Target string
	Config string // the backend_config of the call, as XLA has it
	At     string // file and line of the call, "" if unknown
	What   string // "operand", "parameter" or "result"
	Index  int
	Shape  tensor.Shape
	Layout []int64 // minor to major
}

// Error includes what to change in the module.
func (e *LayoutError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "bridge: %s %d of ", e.What, e.Index)
	if e.Target == "" {
		b.WriteString("the module")
	} else {
		fmt.Fprintf(&b, "the call of @%s", e.Target)
		if e.Config != "" {
			fmt.Fprintf(&b, " with %.200s", e.Config)
		}
		if e.At != "" {
			fmt.Fprintf(&b, " at %s", e.At)
		}
	}
	fmt.Fprintf(&b, ", %s, has the layout %v (minor to major), but Go needs row-major order: remove ", e.Shape, e.Layout)
	if e.Target == "" {
		b.WriteString("mhlo.layout_mode and similar attributes from the module")
	} else {
		b.WriteString("operand_layouts, result_layouts and mhlo.layout_mode from the module (if there are none, XLA has chosen it: call passes.ConstrainLayouts)")
	}
	b.WriteString(", or transpose the array in it")
	return b.String()
}

// checkLayouts checks in XLA's optimized program that the module's parameters, and the
// operands and results of calls of the targets, are row-major. Results of the module may
// have another order; see Buffer.ToHost. Neither the call frames nor the attributes of the
// typed FFI have layouts, so this is the only place that has them. It returns nil if the
// program cannot be read. The field numbers are from xla/service/hlo.proto and
// xla/xla_data.proto.
func checkLayouts(program []byte, targets map[string]bool) error {
	const module, name, entry, computation = 1, 1, 2, 3
	for hlo := range fields(program, module) {
		main := ""
		for f := range fields(hlo.bytes, entry) {
			main = string(f.bytes)
		}
		for c := range fields(hlo.bytes, computation) {
			isMain := false
			for f := range fields(c.bytes, name) {
				isMain = string(f.bytes) == main
			}
			if err := checkComputation(c.bytes, isMain, targets); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkComputation checks one computation of the program.
func checkComputation(computation []byte, isMain bool, targets map[string]bool) error {
	const instruction, id, shape = 2, 35, 3
	var shapes map[uint64][]byte // of the instructions; made for the first call
	all := func() map[uint64][]byte {
		if shapes == nil {
			shapes = map[uint64][]byte{}
			for f := range fields(computation, instruction) {
				shapes[first(f.bytes, id).number] = first(f.bytes, shape).bytes
			}
		}
		return shapes
	}
	for f := range fields(computation, instruction) {
		const opcode, parameter, target = 2, 9, 28
		switch op := string(first(f.bytes, opcode).bytes); {
		case op == "custom-call" && targets[string(first(f.bytes, target).bytes)]:
			if err := checkCall(f.bytes, all()); err != nil {
				return err
			}
		case op == "parameter" && isMain:
			if s, layout, ok := otherLayout(first(f.bytes, shape).bytes); ok {
				return &LayoutError{What: "parameter", Index: int(first(f.bytes, parameter).number), Shape: s, Layout: layout}
			}
		}
	}
	return nil
}

// checkCall checks one custom call.
func checkCall(call []byte, shapes map[uint64][]byte) error {
	const shape, target, operands, config = 3, 28, 36, 43
	fail := func(what string, i int, s tensor.Shape, layout []int64) error {
		return &LayoutError{
			Target: string(first(call, target).bytes), Config: string(first(call, config).bytes),
			What: what, Index: i, Shape: s, Layout: layout, At: placeOf(call),
		}
	}
	i := 0
	for f := range fields(call, operands) {
		for _, id := range f.numbers() {
			if s, layout, ok := otherLayout(shapes[id]); ok {
				return fail("operand", i, s, layout)
			}
			i++
		}
	}
	for i, s := range arrays(first(call, shape).bytes) {
		if s, layout, ok := otherLayout(s); ok {
			return fail("result", i, s, layout)
		}
	}
	return nil
}

// placeOf returns the file and line that an instruction was made for, or "".
func placeOf(instruction []byte) string {
	const metadata, file, line = 7, 3, 4
	from := first(instruction, metadata).bytes
	if name := first(from, file).bytes; len(name) > 0 {
		return fmt.Sprintf("%s:%d", name, first(from, line).number)
	}
	return ""
}

// arrays returns the ShapeProtos of a tuple's elements, or the only one if the shape is not
// a tuple.
func arrays(shape []byte) [][]byte {
	const elementType, tuple, element = 2, 13, 4
	if first(shape, elementType).number != tuple {
		return [][]byte{shape}
	}
	var list [][]byte
	for f := range fields(shape, element) {
		list = append(list, f.bytes)
	}
	return list
}

// otherLayout returns the layout in a ShapeProto, minor to major. ok is false if it is
// row-major or missing.
func otherLayout(shape []byte) (s tensor.Shape, layout []int64, ok bool) {
	const dimensions, layoutField, minorToMajor = 3, 5, 1
	for f := range fields(shape, layoutField) {
		for m := range fields(f.bytes, minorToMajor) {
			for _, n := range m.numbers() {
				layout = append(layout, int64(n))
			}
		}
	}
	s = protoShape(shape)
	s.Dims = s.Dims[:0]
	for f := range fields(shape, dimensions) { // those of a dynamic shape, too
		for _, n := range f.numbers() {
			s.Dims = append(s.Dims, int(n))
		}
	}
	return s, layout, len(layout) > 0 && !s.RowMajor(layout)
}

// first returns the first field of a message with the number, or the zero value.
func first(message []byte, number uint64) field {
	for f := range fields(message, number) {
		return f
	}
	return field{}
}
