package contract

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

func TestParsePolicy(t *testing.T) {
	for _, test := range []struct {
		text string
		want Policy
	}{
		{"", Policy{}}, {"per_device", Policy{Kind: PerDevice}}, {"once", Policy{Kind: Once}},
		{"gather", Policy{Kind: Gather}}, {"once:1", Policy{Once, 1}}, {"gather:1023", Policy{Gather, 1023}},
	} {
		got, err := ParsePolicy(test.text)
		check.NoError(t, err)
		check.Diff(t, test.text, test.want, got)
		check.Diff(t, "text", test.text, got.String())
	}
	zero, err := ParsePolicy("once:0")
	check.NoError(t, err)
	check.Diff(t, "once:0", Policy{Kind: Once}, zero)
	for _, text := range []string{
		"Once", "once:", "once:-1", "once:01", "once:+1", "once:1:2", "once:x", ":1", ":", "per_device:1", "all",
		" once",
		"gather:99999999999999999999",
	} {
		_, err := ParsePolicy(text)
		check.Error(t, err, `there is no device policy "`+text+`": use "per_device", "once" or "gather"`)
	}
}
