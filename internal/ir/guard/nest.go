package guard

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// Verifiers that trust what is around their operation, or at the end of its region, crash where that is something else.
// tools/soak structs finds them: it reads each operation with an unknown one around it, in it and before it.

// ReadsTable reports whether the verifier of an operation takes the symbol table around it. The library finds none
// through an operation of an unknown dialect that has one region.
func ReadsTable(operation string) bool { return operation == "gpu.launch_func" }

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

// Known is what a context knows.
type Known struct {
	Registered   func(operation string) bool
	HasDialectOf func(operation string) bool
	Unregistered bool // it takes operations that it does not know
}

// Nest returns what is wrong with what is around an operation of a module, or in it, and where in a text. It reports
// whether there are operations for which ReadsTable is true.
func Nest(data []byte, known Known) (at int, wrong string, readsTables bool) {
	if !slices.ContainsFunc(trusting, func(part string) bool { return bytes.Contains(data, []byte(part)) }) {
		return 0, "", false
	}
	n := &nesting{known: known, frames: make([]nestFrame, 1)}
	if bytecode.Is(data) {
		m := bytecode.Open(data)
		m.Read()
		m.Walk(bytecode.Visitor{Op: func(op bytecode.Op) bool {
			n.operation(nestOperation{name: op.Name})
			return true
		}, Open: n.open, Close: func() { n.close(true) }})
	} else {
		n.text(data)
	}
	return n.at, n.wrong, n.readsTables
}

// A nesting follows which operations are in which.
type nesting struct {
	known       Known
	frames      []nestFrame // open regions, and dictionaries of attributes
	at          int         // where it is wrong
	wrong       string
	readsTables bool
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
	if !ReadsTable(op.name) {
		return
	}
	n.readsTables = true
	if !n.known.Unregistered {
		return // the parser refuses what is around
	}
	for _, f := range slices.Backward(n.frames) {
		if HasTable(f.of.name) {
			return
		}
		if !n.known.HasDialectOf(f.of.name) {
			n.refuse(op, "is in "+f.of.name+", "+UnknownAround)
		}
	}
}

// HasTable reports whether an operation has a symbol table, by its name in one of both forms.
func HasTable(operation string) bool {
	return slices.Contains([]string{"module", "builtin.module", "gpu.module"}, operation)
}

// refuse keeps what is wrong first.
func (n *nesting) refuse(op nestOperation, why string) {
	if n.wrong == "" {
		n.at, n.wrong = op.at, "'"+op.name+"' op "+why+": the library would crash on it"
	}
}

// UnknownAround is what may be around an operation.
const UnknownAround = "an operation of an unknown dialect"

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
	if left := must.implied && f.of.plain; !left || f.last.name != "" && !n.known.Registered(f.last.name) {
		n.refuse(f.of, "does not end with "+must.end)
	}
}

// text calls operation, open and close for the operations in a text. It takes each word with a dot for the name of an
// operation, unless it belongs to an attribute or a type.
func (n *nesting) text(data []byte) {
	const attributes = 'd' // the kind of the word that is before a dictionary
	var isRegion []bool    // of the open braces
	var before lex.Kind
	// A location has strings before parentheses, too, but after one of these.
	opened := func() bool { return before < 0x80 && bytes.IndexByte([]byte("([,<"), byte(before)) >= 0 }
	for t := lex.Piece(data, 0); t.Kind != lex.End; t = lex.Piece(data, t.End) {
		kind := t.Kind
		switch kind {
		case lex.Comment:
			continue
		case lex.String:
			if t.End < len(data) && data[t.End] == '(' && !opened() {
				n.operation(nestOperation{string(data[t.Start+1 : t.End-1]), t.Start, false})
			}
		case '{':
			// Attributes follow the operands or the regions of an operation in generic form.
			generic := !n.frames[len(n.frames)-1].last.plain
			region := before != '<' && before != '=' && before != attributes && (before != ')' || !generic)
			n.open()
			isRegion = append(isRegion, region)
		case '}':
			if last := len(isRegion) - 1; last >= 0 {
				n.close(isRegion[last])
				isRegion = isRegion[:last]
			}
		case lex.Word:
			word := string(data[t.Start:t.End])
			inRegion := len(isRegion) == 0 || isRegion[len(isRegion)-1]
			if (word == "module" || strings.Contains(word, ".")) && inRegion && !opened() {
				n.operation(nestOperation{word, t.Start, true})
			}
			if word == "attributes" {
				kind = attributes
			}
		}
		before = kind
	}
}
