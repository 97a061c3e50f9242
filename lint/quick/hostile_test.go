package quick_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/lint/quick"
)

// TestHostile checks that no text takes more than linear time, or much stack.
func TestHostile(t *testing.T) {
	const n = 200_000
	var aliases strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&aliases, "#l%d = loc(\"n\"(#l%d))\n", i+1, i)
	}
	tests := map[string]string{
		"open operands":    strings.Repeat(`"stablehlo.outfeed"(`, n),
		"open attributes":  strings.Repeat(`"stablehlo.outfeed"() {`, n),
		"attributes":       strings.Repeat(`"stablehlo.outfeed"() {`, n) + strings.Repeat("}", n),
		"types":            strings.Repeat(`"stablehlo.outfeed"() : (`, n) + strings.Repeat(")", n),
		"result types":     strings.Repeat(`"stablehlo.outfeed"() : () -> (`, n),
		"type bodies":      strings.Repeat(`"stablehlo.outfeed"() : tensor<`, n) + strings.Repeat(">", n),
		"locations":        strings.Repeat(`"stablehlo.outfeed"() : i1 loc(`, n) + strings.Repeat(")", n),
		"open locations":   strings.Repeat(`"stablehlo.outfeed"() : i1 loc(`, n),
		"same alias":       strings.Repeat("\"stablehlo.outfeed\"() : i1 loc(#l)\n", n) + "#l = loc(unknown)",
		"nested aliases":   "\"stablehlo.outfeed\"() : i1 loc(#l" + fmt.Sprint(n/4) + ")\n" + aliases.String(),
		"custom form":      strings.Repeat(`stablehlo.create_token {`, n),
		"custom forms":     strings.Repeat(`stablehlo.create_token {`, n) + strings.Repeat("}", n),
		"bodies":           strings.Repeat("#a<", n) + "feed",
		"names":            strings.Repeat("feed.create_token", n) + " feed",
		"minus":            strings.Repeat("feed-", n),
		"without operator": strings.Repeat(`"stablehlo.outfeed"() `, n),
		"after a word":     "a " + strings.Repeat(`b c d "stablehlo.outfeed"() `, n),
		"spaces":           strings.Repeat("\"stablehlo.outfeed\" \n", n),
		"escapes":          strings.Repeat(`"\73"`, n),
		"resources":        strings.Repeat("{-#", n) + "feed",
		"comments":         strings.Repeat("\"stablehlo.outfeed\"//\n", n),
		"one line":         strings.Repeat(`stablehlo.create_token : i1 `, n),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			findings, err := quick.Check("f", []byte(text))
			took := time.Since(start)
			t.Logf("%d bytes, %d findings, %v, %v", len(text), len(findings), err, took)
			if took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
