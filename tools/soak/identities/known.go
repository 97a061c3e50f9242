package identities

import (
	"math"
	"slices"
	"strings"
)

// known returns why XLA makes something else of an expression, although it does not simplify it, or "". See
// docs/reference/xla-deviations.md.
func known(e *expression, folded bool, want, got any) string {
	w, isNumber := number(want)
	g, _ := number(got)
	isProduct := func(e *expression) bool { return e.op == "multiply" }
	switch {
	case (e.op == "add" || e.op == "subtract") && isFloat(e.t) && slices.ContainsFunc(e.args, isProduct):
		return "a product that is added is not rounded"
	case e.op == "add" && isNumber && w == 0 && g == 0:
		return "x + 0 is taken for x"
	case strings.HasPrefix(e.op, "m") || e.op == "clamp":
		if folded && isNumber && (math.IsNaN(w) || w == 0 && g == 0) {
			return "a plugin drops a NaN, and the sign of a zero, in the extremes of constants"
		}
	}
	return ""
}
