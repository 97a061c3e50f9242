package mlir

import (
	"strconv"
	"strings"
)

// A typeCondition is a condition on a type, from the definitions of operations. Its text is
// one of these:
//
//   - any, shaped, ranked, vector, fixed-vector, scalable-vector, tensor, ranked-tensor,
//     unranked-tensor, memref, unranked-memref, any-memref, float, index, integer, complex,
//     tuple, function, none
//   - nonscalar, a shaped type with a dimension, sparse, a tensor with a sparse encoding
//   - a float format: f16, bf16, …
//   - i, si, ui or int, and the width if it is fixed: i32
//   - !dialect.name, a type of a dialect
//   - or(…,…), and(…,…), not(…)
//   - of(…), a shaped type whose elements fulfill the condition
type typeCondition struct {
	what string
	of   []typeCondition
	many bool
}

// parseCondition reads a condition. It reads what is not closed to its end.
func parseCondition(text string) typeCondition {
	c, _ := readCondition(text)
	return c
}

func readCondition(text string) (c typeCondition, rest string) {
	end := strings.IndexAny(text, "(),")
	if end < 0 {
		return typeCondition{what: text}, ""
	}
	c.what = text[:end]
	if rest = text[end:]; rest[0] != '(' {
		return c, rest
	}
	for rest != "" && rest[0] != ')' {
		var part typeCondition
		part, rest = readCondition(rest[1:])
		c.of = append(c.of, part)
	}
	return c, strings.TrimPrefix(rest, ")")
}

// String returns the condition in words.
func (c typeCondition) String() string {
	var parts []string
	for _, p := range c.of {
		parts = append(parts, p.String())
	}
	switch c.what {
	case "or":
		return strings.Join(parts, " or ")
	case "and":
		return strings.Join(parts, " and ")
	case "not":
		return "not " + parts[0]
	case "of":
		return "shaped with elements that are " + parts[0]
	case "any-memref":
		return "a memref"
	case "i", "int":
		return "an integer"
	}
	return strings.ReplaceAll(c.what, "-", " ")
}

// kindsOf has the kinds of types by the conditions that they fulfill.
var kindsOf = map[string][]TypeKind{
	"shaped": {KindVector, KindRankedTensor, KindUnrankedTensor, KindMemRef, KindUnrankedMemRef},
	"ranked": {KindVector, KindRankedTensor, KindMemRef},
	"vector": {KindVector}, "tensor": {KindRankedTensor, KindUnrankedTensor}, "ranked-tensor": {KindRankedTensor},
	"unranked-tensor": {KindUnrankedTensor},
	"memref":          {KindMemRef}, "unranked-memref": {KindUnrankedMemRef},
	"any-memref": {KindMemRef, KindUnrankedMemRef},
	"float":      {KindFloat}, "index": {KindIndex}, "integer": {KindInteger}, "complex": {KindComplex},
	"tuple":    {KindTuple},
	"function": {KindFunction}, "none": {KindNone},
}

// holds reports whether a type fulfills the condition.
func (c typeCondition) holds(t Type) bool {
	if kinds, ok := kindsOf[c.what]; ok {
		got := t.Kind()
		for _, k := range kinds {
			if k == got {
				return true
			}
		}
		// A type of a dialect may be shaped, too.
		return c.what == "shaped" && got == KindOther && t.IsShaped()
	}
	switch c.what {
	case "any":
		return true
	case "or":
		for _, p := range c.of {
			if p.holds(t) {
				return true
			}
		}
		return false
	case "and":
		for _, p := range c.of {
			if !p.holds(t) {
				return false
			}
		}
		return true
	case "not":
		return !c.of[0].holds(t)
	case "of":
		if !t.IsShaped() {
			return false
		}
		element, ok := t.Element()
		return ok && c.of[0].holds(element)
	case "nonscalar":
		rank, ok := t.Rank()
		return ok && rank > 0
	case "sparse":
		encoding, ok := t.Encoding()
		return ok && encoding.Dialect() == "sparse_tensor"
	case "fixed-vector":
		return t.Kind() == KindVector && !t.IsScalable()
	case "scalable-vector":
		return t.Kind() == KindVector && t.IsScalable()
	}
	if strings.HasPrefix(c.what, "!") {
		rest, ok := strings.CutPrefix(t.String(), c.what)
		return ok && (rest == "" || rest[0] == '<')
	}
	return c.number(t)
}

// number is holds for an integer of a width, and for a float format.
func (c typeCondition) number(t Type) bool {
	letters := strings.TrimRight(c.what, "0123456789")
	if letters == "i" || letters == "si" || letters == "ui" || letters == "int" {
		bits, sign, ok := t.IntegerWidth()
		want := map[string]Signedness{"i": Signless, "si": Signed, "ui": Unsigned, "int": sign}[letters]
		width, _ := strconv.Atoi(c.what[len(letters):])
		return ok && sign == want && (width == 0 || width == bits)
	}
	return t.Kind() == KindFloat && t.String() == c.what
}
