package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestCorpusArtifacts takes every good module to a portable artifact and back: it is the
// same module again, but for what an artifact writes in one way only and the operations
// of CHLO, and a second artifact has the same bytes.
func TestCorpusArtifacts(t *testing.T) {
	check.NoRaces(t)
	eachFile(t, isGood, func(t *testing.T, c *mlir.Context, row corpusRow) {
		m := parse(t, c, row.file(), row.read(t))
		artifact, err := stablehlo.PortableArtifact(m, "")
		check.NoError(t, err)
		again := parse(t, newContext(t), "artifact", artifact)
		if strings.Contains(m.String(), "chlo.") {
			check.Diff(t, "has operations of CHLO", false, strings.Contains(again.String(), "chlo."))
		} else if diff := cmp.Diff(portable(m), portable(again)); diff != "" {
			t.Errorf("not the same module (-want +got):\n%s", diff)
		}
		second, err := stablehlo.PortableArtifact(again, "")
		check.NoError(t, err)
		if string(artifact) != string(second) {
			t.Error("the second artifact has other bytes")
		}
	})
}

var (
	// defaults are attributes that say what holds without them too.
	defaults = regexp.MustCompile(`(?:` + strings.Join([]string{
		`precision_config = \[(?:#stablehlo<precision DEFAULT>(?:, )?)*\]`,
		`(?:lhs_dilation|rhs_dilation|base_dilations|window_dilations|window_strides) = array<i64: 1(?:, 1)*>`,
		`window_reversal = array<i1: false(?:, false)*>`,
		`padding = dense<0> : tensor<\dx2xi64>`,
		`backend_config = ""`,
		`(?:has_side_effect|indices_are_sorted|unique_indices) = false`,
	}, "|") + `)(?:, )?`)
	lastComma = regexp.MustCompile(`, (\}|>)`)
	noneLeft  = regexp.MustCompile(` <\{\}>`)
	// integers are an array<i64: …>, which comes back from a dictionary as dense<…>.
	integers = regexp.MustCompile(`array<i64: ([-\d, ]+)>`)
	// channelType is of a channel's handle, of which only the number comes back.
	channelType = regexp.MustCompile(`(#stablehlo\.channel_handle<handle = \d+,) type = \d+>`)
	// lastReturn ends a function, as func.return does.
	lastReturn = regexp.MustCompile(`(?m)^(    )"stablehlo.return"`)
)

// portable is a module's text, in the generic form, with what an artifact writes in one
// way only written in that way.
func portable(m *mlir.Module) string {
	text := m.Operation().Print(mlir.PrintOptions{Generic: true})
	for _, r := range []struct {
		what *regexp.Regexp
		by   string
	}{{noArgAttrs, ""}, {defaults, ""}, {lastComma, "$1"}, {noneLeft, ""}, {lastReturn, `$1"func.return"`},
		{channelType, "$1 type = 0>"}} {
		text = r.what.ReplaceAllString(text, r.by)
	}
	return integers.ReplaceAllStringFunc(text, func(array string) string {
		list := integers.FindStringSubmatch(array)[1]
		numbers := strings.Split(list, ", ")
		if slices.Equal(numbers, slices.Repeat(numbers[:1], len(numbers))) {
			list = numbers[0]
		} else {
			list = "[" + list + "]"
		}
		return fmt.Sprintf("dense<%s> : tensor<%dxi64>", list, len(numbers))
	})
}
