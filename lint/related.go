package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Related is a place beside that of a finding: where the program that made the module has its
// operation, or another operation.
type Related struct {
	Message      string // what is there, or ""
	File         string // "" if it is not known
	Line, Column int    // from 1; 0 if only the message is known
}

// String returns the place, or else the message.
func (r Related) String() string {
	if r.File == "" {
		return r.Message
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Line, r.Column)
}

// maxRelated is how many places of one location, and how many names of one place, a finding has at most.
const maxRelated = 16

// relatedTo returns the places in a location: where the operation is, then from where that was called.
func relatedTo(l mlir.Location) []Related {
	var r relating
	r.add(l, nil, false)
	return r.list
}

// A relating collects the places in a location.
type relating struct{ list []Related }

// add adds the places in a part of the location. names are those around it, and called says that it is a
// caller. Unknown parts have none.
func (r *relating) add(l mlir.Location, names []string, called bool) {
	if len(r.list) == maxRelated {
		return
	}
	switch l.Kind() {
	case mlir.LocationName:
		name, child, _ := l.Name()
		if len(names) < maxRelated {
			names = append(slices.Clip(names), name)
		}
		if child.Kind() == mlir.LocationUnknown {
			r.list = append(r.list, Related{Message: messageOf(names, called)})
			return
		}
		r.add(child, names, called)
	case mlir.LocationCallSite:
		callee, caller, _ := l.CallSite()
		r.add(callee, names, called)
		r.add(caller, nil, true)
	case mlir.LocationFused:
		parts, _, _ := l.Fused()
		for _, part := range parts {
			r.add(part, names, called)
		}
	default:
		r.list = relatedAt(r.list, l.Position(), messageOf(names, called))
	}
}

func messageOf(names []string, called bool) string {
	message := strings.Join(names, ", ")
	switch {
	case !called:
		return message
	case message == "":
		return "called from here"
	}
	return "called from " + message
}

// relatedAt adds a position to a list.
func relatedAt(list []Related, at mlir.Position, message string) []Related {
	switch {
	case at.Line == 0:
		return list
	case at.File == textName:
		message, at.File = quick.Position(at).String(), ""
	}
	return append(list, Related{message, at.File, at.Line, at.Column})
}
