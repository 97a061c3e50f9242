package guard

import (
	"bytes"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
)

// Shardy is the namespace of Shardy's dialect.
const Shardy = "sdy"

// ShardingRule is an attribute of calls, of Shardy. It tells a partitioner which dimensions it may divide. What a
// module computes does not depend on it.
const ShardingRule = "sdy.sharding_rule"

// WithoutRules returns bytecode of JAX in which sharding rules are strings of spaces, because no library reads Shardy's
// encoding of them. It returns nil for a module that has none, and for one that needs Shardy for more.
func WithoutRules(data []byte) []byte {
	if !bytecode.Is(data) || !bytes.Contains(data, []byte(ShardingRule)) ||
		bytes.Count(data, []byte("sdy.")) > bytes.Count(data, []byte(ShardingRule)) {
		return nil
	}
	return bytecode.Emptied(data, Shardy)
}

// EncodesShardy reports whether a module is bytecode in which Shardy's dialect encodes attributes in a form of its own,
// which no library known here reads.
func EncodesShardy(data []byte) bool {
	if !bytecode.Is(data) || !bytes.Contains(data, []byte(Shardy)) {
		return false
	}
	m := bytecode.Open(data)
	m.Read()
	return m.Encodes(Shardy)
}
