package dispatch_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func nothing(*callbacks.Frame) error { return nil }

// registry makes one for the test, named after it.
func registry(t testing.TB) *callbacks.Registry {
	t.Helper()
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// named is the Config of a callback bound by name, in a registry.
func named(r *callbacks.Registry, name string) contract.Config {
	return contract.Config{Form: contract.Call, Callback: name, Registry: r.Name()}
}

func withID(r *callbacks.Registry, id int64) contract.Config {
	return contract.Config{Form: contract.Call, ID: id, Registry: r.Name()}
}

func wantUnknown(t testing.TB, err error, want callbacks.UnknownError) {
	t.Helper()
	check.Diff(t, "error", want, *check.As[*callbacks.UnknownError](t, err))
}
