// Package words packs bytes into 64-bit words, as attributes of EXLA have them.
package words

import (
	"encoding/binary"
	"fmt"
)

// Pack packs bytes into 64-bit words in little-endian order, and pads the last one with
// zeros.
func Pack(b string) []int64 {
	words := make([]int64, (len(b)+7)/8)
	var last [8]byte
	for i := range words {
		if n := copy(last[:], b[8*i:]); n < 8 {
			clear(last[n:])
		}
		words[i] = int64(binary.LittleEndian.Uint64(last[:]))
	}
	return words
}

// Unpack returns the size bytes that Pack packed into words.
func Unpack(words []int64, size uint64) (string, error) {
	if n := uint64(len(words)); size > 8*n || size+8 <= 8*n {
		return "", fmt.Errorf("contract: %d words cannot hold exactly %d bytes", n, size)
	}
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	return string(b[:size]), nil
}
