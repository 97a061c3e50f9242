package bridge

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// LayoutError says that XLA was to lay an array out in another order than row-major,
// where Go reads or writes it and sees nothing of the order: each value would stand for
// another element.
type LayoutError struct {
	// Target is the custom call's, "" where a parameter of the module is meant.
	Target string
	Config string // the backend_config of the call, as XLA has it
	At     string // file and line of the call, "" where the module does not say
	What   string // "operand", "parameter" or "result"
	Index  int
	Shape  tensor.Shape
	Layout []int64 // minor to major
}

// Error says what to write instead.
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
	fmt.Fprintf(&b, ", %s, has the layout %v (minor to major), and Go reads and writes arrays in row-major order: leave ", e.Shape, e.Layout)
	if e.Target == "" {
		b.WriteString("mhlo.layout_mode and its like out of the module")
	} else {
		b.WriteString("operand_layouts, result_layouts and mhlo.layout_mode out of the module")
	}
	b.WriteString(", or transpose there")
	return b.String()
}

// checkLayouts holds XLA's optimized program against what Go takes for granted of it: the
// module's parameters, and what the calls of these targets take and give, are in row-major
// order. Results of the module may be in another, see Buffer.ToHost. The call frame of the typed FFI says nothing of layouts, and
// nor do the attributes, so that this is the only place where they show. It is nil where
// the program cannot be read. (xla/service/hlo.proto and xla/xla_data.proto say the
// numbers.)
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

// checkComputation looks at one computation of the program.
func checkComputation(computation []byte, isMain bool, targets map[string]bool) error {
	const instruction, id, shape = 2, 35, 3
	var shapes map[uint64][]byte // of the instructions, where a call asks for them
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
			if s, layout, ok := foreignLayout(first(f.bytes, shape).bytes); ok {
				return &LayoutError{What: "parameter", Index: int(first(f.bytes, parameter).number), Shape: s, Layout: layout}
			}
		}
	}
	return nil
}

// checkCall looks at one custom call.
func checkCall(call []byte, shapes map[uint64][]byte) error {
	const shape, target, operands, config, metadata, file, line = 3, 28, 36, 43, 7, 3, 4
	fail := func(what string, i int, s tensor.Shape, layout []int64) error {
		e := &LayoutError{
			Target: string(first(call, target).bytes), Config: string(first(call, config).bytes),
			What: what, Index: i, Shape: s, Layout: layout,
		}
		from := first(call, metadata).bytes
		if name := first(from, file).bytes; len(name) > 0 {
			e.At = fmt.Sprintf("%s:%d", name, first(from, line).number)
		}
		return e
	}
	i := 0
	for f := range fields(call, operands) {
		for _, id := range f.numbers() {
			if s, layout, ok := foreignLayout(shapes[id]); ok {
				return fail("operand", i, s, layout)
			}
			i++
		}
	}
	for i, s := range arrays(first(call, shape).bytes) {
		if s, layout, ok := foreignLayout(s); ok {
			return fail("result", i, s, layout)
		}
	}
	return nil
}

// arrays are the ShapeProtos of a tuple's elements, or the one that is no tuple.
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

// foreignLayout is the layout in a ShapeProto, minor to major; ok is false where it is
// row-major, or there is none.
func foreignLayout(shape []byte) (s tensor.Shape, layout []int64, ok bool) {
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

// first is the first field of a message that has a number, zero where there is none.
func first(message []byte, number uint64) field {
	for f := range fields(message, number) {
		return f
	}
	return field{}
}
