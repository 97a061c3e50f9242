package mlir

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// WalkAction is what a visitor asks for next.
type WalkAction int

const (
	WalkContinue WalkAction = iota // go on
	WalkSkip                       // go on, but not into this operation's regions
	WalkStop                       // end the walk
)

// Walk visits o and every operation in its regions, each before what it contains
// and in the order of the text. It reports whether the walk reached its end. The
// visited operation may be erased by the visitor when it returns WalkSkip.
func (o Operation) Walk(visit func(Operation) WalkAction) bool {
	// A stack of our own: regions of strangers may be nested deeper than is good to
	// recurse. What an operation contains is listed at once, and operations without
	// regions, which most are, are not asked again.
	t := o.life.check("Operation.Walk")
	stack := []capi.Child{{Operation: o.raw, Regions: capi.MlirOperationGetNumRegions(t, o.raw)}}
	for len(stack) > 0 {
		op := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch visit(Operation{o.life, op.Operation}) {
		case WalkStop:
			return false
		case WalkSkip:
			continue
		}
		if op.Regions > 0 {
			o.life.check("Operation.Walk") // the visitor may have closed the module
			start := len(stack)
			stack = capi.AppendChildren(t, op.Operation, stack)
			slices.Reverse(stack[start:])
		}
	}
	return true
}
