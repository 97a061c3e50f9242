package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestFormatMessage(t *testing.T) {
	for message, want := range map[string]string{
		"":                        "",
		"no values":               "no values",
		"{0} and {1}, {0}":        "3 and -4, 3",
		"{{0}} {{{1}}}":           "{0} {-4}",
		"{2} {-1} {} {x} {0":      "{2} {-1} {} {x} {0",
		"}":                       "}",
		"{99999999999999999999}.": "{99999999999999999999}.",
	} {
		check.Diff(t, message, want, formatMessage(message, []string{"3", "-4"}))
	}
}
