package guard

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// The verifiers of chlo.broadcast_… index with the broadcast dimensions.
var chlo = dialect{
	texts: []func([]byte) (int, string){negativeDimension},
	marks: []string{"broadcast_dimensions", "chlo\x00"},
	op: func(m *module, op bytecode.Op) string {
		if !strings.HasPrefix(op.Name, chloBroadcast) {
			return ""
		}
		i, ok := m.attribute(op, "broadcast_dimensions", 0, true)
		if ok && slices.ContainsFunc(m.elements(i), func(d int64) bool { return d < 0 }) {
			return negativeDims
		}
		return ""
	},
}

const (
	chloBroadcast = "chlo.broadcast_"
	negativeDims  = "a chlo.broadcast_ op has negative broadcast dimensions: the library would crash on it"
)

var (
	negativeBroadcast = lazyregexp.New(`broadcast_dimensions"?\s*=\s*(?:` + negatives + `|(#[A-Za-z_][\w$.]*))`)
	negativeAlias     = lazyregexp.New(`(#[A-Za-z_][\w$.]*)\s*=\s*` + negatives)
)

const negatives = `array\s*<\s*i64\s*:[^>]*-\d`

// negativeDimension looks for broadcast dimensions in a text one of which is negative.
func negativeDimension(data []byte) (at int, wrong string) {
	if !bytes.Contains(data, []byte(chloBroadcast)) {
		return 0, ""
	}
	var aliases map[string]bool // of negative numbers
	for _, m := range negativeBroadcast().FindAllSubmatchIndex(data, -1) {
		if m[2] < 0 {
			return m[0], negativeDims
		}
		if aliases == nil {
			aliases = map[string]bool{}
			for _, a := range negativeAlias().FindAllSubmatch(data, -1) {
				aliases[string(a[1])] = true
			}
		}
		if aliases[string(data[m[2]:m[3]])] {
			return m[0], negativeDims
		}
	}
	return 0, ""
}
