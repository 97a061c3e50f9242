package quick_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/quick"
)

// TestNames shows that only names of operations make the text around them read: a text with other words of their
// letters may even end in a string.
func TestNames(t *testing.T) {
	check.NoRaces(t)
	for text, want := range map[string]string{
		`func.func @feed(%infeed: i32, %n_token: i32) { x.y {token = "`: "",
		`func.func @feed() { stablehlo.outfeed "`:                       "the string does not end on its line, or has an unknown escape",
	} {
		_, err := quick.Check("f", []byte(text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		check.Diff(t, text, want, got)
	}
}
