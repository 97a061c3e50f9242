package contract

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestPolicy(t *testing.T) {
	for _, test := range []struct {
		policy Policy
		want   Placement
	}{
		{"", Placement{}}, {"per_device", Placement{Kind: PerDevice}}, {"once", Placement{Kind: Once}},
		{"gather", Placement{Kind: Gather}}, {"once:1", Placement{Once, 1}}, {"gather:1023", Placement{Gather, 1023}},
	} {
		got, err := test.policy.Placement()
		check.NoError(t, err)
		check.Diff(t, string(test.policy), test.want, got)
		check.Diff(t, "text", test.policy, got.Kind.On(got.Device))
	}
	zero, err := Policy("once:0").Placement()
	check.NoError(t, err)
	check.Diff(t, "once:0", Placement{Kind: Once}, zero)
	for _, p := range []Policy{
		"Once", "once:", Once.On(-1), "once:01", "once:+1", Once.On(1).On(2), "once:x", ":1", ":", PerDevice.On(1),
		"all",
		" once",
		"gather:99999999999999999999",
	} {
		_, err := p.Placement()
		check.Error(t, err, `there is no device policy "`+string(p)+`": use "per_device", "once" or "gather"`)
	}
}
