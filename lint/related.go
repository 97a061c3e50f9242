package lint

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// maxRelated is how many places of one location, and how many names of one place, a finding has at most.
const maxRelated = 16

// relatedTo returns the places in a location: where the operation is, then from where that was called.
func relatedTo(l mlir.Location) []finding.Related {
	var r relating
	r.add(l, nil, false)
	return r.list
}

// A relating collects the places in a location.
type relating struct{ list []finding.Related }

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
			r.list = append(r.list, finding.Related{Message: messageOf(names, called)})
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
func relatedAt(list []finding.Related, at mlir.Position, message string) []finding.Related {
	if at.Line == 0 {
		return list
	}
	return append(list, finding.Stated(message, at.File, at.Line, at.Column))
}
