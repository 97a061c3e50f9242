package hlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Array is a parameter of a program, or an operand or a result of a custom call in it.
type Array struct {
	// Target is that of the custom call, or "" for a parameter of the program.
	Target string
	Config string // the backend_config of the call
	At     string // file and line of the call, "" if unknown
	What   string // "operand", "parameter" or "result"
	Index  int
	Shape  tensor.Shape
	Layout []int64 // minor to major
}

// OtherLayout returns the first parameter of a program, or operand or result of a call of the targets,
// that is not row-major. found is false if there is none, or if the program cannot be read.
func OtherLayout(program []byte, targets map[string]bool) (a Array, found bool) {
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
			if a, found = checkComputation(c.bytes, isMain, targets); found {
				return a, true
			}
		}
	}
	return a, false
}

// checkComputation is OtherLayout for one computation of the program.
func checkComputation(computation []byte, isMain bool, targets map[string]bool) (a Array, found bool) {
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
			if a, found = checkCall(f.bytes, all()); found {
				return a, true
			}
		case op == "parameter" && isMain:
			if s, layout, ok := otherLayout(first(f.bytes, shape).bytes); ok {
				return Array{What: "parameter", Index: int(first(f.bytes, parameter).number), Shape: s, Layout: layout},
					true
			}
		}
	}
	return a, false
}

// checkCall is OtherLayout for one custom call.
func checkCall(call []byte, shapes map[uint64][]byte) (a Array, found bool) {
	const shape, target, operands, config = 3, 28, 36, 43
	other := func(what string, i int, s tensor.Shape, layout []int64) (Array, bool) {
		return Array{
			Target: string(first(call, target).bytes), Config: string(first(call, config).bytes),
			What: what, Index: i, Shape: s, Layout: layout, At: placeOf(call),
		}, true
	}
	i := 0
	for f := range fields(call, operands) {
		for _, id := range f.numbers() {
			if s, layout, ok := otherLayout(shapes[id]); ok {
				return other("operand", i, s, layout)
			}
			i++
		}
	}
	for i, s := range arrays(first(call, shape).bytes) {
		if s, layout, ok := otherLayout(s); ok {
			return other("result", i, s, layout)
		}
	}
	return a, false
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
