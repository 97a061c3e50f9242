package guard

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// The verifiers of collective operations look at each number of their groups. A splat may stand for
// so many that this never ends.

// maxGroups is more numbers than there are devices.
const maxGroups = 1 << 24

const tooManyGroups = "its groups of devices have more than 16777216 numbers: the library would hang on it"

// groupsOf has the attribute of an operation, without its dialect, and the position among its properties.
var groupsOf = map[string]struct {
	name     string
	position int
}{
	"all_gather":           {"replica_groups", 2},
	"all_reduce":           {"replica_groups", 1},
	"all_to_all":           {"replica_groups", 2},
	"collective_broadcast": {"replica_groups", 1},
	"collective_permute":   {"source_target_pairs", 1},
	"collective_reduce":    {"replica_groups", 2},
	"reduce_scatter":       {"replica_groups", 1},
}

// collective returns the name of a collective operation without its dialect and VHLO's version.
func collective(op string) string {
	dialect, name, _ := strings.Cut(op, ".")
	switch dialect {
	case "vhlo":
		name = name[:max(0, strings.LastIndex(name, "_v"))]
	case "stablehlo", "mhlo":
	default:
		return ""
	}
	return name
}

// manyElements reports whether a shape has more elements than groups may have.
func manyElements(dims []int64) bool {
	n := int64(1)
	for _, d := range dims {
		switch {
		case d == 0:
			return false
		case d > 0 && n <= maxGroups: // n*d does not overflow
			n *= min(d, maxGroups+1)
		}
	}
	return n > maxGroups
}

const splat = `dense\s*<[^>]*>\s*:\s*(?:tensor<([\d\sx]+)x\s*[iu]|(![A-Za-z_][\w$.]*))`

var (
	groupSplat = lazyregexp.New(`(?:replica_groups|source_target_pairs)"?\s*=\s*(?:` + splat +
		`|(#[A-Za-z_][\w$.]*))`)
	splatAlias = lazyregexp.New(`(?m)^\s*([#!][A-Za-z_][\w$.]*)\s*=\s*(?:` + splat + `|tensor<([\d\sx]+)x\s*[iu])`)
)

// largeGroups looks for groups in a text that have too many numbers.
func largeGroups(text []byte) (at int, wrong string) {
	// The ends of replica_groups and source_target_pairs: a search for a rare first byte is several times faster.
	if !bytes.Contains(text, []byte("_groups")) && !bytes.Contains(text, []byte("_pairs")) {
		return 0, ""
	}
	var aliases map[string]bool // those of large shapes
	large := func(shape []byte, names ...[]byte) bool {
		if manyElements(textDims(shape)) {
			return true
		}
		for _, name := range names {
			if len(name) > 0 && aliases[string(name)] {
				return true
			}
		}
		return false
	}
	for _, m := range groupSplat().FindAllSubmatchIndex(text, -1) {
		part := func(i int) []byte {
			if m[2*i] < 0 {
				return nil
			}
			return text[m[2*i]:m[2*i+1]]
		}
		if aliases == nil && len(part(2))+len(part(3)) > 0 {
			aliases = map[string]bool{}
			for _, a := range splatAlias().FindAllSubmatch(text, -1) {
				aliases[string(a[1])] = large(a[2], a[3]) || large(a[4])
			}
		}
		if large(part(1), part(2), part(3)) {
			return m[0], tooManyGroups
		}
	}
	return 0, ""
}

// textDims returns the dimensions in a text such as 2x3.
func textDims(shape []byte) (dims []int64) {
	for _, d := range bytes.Split(shape, []byte("x")) {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(d)), 10, 64)
		if err != nil {
			return nil
		}
		dims = append(dims, n)
	}
	return dims
}
