package quick_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/quick"
)

// TestWithoutLocations checks which locations become spaces: ␣ stands for one here.
func TestWithoutLocations(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`%0 = a.b : i1 loc("x":1:2)`, `%0 = a.b : i1 ␣␣␣␣␣␣␣␣␣␣␣␣`},
		{`a.b() : () loc ( callsite("f"(#l) at "y":3:4) ) c.d`, `a.b() : () ␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣␣ c.d`},
		{"a.b loc(\r\n #l)", "a.b ␣␣␣␣␣\n␣␣␣␣"},
		{`func.func @f(%x: i1 {a.b} loc(#l)) {} loc(#l)`, `func.func @f(%x: i1 {a.b} ␣␣␣␣␣␣␣) {} ␣␣␣␣␣␣␣`},
		{"\ufeffa.b loc(#l)", "\ufeffa.b ␣␣␣␣␣␣␣"},
		// Attributes, aliases, names, strings and comments stay.
		{`a.b {at = loc(#l), more = [loc(#l), loc("x")]}`, ""},
		{`#l = loc("x":1:2)`, ""},
		{`a.b {c = #d.e<loc(#l)>}`, ""},
		{`loc.loc "loc(#l)" @loc(%loc) // loc(#l)`, ""},
		// Damaged text is not read to its end.
		{`a.b loc(#l`, ""},
		{`a.b "loc(#l)`, ""},
	} {
		blank, located := quick.WithoutLocations([]byte(test.text))
		want := strings.ReplaceAll(test.want, "␣", " ")
		if want == "" {
			want = test.text
		}
		check.Diff(t, test.text, want, string(blank))
		check.Diff(t, test.text+" has locations", test.want != "", located)
	}
}
