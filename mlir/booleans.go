package mlir

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// hexBooleans matches the constant of booleans in hexadecimal form, with its dimensions.
var hexBooleans = lazyregexp.New(`dense<"0x([0-9A-Fa-f]+)">\s*:\s*(?:tensor|vector)<((?:\d+x)+)i1>`)

// otherBooleans returns a text whose constants of booleans have the other of two forms, or nil if that is not what the
// library reports, or if there is no such constant. In hexadecimal form MLIR has a byte for each element, and in older
// libraries, such as jaxlib's, a bit, beginning with the lowest one.
func otherBooleans(source []byte, diagnostics []Diagnostic) []byte {
	if IsBytecode(source) || !slices.ContainsFunc(diagnostics, func(d Diagnostic) bool {
		return strings.HasPrefix(d.Message, "elements hex data size is invalid") && strings.Contains(d.Message, "i1>")
	}) {
		return nil
	}
	changed := false
	text := hexBooleans().ReplaceAllFunc(source, func(constant []byte) []byte {
		parts := hexBooleans().FindSubmatch(constant)
		data, err := hex.DecodeString(string(parts[1]))
		n := sizeOf(string(parts[2]))
		var other []byte
		switch {
		case err != nil || n < 2:
			return constant
		case len(data) == n:
			other = make([]byte, (n+7)/8)
			for i, b := range data {
				other[i/8] |= min(b, 1) << (i % 8)
			}
		case len(data) == (n+7)/8:
			other = make([]byte, n)
			for i := range other {
				other[i] = data[i/8] >> (i % 8) & 1
			}
		default:
			return constant
		}
		changed = true
		return bytes.Replace(constant, parts[1], []byte(hex.EncodeToString(other)), 1)
	})
	if !changed {
		return nil
	}
	return text
}

// sizeOf returns the number of elements of dimensions such as 2x3x, or 0 if it is too large.
func sizeOf(dims string) int {
	n := 1
	for d := range strings.SplitSeq(strings.TrimSuffix(dims, "x"), "x") {
		size, err := strconv.Atoi(d)
		if err != nil || size > 1<<31 || n > 1<<31 {
			return 0
		}
		n *= size
	}
	return n
}
