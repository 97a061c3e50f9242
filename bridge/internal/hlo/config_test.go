package hlo

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestParseConfig(t *testing.T) {
	for text, want := range map[string][]contract.Attr{
		"":   nil,
		"{}": nil,
		`{callback = "a\22\\\0A\C3\A9}", form = "call", v = 1 : i64}`: {{Key: "callback", Value: "a\"\\\né}"},
			{Key: "form", Value: "call"}, {Key: "v", Value: int64(1)}},
		`{"a b" = true, c = false, n = -7 : i64, m = 7 : ui64}`: {{Key: "a b", Value: true}, {Key: "c", Value: false},
			{Key: "n", Value: int64(-7)}, {Key: "m", Value: uint64(7)}},
		`{a = array<i64: 1, -2>, b = array<i64>}`: {{Key: "a", Value: []int64{1, -2}}, {Key: "b", Value: []int64{}}},
		`{a = dense<[1, -2]> : tensor<2xi64>, b = dense<3> : tensor<2xi64>}`: {
			{Key: "a", Value: []int64{1, -2}}, {Key: "b", Value: []int64{3, 3}},
		},
		`{a = dense<"0x01000000000000000200000000000000"> : tensor<2xi64>}`: {{Key: "a", Value: []int64{1, 2}}},
		`{a = dense<> : tensor<0xi64>}`:                                     {{Key: "a", Value: []int64{}}},
	} {
		got, err := ParseConfig(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		check.Diff(t, text, want, got, cmpopts.EquateEmpty())
		for n := range text { // a damaged text is an error at most
			_, _ = ParseConfig(text[:n])
			_, _ = ParseConfig(text[n:])
		}
	}
	for _, bad := range []string{"x", "{", "{a}", "{= 1 : i64}", `{a = "x}`, `{a = "x\`, "{a = 1}", "{a = 1 : i32}",
		"{a = x : i64}", "{a = 1 : i64 b = 2 : i64}", "{} {}", "{a = dense<[1]> : tensor<2xi64>}",
		`{a = dense<"0x01"> : tensor<1xi64>}`, "{a = dense<1> : tensor<-1xi64>}", "{a = array<i64: x>}"} {
		if got, err := ParseConfig(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}
