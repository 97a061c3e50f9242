package mlir

import "slices"

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
	// recurse.
	stack := []Operation{o}
	for len(stack) > 0 {
		op := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch visit(op) {
		case WalkStop:
			return false
		case WalkSkip:
			continue
		}
		start := len(stack)
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for inner := range b.Operations() {
					stack = append(stack, inner)
				}
			}
		}
		slices.Reverse(stack[start:])
	}
	return true
}
