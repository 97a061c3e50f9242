package dispatch_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Options.Check gets the configuration of each call site, and its error is that of the binding.
func TestCheckOfOptions(t *testing.T) {
	r := registry(t)
	wrong := errors.New("not this one")
	var got []contract.Config
	check.NoError(t, r.Register("f", nothing, callbacks.Options{Check: func(c contract.Config) error {
		got = append(got, c)
		if c.Legacy.Version == 2 {
			return wrong
		}
		return nil
	}}))
	good, bad := named(r, "f"), named(r, "f")
	good.Legacy.Version, bad.Legacy.Version = 1, 2
	slot, err := dispatch.Resolve(good)
	check.NoError(t, err)
	slot.Close()
	if _, err := dispatch.Resolve(bad); !errors.Is(err, wrong) {
		t.Errorf("the error is %v", err)
	}
	check.Diff(t, "configurations", []contract.Config{good, bad}, got)
}
