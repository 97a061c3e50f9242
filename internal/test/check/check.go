// Package check compares what a test got with what it wants.
package check

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Diff reports how got differs from want.
func Diff(t testing.TB, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// NoError stops the test if err is not nil.
func NoError(t testing.TB, err error) {
	if err != nil {
		t.Helper() // not before, because loops call NoError
		t.Fatal(err)
	}
}

// Report reports err if it is not nil. The test goes on, and may be in another goroutine.
func Report(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Error(err)
	}
}

// Error reports an err that is nil or whose text lacks one of the parts.
func Error(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("there is no error, want one that says %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}

// Must returns v, and panics if err is not nil: for what a test cannot go on without.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Panics reports an f that does not panic with a string that contains part.
func Panics(t testing.TB, part string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got == nil {
			t.Errorf("there is no panic, want one that says %q", part)
		} else if text, ok := got.(string); !ok || !strings.Contains(text, part) {
			t.Errorf("the panic is %v (%T), want a string that says %q", got, got, part)
		}
	}()
	f()
}

// Cleanup closes c when the test ends, and fails the test if that returns an error.
func Cleanup(t testing.TB, c io.Closer) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing a %T: %v", c, err)
		}
	})
}

// Text reports an err that is nil or has another text.
func Text(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("there is no error, want %s", want)
		return
	}
	Diff(t, "the error", want, err.Error())
}

// As returns err, or the first error that it wraps, that is an E. It stops the test if there is
// none.
func As[E error](t testing.TB, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got the error %v (%T), want a %T", err, err, e)
	}
	return e
}
