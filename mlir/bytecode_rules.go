package mlir

import "bytes"

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
	found := false
	for _, a := range readBytecode(data).attributes {
		found = a.dialect == shardy && a.empty() || found
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

// clearLowestBit makes the integer at the start of data even. Its lowest bit follows the lowest one of the
// first byte, which states its size, or is in the next byte.
func clearLowestBit(data []byte) {
	if bit := data[0] & -data[0] << 1; bit != 0 {
		data[0] &^= bit
	} else {
		data[1] &^= 1
	}
}
