package native

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestInstead fetches a part that the package index does not have.
func TestInstead(t *testing.T) {
	cache, meet := setUp(t, "", "python3")
	_, err := Find(gonePart)
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || missing.Part != gonePart {
		t.Errorf("Find before anything is fetched: %v", err)
	}
	var progress bytes.Buffer
	want := Location{Path: testSlot(cache).library, Source: FromCache, Version: "calliope-test 1.2.3"}
	check.Diff(t, "Ensure", want, check.Must(Ensure(t.Context(), gonePart, EnsureOptions{Progress: &progress})))
	check.Diff(t, "progress",
		`fetching the library that is gone: calliope-gone 9.9 (0 MB), with python3 -I -m pip, into `+cache+`
the package index does not have calliope-gone 9.9: using calliope-test 1.2.3 instead, which lacks something: everything
fetching the test library: calliope-test 1.2.3 (1 MB), with python3 -I -m pip, into `+cache+`
`, progress.String())
	check.Diff(t, "Find", want, check.Must(Find(gonePart)))
	if n := len(downloads(t, meet)); n != 2 {
		t.Errorf("pip ran %d times", n)
	}

	// The index is asked again after an hour, and not before.
	for _, test := range []struct {
		age  time.Duration
		want int
	}{{askAgain / 2, 2}, {2 * askAgain, 3}, {0, 3}} {
		if test.age > 0 {
			at := time.Now().Add(-test.age)
			check.NoError(t, os.Chtimes(check.Must(table[gonePart].mark()), at, at))
		}
		check.Diff(t, "Ensure again", want,
			check.Must(Ensure(t.Context(), gonePart, EnsureOptions{Progress: &progress})))
		if n := len(downloads(t, meet)); n != test.want {
			t.Errorf("after %v pip ran %d times, want %d", test.age, n, test.want)
		}
	}
	check.Diff(t, "Ensure offline", want, check.Must(Ensure(t.Context(), gonePart, EnsureOptions{Offline: true})))
}

// TestInsteadOffline checks that a part is not replaced if the index cannot be reached.
func TestInsteadOffline(t *testing.T) {
	_, meet := setUp(t, "offline", "python3")
	var progress bytes.Buffer
	_, err := Ensure(t.Context(), gonePart, EnsureOptions{Progress: &progress})
	check.Error(t, err, "could not fetch calliope-gone 9.9: look at the network")
	if strings.Contains(progress.String(), "instead") || len(downloads(t, meet)) != 1 {
		t.Errorf("another part is fetched: %s", &progress)
	}
}

// TestInsteadFails checks the error if neither part can be fetched.
func TestInsteadFails(t *testing.T) {
	setUp(t, "", "python3")
	s := table[testPart]
	defer func() { table[testPart] = s }()
	gone := s
	gone.project = "calliope-gone-too"
	table[testPart] = gone
	_, err := Ensure(t.Context(), gonePart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "could not fetch calliope-gone 9.9")
	check.Error(t, err, "could not fetch calliope-gone-too 1.2.3")
}
