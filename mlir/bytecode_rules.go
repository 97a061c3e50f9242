package mlir

import (
	"bytes"
	"slices"
)

// shardingRule is an attribute of calls, of Shardy. It tells a partitioner which dimensions it may
// divide. What a module computes does not depend on it.
const shardingRule = "sdy.sharding_rule"

// withoutRules returns bytecode of JAX in which sharding rules are strings of spaces, because no
// library reads Shardy's encoding of them. It returns nil for a module that has none, and for one
// that needs Shardy for more.
func withoutRules(data []byte) []byte {
	if !IsBytecode(data) || !bytes.Contains(data, []byte(shardingRule)) {
		return nil
	}
	if bytes.Count(data, []byte("sdy.")) > bytes.Count(data, []byte(shardingRule)) {
		return nil
	}
	data = bytes.Clone(data)
	sections := bytecodeSections(data)
	values, offsets := sections[attributeSection], sections[offsetSection]
	shardy := slices.Index(sectionDialects(sections), "sdy")
	found := false
	left := offsets.number() // of the attributes; types follow
	offsets.number()
	for left > 0 && !offsets.ended() {
		is := offsets.number() == uint64(shardy)
		for n := offsets.number(); n > 0 && left > 0 && !offsets.ended(); n-- {
			left--
			at := offsets.at
			size := offsets.number()
			value := values.skip(size >> 1)
			if encoded := size&1 != 0; is && encoded && len(value) >= len(`""`)+1 {
				found = true
				offsets.clearLowestBit(at)
				for i := range value {
					value[i] = ' '
				}
				value[0], value[len(value)-2], value[len(value)-1] = '"', '"', 0
			}
		}
	}
	if !found {
		return nil
	}
	return data
}

// removeRules removes what withoutRules leaves of sharding rules.
func (m *Module) removeRules() {
	for op := range m.Operation().All() {
		op.RemoveAttribute(shardingRule)
	}
}

// clearLowestBit makes the integer at a position even. Its lowest bit follows the lowest one of the
// first byte, which states its size, or is in the next byte.
func (r *bytecodeReader) clearLowestBit(at int) {
	if bit := r.data[at] & -r.data[at] << 1; bit != 0 {
		r.data[at] &^= bit
	} else {
		r.data[at+1] &^= 1
	}
}
