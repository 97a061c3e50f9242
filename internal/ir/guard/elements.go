package guard

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// The bits of numbers, by the codes of their types.
var (
	builtinBits = map[uint64]uint64{1: 64, 3: 16, 4: 16, 5: 32, 6: 64, 7: 80, 8: 128}
	vhloFloats  = map[uint64]uint64{2: 16, 3: 16, 4: 32, 5: 64, 6: 8, 7: 8, 27: 8, 28: 8, 29: 8, 34: 19, 35: 8, 36: 8,
		37: 4, 38: 6, 39: 6, 40: 8}
	vhloIntegers = map[uint64]uint64{9: 64, 10: 4, 11: 8, 12: 16, 13: 32, 14: 64, 15: 4, 16: 8, 17: 16, 18: 32, 19: 64}
	vhloOthers   = map[uint64]uint64{0: 1, 31: 2, 32: 2} // of elements alone
)

const (
	codeVHLOFloat = 8  // of an attribute of one float
	lastBuiltin   = 20 // the last code of types that all libraries have
)

// width returns the bits of a type of numbers, or 0 of another type, and whether they are known.
func (m *module) width(typ uint64) (width uint64, known bool) {
	part := at(m.Types, typ)
	r := bytecode.NewReader(part.Data)
	switch code := r.Number(); {
	case part.Text != nil:
		return textWidth(string(part.Text))
	case part.Dialect == "builtin" && code == 0:
		return r.Number() >> 2, true
	case part.Dialect == "builtin" && code <= lastBuiltin:
		return builtinBits[code], true
	case part.Dialect == "vhlo":
		return vhloFloats[code] + vhloIntegers[code] + vhloOthers[code], true
	}
	return 0, false
}

// textWidth is width of a type that has no code, such as f8E4M3FN.
func textWidth(text string) (width uint64, known bool) {
	if strings.HasPrefix(text, "tf32") {
		return 19, true
	}
	digits, isFloat := strings.CutPrefix(text, "f")
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = digits[:i]
	}
	width, err := strconv.ParseUint(digits, 10, 8)
	return width, isFloat && err == nil
}

// hasVHLONumber reports whether the type of a number of VHLO is one that its attribute takes.
func (m *module) hasVHLONumber(attribute, typ uint64) bool {
	part := at(m.Types, typ)
	r := bytecode.NewReader(part.Data)
	numbers := vhloIntegers
	if attribute == codeVHLOFloat {
		numbers = vhloFloats
	}
	return part.Dialect == "vhlo" && numbers[r.Number()] > 0
}

// elementSize returns the bytes that an element takes, or 0 if the type is not one of elements, and whether they are
// known. A complex type that contains itself has none.
func (m *module) elementSize(typ uint64) (size uint64, known bool) {
	parts := uint64(1)
	if r, ok := content(m.Types, typ, codeComplex); ok {
		parts, typ = 2, r.Number()
	}
	width, known := m.width(typ)
	return parts * ((width + 7) / 8), known
}

// array looks at a list of numbers of a type, which takes size bytes.
func (c *damageCheck) array(typ, number, size uint64) {
	switch each, known := c.elementSize(typ); {
	case !known:
	case each == 0:
		c.fail(otherType)
	case number > size || number*each != size:
		c.fail(otherSize)
	}
}

// dense looks at the bytes of an array: those of one element if all are equal. Booleans may take a bit each. The
// library compares the elements with the first one up to one that differs, also behind the end of the bytes. If it does
// not get there, misfits finds what is wrong, and names the operation.
func (c *damageCheck) dense(dialect string, typ uint64, data []byte) {
	part := at(c.Types, typ)
	r := bytecode.NewReader(part.Data)
	code := r.Number()
	switch shaped := typeForms[part.Dialect][code]; {
	case part.Text != nil || part.Dialect == "builtin" && code >= lastBuiltin:
		return
	case part.Dialect == dialect && shaped == "aNt":
		r.Number()
	case part.Dialect != dialect || shaped != "Nt":
		c.fail(otherType)
		return
	}
	elements := uint64(1)
	for n := r.Count(); n > 0; n-- {
		dimension := r.Signed()
		high, low := bits.Mul64(elements, uint64(dimension))
		if elements = low; dimension < 0 || high > 0 {
			c.fail(otherSize)
			return
		}
	}
	element, size := r.Number(), uint64(len(data))
	each, known := c.elementSize(element)
	width, _ := c.width(element)
	switch {
	case !known:
	case each == 0:
		c.fail(otherType)
	case size == each, elements <= size && elements*each <= size, width == 1 && size == (elements+7)/8:
	case !differs(data, int(each)):
		c.fail(otherSize)
	}
}

// differs reports whether one of the elements differs from the first one.
func differs(data []byte, each int) bool {
	for i := each; i+each <= len(data); i += each {
		if !bytes.Equal(data[:each], data[i:i+each]) {
			return true
		}
	}
	return false
}
