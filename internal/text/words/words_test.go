package words_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/text/words"
)

// FuzzWords packs bytes, and reads words of any size.
func FuzzWords(f *testing.F) {
	f.Add("", uint64(0))
	f.Add("\x01\x00\xff", uint64(3))
	f.Add("0123456789abcdef", uint64(17))
	f.Fuzz(func(t *testing.T, bytes string, size uint64) {
		packed := words.Pack(bytes)
		got, err := words.Unpack(packed, uint64(len(bytes)))
		check.NoError(t, err)
		check.Diff(t, "bytes", bytes, got)
		if got, err := words.Unpack(packed, size); err == nil && uint64(len(got)) != size {
			t.Errorf("%d bytes, not %d", len(got), size)
		}
	})
}
