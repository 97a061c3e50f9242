package retext

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestColumn finds what is in the new text in the old one.
func TestColumn(t *testing.T) {
	text := New([]byte("first\nabcdef ghi"), []Edit{Put(13, 0, "("), Put(7, 3, "X"), Put(13, 0, "["), Put(16, 0, ")")})
	check.Diff(t, "the text", "first\naXef ([ghi)", string(text.Bytes()))
	for column, want := range map[int]int{1: 1, 2: 2, 3: 5, 4: 6, 5: 7, 6: 8, 7: 8, 8: 8, 9: 9, 11: 11} {
		check.Diff(t, "column", want, text.Column(2, column))
	}
	check.Diff(t, "a line that is not there", 7, text.Column(3, 7))
}
