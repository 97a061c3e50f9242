package cached

import (
	"bytes"
	"testing"
)

func TestCopy(t *testing.T) {
	for _, size := range []struct{ to, from int }{
		{0, 0}, {1, 1}, {8, 5}, {5, 8},
		{piece - 1, piece - 1}, {piece, piece}, {piece + 1, piece + 1}, {3*piece + 7, 3*piece + 7},
		{2 * piece, piece + 3}, {piece + 3, 2 * piece}, {most, most}, {most + 1, most + 1},
	} {
		from, to, want := make([]byte, size.from), make([]byte, size.to), make([]byte, size.to)
		for i := range from {
			from[i] = byte(i*7 + i>>8)
		}
		if got, wantN := Copy(to, from), copy(want, from); got != wantN {
			t.Errorf("Copy of %d bytes to %d copied %d, want %d", size.from, size.to, got, wantN)
		}
		if !bytes.Equal(to, want) {
			t.Errorf("Copy of %d bytes to %d differs from copy", size.from, size.to)
		}
	}
}
