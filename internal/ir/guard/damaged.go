package guard

import (
	"cmp"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// The forms of attributes and types, by dialect and code, up to what is not looked at. A letter is
//
//	a, t        a reference to an attribute, to a type
//	n           a number
//	A, T, N, D  a list of attributes, of types, of numbers, of pairs of attributes
//	b           bytes, after their number
//	v           a number that is as large as the type before it says
var (
	attributeForms = map[string]map[uint64]string{
		"builtin": {0: "A", 1: "D", 3: "nt", 4: "a", 5: "aA", 6: "t", 8: "tv", 9: "tv", 10: "aa", 11: "a", 12: "A",
			13: "Aa", 14: "aa", 16: "t", 17: "tnb", 18: "tb", 19: "t", 20: "taa", 21: "a", 22: "a"},
		"stablehlo": {4: "nnNnnNnnN", 5: "NNNN", 7: "NNNNN", 11: "NNNNN", 13: "N", 14: "NnN", 15: "ttt", 18: "a"},
		"vhlo": {1: "A", 6: "D", 8: "tv", 9: "tv", 10: "NnN", 15: "tb", 17: "t", 18: "N", 20: "nnna", 22: "a", 23: "aa",
			24: "a", 25: "a"},
	}
	typeForms = map[string]map[uint64]string{
		"builtin": {2: "TT", 9: "t", 10: "Nta", 11: "aNta", 13: "Nt", 14: "aNt", 15: "T", 16: "t", 17: "at", 18: "t",
			19: "Nt"},
		"quant":     {3: "ntt", 4: "ntt"},
		"stablehlo": {1: "T"},
		"vhlo":      {1: "t", 8: "TT", 20: "Nt", 21: "aNt", 23: "T", 24: "ntt", 25: "t", 30: "ntt", 42: "T"},
	}
)

// What is wrong with the attributes and types of damaged bytecode.
const (
	lyingCount   = "the bytecode is damaged: it states more of something than its bytes can be"
	containsSelf = "the bytecode is damaged: an attribute or type contains itself"
	otherSize    = "the bytecode is damaged: an array has another size than its type states"
	tooDeep      = "the bytecode nests attributes or types more than 131,072 levels deep"
	otherType    = "the bytecode is damaged: the type of a number or of an array is something else"
)

// A damageCheck looks through the attributes and types of a module.
type damageCheck struct {
	*module
	seen  [2][]partState // of attributes, of types
	depth int            // how many are open
	wrong string
}

// maxDepth is how deep attributes and types may be in each other.
const maxDepth = 1 << 17

type partState byte

const (
	partOpen partState = 1 + iota // what it refers to is looked at
	partDone
)

// damaged returns what is wrong with the attributes and types. The library takes memory for what a count states, never
// comes back from what contains itself, and reads an array up to the size that its type states.
func (m *module) damaged() string {
	c := &damageCheck{module: m}
	for kind, list := range [][]bytecode.Part{m.Attributes, m.Types} {
		c.seen[kind] = make([]partState, len(list))
	}
	for i := range m.Attributes {
		c.attribute(uint64(i))
	}
	for i := range m.Types {
		c.typ(uint64(i))
	}
	return c.wrong
}

func (c *damageCheck) attribute(i uint64) {
	c.part(at(c.Attributes, i), attributeForms, c.seen[0], i)
}

func (c *damageCheck) typ(i uint64) { c.part(at(c.Types, i), typeForms, c.seen[1], i) }

// part looks at an attribute or type, and before that at what it refers to.
func (c *damageCheck) part(p bytecode.Part, forms map[string]map[uint64]string, seen []partState, i uint64) {
	switch {
	case c.wrong != "" || i >= uint64(len(seen)) || seen[i] == partDone:
		return
	case seen[i] == partOpen:
		c.fail(containsSelf)
		return
	}
	seen[i] = partOpen
	if c.depth++; c.depth > maxDepth { // this recursion has a limit, too
		c.fail(tooDeep)
		return
	}
	defer func() { c.depth-- }()
	r := bytecode.NewReader(p.Data)
	code := r.Number()
	var typ, number uint64 // the last ones
	for _, letter := range forms[p.Dialect][code] {
		switch letter {
		case 'a':
			c.attribute(r.Number())
		case 't':
			typ = r.Number()
			c.typ(typ)
		case 'n':
			number = r.Number()
		case 'A', 'T', 'N', 'D':
			c.list(&r, letter)
		case 'v':
			if width, ok := c.width(typ); p.Dialect == "vhlo" && !c.hasVHLONumber(code, typ) {
				c.fail(otherType)
			} else if ok && width > 64 {
				r.Numbers()
			}
		case 'b':
			data := r.Skip(r.Count())
			switch {
			case r.Lying():
			case p.Dialect == "builtin" && code == codeArray["builtin"]:
				c.array(typ, number, uint64(len(data)))
			default:
				c.dense(p.Dialect, typ, data)
			}
		}
	}
	if r.Lying() {
		c.fail(lyingCount)
	}
	seen[i] = partDone
}

// fail notes what is wrong, if nothing was before.
func (c *damageCheck) fail(wrong string) { c.wrong = cmp.Or(c.wrong, wrong) }

func (c *damageCheck) list(r *bytecode.Reader, letter rune) {
	for n := r.Count(); n > 0 && !r.Ended(); n-- {
		i := r.Number()
		switch letter {
		case 'A':
			c.attribute(i)
		case 'T':
			c.typ(i)
		case 'D':
			c.attribute(i)
			c.attribute(r.Number())
		}
	}
}
