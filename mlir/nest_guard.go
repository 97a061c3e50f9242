package mlir

import (
	"bytes"
	"slices"
)

// Verifiers that trust what is around their operation, or at the end of its region, crash where that is something else.
// tools/soak structs finds them: it reads each operation with an unknown one around it, in it and before it.

// readsTable are operations whose verifiers take the symbol table around them. The library finds none through an
// operation of an unknown dialect that has one region.
var readsTable = []string{"gpu.launch_func"}

// endsWith are operations whose verifiers take the end of their region for a certain operation. Text in the form of the
// dialect may leave it out if it is implied.
var endsWith = map[string]struct {
	end     string
	implied bool
}{
	"torch.global_slot.module_initializer": {"torch.initialize.global_slots", false},
	"transform.foreach":                    {"transform.yield", true},
}

// trusting are parts of the names of these operations, which rarely occur elsewhere.
var trusting = []string{"launch_func", "module_initializer", "transform.foreach", "foreach\x00"}

// nestGuard returns an error if the library would crash on an operation for what is around it, or in it.
func (c *Context) nestGuard(name string, data []byte) error {
	if c.bare || !slices.ContainsFunc(trusting, func(part string) bool { return bytes.Contains(data, []byte(part)) }) {
		return nil
	}
	n := &nesting{c: c, frames: make([]nestFrame, 1)}
	if IsBytecode(data) {
		m := readBytecode(data)
		m.nest = n
		m.visit = func(op bytecodeOp) { n.operation(nestOperation{name: op.name}) }
		m.walk()
	} else {
		n.text(data)
	}
	if n.wrong == "" {
		return nil
	}
	if name == "" {
		name = unnamed
	}
	return &DiagnosticError{Op: "parse",
		Diagnostics: []Diagnostic{{Position: positionIn(name, data, n.at), Message: n.wrong}}}
}

// A nesting follows which operations are in which.
type nesting struct {
	c      *Context
	frames []nestFrame // open regions, and dictionaries of attributes
	at     int         // where it is wrong
	wrong  string
}

// A nestFrame is a region.
type nestFrame struct {
	of, last nestOperation // what it is of, and the last one in it
}

// A nestOperation is an operation.
type nestOperation struct {
	name  string
	at    int
	plain bool // it is in the form of its dialect, and not in the generic one
}

// operation is called with each operation, before its regions.
func (n *nesting) operation(op nestOperation) {
	n.frames[len(n.frames)-1].last = op
	if !slices.Contains(readsTable, op.name) {
		return
	}
	n.c.readsTables = true
	if !n.c.AllowsUnregistered() {
		return // the parser refuses what is around
	}
	for _, f := range slices.Backward(n.frames) {
		if slices.Contains(tables, f.of.name) {
			return
		}
		if !n.c.hasDialectOf(f.of.name) {
			n.refuse(op, "is in "+f.of.name+", "+unknownAround)
		}
	}
}

// tables are operations with a symbol table, in both forms.
var tables = []string{"module", "builtin.module", "gpu.module"}

// refuse keeps what is wrong first.
func (n *nesting) refuse(op nestOperation, why string) {
	if n.wrong == "" {
		n.at, n.wrong = op.at, "'"+op.name+"' op "+why+": the library would crash on it"
	}
}

const unknownAround = "an operation of an unknown dialect"

// open begins a region of the last operation.
func (n *nesting) open() {
	n.frames = append(n.frames, nestFrame{of: n.frames[len(n.frames)-1].last})
}

// close ends a region. isRegion is false for a dictionary of attributes.
func (n *nesting) close(isRegion bool) {
	if len(n.frames) == 1 {
		return // the text is wrong
	}
	f := n.frames[len(n.frames)-1]
	n.frames = n.frames[:len(n.frames)-1]
	must, ok := endsWith[f.of.name]
	if !ok || !isRegion || f.last.name == must.end {
		return
	}
	if left := must.implied && f.of.plain; !left || f.last.name != "" && !n.c.Registered(f.last.name) {
		n.refuse(f.of, "does not end with "+must.end)
	}
}
