package dispatch_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/google/go-cmp/cmp"
)

func nothing(*callbacks.Frame) error { return nil }

// registry makes one for the test, named after it.
func registry(t testing.TB) *callbacks.Registry {
	t.Helper()
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	noError(t, err)
	t.Cleanup(r.Close)
	return r
}

// named is the Config of a callback bound by name, in a registry.
func named(r *callbacks.Registry, name string) contract.Config {
	return contract.Config{Form: contract.Call, Callback: name, Registry: r.Name()}
}

func withID(r *callbacks.Registry, id int64) contract.Config {
	return contract.Config{Form: contract.Call, ID: id, Registry: r.Name()}
}

func diff(t testing.TB, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantText(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %s", want)
		return
	}
	diff(t, "error", want, err.Error())
}

func wantAs[E error](t testing.TB, err error) (e E) {
	t.Helper()
	if !errors.As(err, &e) {
		t.Fatalf("got the error %v (%T), want a %T", err, err, e)
	}
	return e
}

func wantUnknown(t testing.TB, err error, want callbacks.UnknownError) {
	t.Helper()
	diff(t, "error", want, *wantAs[*callbacks.UnknownError](t, err))
}
