package operations

import (
	"fmt"
	"slices"
	"strings"
)

// makeEinsum draws a label for each dimension, among which are diagonals, sums, products, and labels that the result
// has twice.
func makeEinsum(g *generator, x value) []value {
	sizes := map[byte]int{}
	labels := make([]byte, len(x.dims))
	for i, n := range x.dims {
		labels[i] = byte('a' + i)
		if same := slices.Index(x.dims[:i], n); same >= 0 && g.chance(1, 2) {
			labels[i] = labels[same]
		}
		sizes[labels[i]] = n
	}
	operands, known := []value{x}, slices.Clone(labels)
	config := string(labels)
	if g.op.name == "stablehlo.einsum" {
		var dims []int
		config += ","
		for range g.IntN(3) {
			label, n := byte('x'), 1+g.IntN(3)
			if len(known) > 0 && g.chance(2, 3) {
				label = pick(g.Rand, known)
			}
			if size, ok := sizes[label]; ok {
				n = size
			}
			sizes[label] = n
			known, config, dims = append(known, label), config+string(label), append(dims, n)
		}
		operands = append(operands, g.operand(x.element, dims...))
	}
	var to []int
	result := ""
	for range min(g.IntN(4), len(known)) {
		label := pick(g.Rand, known)
		if strings.IndexByte(result, label) >= 0 && g.chance(4, 5) {
			continue
		}
		result, to = result+string(label), append(to, sizes[label])
	}
	made := x.shaped(to)
	if g.op.name == "stablehlo.einsum" {
		made.element = g.wider(x.element)
	}
	return g.one(fmt.Sprintf("einsum_config = %q", config+"->"+result), operands, made)
}
