package parts_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/parts"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestOf(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   {""},
		"a":                                  {"a"},
		"a\n// -----\nb\n":                   {"a\n", "\n\nb\n"},
		"// -----\nb":                        {"", "\nb"},
		"a\n  \t// -----\r\nb\n// ----- c\n": {"a\n", "\n\nb\n", "\n\n\n\n"},
		"a // -----\n// ------\n//-----\nb":  {"a // -----\n// ------\n//-----\nb"},
	} {
		var got []string
		for _, p := range parts.Of([]byte(text)) {
			got = append(got, string(p.Padded()))
			check.Diff(t, "start", text[p.Start:p.Start+len(p.Data)], string(p.Data))
			check.Diff(t, "without the lines", string(p.Data), string(p.Unpadded(p.Padded())))
		}
		check.Diff(t, text, want, got)
	}
}
