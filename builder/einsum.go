package builder

import (
	"slices"
	"strings"
)

// Einsum multiplies and sums according to an equation in Einstein's notation:
//
//	builder.Einsum("bqd,bkd->bqk", queries, keys)
//
// Each letter names an axis. Letters that the result lacks are summed over. Einsum takes
// one or two operands. No letter may occur twice in one operand. It builds dot_general,
// reduce and transpose.
func Einsum(equation string, xs ...Value) Value {
	s := begin("einsum", xs...)
	if !s.ok {
		return s.none()
	}
	left, out, ok := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	in := strings.Split(left, ",")
	if !ok || len(in) != len(xs) || len(xs) > 2 {
		return s.fail("%q does not name the axes of %d operands and, after ->, of the result", equation, len(xs))
	}
	for i, labels := range in {
		if len(labels) != rankOf(xs[i]) {
			return s.fail("%q names %d axes of operand %d, which has %d", equation, len(labels), i, rankOf(xs[i]))
		}
	}
	for _, labels := range append(in, out) {
		for i := range labels {
			if strings.IndexByte(labels[i+1:], labels[i]) >= 0 {
				return s.fail("%q names the axis %c twice in %q", equation, labels[i], labels)
			}
		}
	}
	for _, label := range out {
		if !strings.ContainsRune(left, label) {
			return s.fail("%q: no operand has the result's axis %c", equation, label)
		}
	}
	// Axes that only one operand has and that the result lacks are summed over first.
	for i := range xs {
		elsewhere := out
		if len(xs) == 2 {
			elsewhere += in[1-i]
		}
		var sum []int
		kept := ""
		for axis, label := range in[i] {
			if strings.ContainsRune(elsewhere, label) {
				kept += string(label)
			} else {
				sum = append(sum, axis)
			}
		}
		if len(sum) > 0 {
			xs = slices.Clone(xs)
			xs[i] = s.reduceWith(xs[i], sumOf, sum)
			in[i] = kept
		}
	}
	x, labels := xs[0], in[0]
	if len(xs) == 2 {
		var o DotOptions
		batch, rest := "", ""
		for axis, label := range in[0] {
			switch other := strings.IndexRune(in[1], label); {
			case other < 0:
				rest += string(label)
			case strings.ContainsRune(out, label):
				o.Batch = append(o.Batch, [2]int{axis, other})
				batch += string(label)
			default:
				o.Contract = append(o.Contract, [2]int{axis, other})
			}
		}
		for _, label := range in[1] {
			if !strings.ContainsRune(in[0], label) {
				rest += string(label)
			}
		}
		if !s.ok {
			return s.none()
		}
		x, labels = s.dot(xs[0], xs[1], o), batch+rest
	}
	if labels == out || !s.ok {
		return x
	}
	axes := make([]int, len(out))
	for i, label := range out {
		axes[i] = strings.IndexRune(labels, label)
	}
	return s.transpose(x, axes...)
}
