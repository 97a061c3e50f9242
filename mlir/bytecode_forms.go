package mlir

import "cmp"

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

// A bytecodeCheck looks through the attributes and types of a module.
type bytecodeCheck struct {
	*bytecodeModule
	seen  [2][]bytecodeState // of attributes, of types
	depth int                // how many are open
	wrong string
}

type bytecodeState byte

const (
	bytecodeOpen bytecodeState = 1 + iota // what it refers to is looked at
	bytecodeDone
)

// damaged returns what is wrong with the attributes and types. The library takes memory for what a count states, never
// comes back from what contains itself, and reads an array up to the size that its type states.
func (m *bytecodeModule) damaged() string {
	c := &bytecodeCheck{bytecodeModule: m}
	for kind, list := range [][]bytecodePart{m.attributes, m.types} {
		c.seen[kind] = make([]bytecodeState, len(list))
	}
	for i := range m.attributes {
		c.attribute(uint64(i))
	}
	for i := range m.types {
		c.typ(uint64(i))
	}
	return c.wrong
}

func (c *bytecodeCheck) attribute(i uint64) {
	c.part(at(c.attributes, i), attributeForms, c.seen[0], i)
}

func (c *bytecodeCheck) typ(i uint64) { c.part(at(c.types, i), typeForms, c.seen[1], i) }

// part looks at an attribute or type, and before that at what it refers to.
func (c *bytecodeCheck) part(p bytecodePart, forms map[string]map[uint64]string, seen []bytecodeState, i uint64) {
	switch {
	case c.wrong != "" || i >= uint64(len(seen)) || seen[i] == bytecodeDone:
		return
	case seen[i] == bytecodeOpen:
		c.fail(containsSelf)
		return
	}
	seen[i] = bytecodeOpen
	if c.depth++; c.depth > maxDeep { // this recursion has a limit, too
		c.fail(tooDeep)
		return
	}
	defer func() { c.depth-- }()
	r := bytecodeReader{data: p.data}
	code := r.number()
	var typ, number uint64 // the last ones
	for _, letter := range forms[p.dialect][code] {
		switch letter {
		case 'a':
			c.attribute(r.number())
		case 't':
			typ = r.number()
			c.typ(typ)
		case 'n':
			number = r.number()
		case 'A', 'T', 'N', 'D':
			c.list(&r, letter)
		case 'v':
			if width, ok := c.width(typ); p.dialect == "vhlo" && !c.hasVHLONumber(code, typ) {
				c.fail(otherType)
			} else if ok && width > 64 {
				r.numbers()
			}
		case 'b':
			data := r.skip(r.count())
			switch {
			case r.lying:
			case p.dialect == "builtin" && code == codeArray["builtin"]:
				c.array(typ, number, uint64(len(data)))
			default:
				c.dense(p.dialect, typ, data)
			}
		}
	}
	if r.lying {
		c.fail(lyingCount)
	}
	seen[i] = bytecodeDone
}

// fail notes what is wrong, if nothing was before.
func (c *bytecodeCheck) fail(wrong string) { c.wrong = cmp.Or(c.wrong, wrong) }

func (c *bytecodeCheck) list(r *bytecodeReader, letter rune) {
	for n := r.count(); n > 0 && !r.ended(); n-- {
		i := r.number()
		switch letter {
		case 'A':
			c.attribute(i)
		case 'T':
			c.typ(i)
		case 'D':
			c.attribute(i)
			c.attribute(r.number())
		}
	}
}
