package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestEnsureFetches(t *testing.T) {
	tests := []struct {
		name, mode string
		programs   []string
		want       string // how pip is started
	}{
		{"python3", "", []string{"python3", "pip3", "uv"}, "python3 -I -m pip"},
		{"python3 without pip", "nopip", []string{"python3", "pip3", "uv"}, "pip3"},
		{"only uv", "", []string{"uv"}, "uv tool run pip"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, meet := setUp(t, test.mode, test.programs...)
			var progress bytes.Buffer
			got, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: &progress})
			check.NoError(t, err)
			sl := testSlot(cache)
			want := Location{Path: sl.library, Source: FromCache, Version: "calliope-test 1.2.3"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Ensure (-want +got):\n%s", diff)
			}
			data, err := os.ReadFile(got.Path)
			if err != nil || !bytes.Equal(data, libraryBytes) {
				t.Errorf("the library's bytes differ from the wheel's (%d, want %d), error %v", len(data),
					len(libraryBytes), err)
			}
			if diff := cmp.Diff(wholeCache(), files(t, cache)); diff != "" {
				t.Errorf("files in the cache (-want +got):\n%s", diff)
			}
			r, err := readRecord(sl.record)
			check.NoError(t, err)
			wantRecord := record{Wheel: testWheel, Pin: sum(wheelBytes()), SHA256: sum(libraryBytes),
				Size: int64(len(libraryBytes))}
			if diff := cmp.Diff(wantRecord, r); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			// The whole command line: above all, it names no package index.
			wantCommand := []string{"TMPDIR=" + filepath.Join(sl.dir, "download", "tmp") + " " + test.want +
				" download --no-deps --only-binary=:all: --no-input --disable-pip-version-check" +
				" --platform any_platform --python-version 3.11 --implementation cp --abi cp311" +
				" -d " + filepath.Join(sl.dir, "download", "wheel") + " calliope-test==1.2.3"}
			if diff := cmp.Diff(wantCommand, downloads(t, meet)); diff != "" {
				t.Errorf("pip's command line (-want +got):\n%s", diff)
			}
			wantProgress := "fetching the test library: calliope-test 1.2.3 (1 MB), with " + test.want + ", into " +
				cache + "\n"
			if diff := cmp.Diff(wantProgress, progress.String()); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}

			// Once it is there, nothing more is needed: no pip, no network.
			t.Setenv("PATH", "")
			progress.Reset()
			again, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: &progress})
			if err != nil || again != got || progress.Len() > 0 {
				t.Errorf("second Ensure: %+v, %v, progress %q", again, err, progress.String())
			}
		})
	}
}

func TestEnsureErrors(t *testing.T) {
	check.NoRaces(t)
	bad := wheelBytes()
	bad[100] ^= 1
	python := []string{"python3"}
	tests := []struct {
		name, mode string
		programs   []string
		want       []string
	}{
		{"no network", "offline", python, []string{"could not fetch calliope-test 1.2.3", "look at the network",
			"Temporary failure in name resolution", "No matching distribution", "set CALLIOPE_TEST_LIBRARY"}},
		{"pip says nothing", "silent", python, []string{"could not fetch calliope-test 1.2.3", "exit status 3"}},
		{"pip leaves nothing", "nothing", python, []string{"stored 0 files", "pip config list"}},
		{"corrupt download", "corrupt", python,
			[]string{"not the pinned file", sum(bad), sum(wheelBytes()), "deleted", "try again"}},
		{"disk full for pip", "diskfull", python,
			[]string{"is full", "python3 -I -m pip found no space", "free about", "set CALLIOPE_CACHE"}},
		{"no python", "", nil,
			[]string{"none of python3, python, pip3, pip and uv is on PATH", "set CALLIOPE_TEST_LIBRARY"}},
		{"no pip", "nopip", python, []string{"no pip here works",
			"python3 -I -m pip: /usr/bin/python3: No module named pip", "ensurepip", "set CALLIOPE_TEST_LIBRARY"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, test.mode, test.programs...)
			_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
			check.Error(t, err, test.want...)
			if diff := cmp.Diff(emptyCache(), files(t, cache)); diff != "" {
				t.Errorf("files in the cache (-want +got):\n%s", diff)
			}
			mended(t, cache)
		})
	}
}

// mended checks that the next Ensure, with a pip that works, gets the part.
func mended(t *testing.T, cache string) {
	t.Helper()
	_, meet := setUp(t, "", "python3")
	t.Setenv(cacheEnv, cache)
	found, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	if err != nil {
		t.Fatalf("the next Ensure: %v", err)
	}
	check.Report(t, found.Check())
	if diff := cmp.Diff(wholeCache(), files(t, cache)); diff != "" {
		t.Errorf("files after the next Ensure (-want +got):\n%s", diff)
	}
	if n := len(downloads(t, meet)); n != 1 {
		t.Errorf("the next Ensure downloaded %d times, want once", n)
	}
}

// The states that a killed fetch, a damaged disk or a changed pin can leave.
func TestEnsureMends(t *testing.T) {
	write := func(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }
	tests := []struct {
		name   string
		damage func(sl slot) error
		found  string // what Find says of the cache
	}{
		{"killed while unpacking", func(sl slot) error {
			return errors.Join(os.Remove(sl.record), os.Remove(sl.library), write(sl.partial, libraryBytes[:1000]))
		}, "not there"},
		{"killed before the record", func(sl slot) error { return os.Remove(sl.record) }, "an unfinished download"},
		{"killed while writing the record", func(sl slot) error { return os.Rename(sl.record, sl.record+".partial") },
			"an unfinished download"},
		{"cut library", func(sl slot) error { return os.Truncate(sl.library, 7) },
			"damaged: " + testLibrary + " has 7 bytes instead of 280000"},
		{"broken record", func(sl slot) error { return write(sl.record, []byte("{")) }, "is damaged"},
		{"another wheel", func(sl slot) error {
			return write(sl.record, []byte(`{"wheel_sha256": "00", "size": 280000}`))
		}, "another download than the pinned one"},
		{"library lost", func(sl slot) error { return os.Remove(sl.library) }, "not there"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, "")
			sl := testSlot(cache)
			fillSlot(t, sl)
			check.NoError(t, test.damage(sl))
			_, err := Find(testPart)
			var missing *NotFoundError
			if !errors.As(err, &missing) {
				t.Fatalf("Find: %v, want a NotFoundError", err)
			}
			check.Error(t, err, test.found)
			mended(t, cache)
		})
	}
}

// A file is at the path of the cache's folder: not even root, which permission bits do not
// stop, can write there.
func TestEnsureUnwritableCache(t *testing.T) {
	_, meet := setUp(t, "", "python3")
	file := filepath.Join(t.TempDir(), "file")
	check.NoError(t, os.WriteFile(file, nil, 0o644))
	cache := filepath.Join(file, "cache")
	t.Setenv(cacheEnv, cache)
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, "the cache folder "+cache+" cannot be written", "set CALLIOPE_CACHE")
	if got := downloads(t, meet); got != nil {
		t.Errorf("downloaded all the same: %q", got)
	}
}

// The system's answers for read-only places, which only some machines can give.
func TestCacheErrorAdvice(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{os.ErrPermission, "cannot be written"},
		{os.ErrNotExist, "cannot be written"},
		{errors.New("odd"), "cannot be used"},
	} {
		err := cacheError("/some/cache", fmt.Errorf("open x: %w", test.err))
		check.Error(t, err, "/some/cache", test.want, "set CALLIOPE_CACHE to")
		if !errors.Is(err, test.err) {
			t.Errorf("%v does not match its cause %v", err, test.err)
		}
	}
}

func TestEnsureDoesNotFetch(t *testing.T) {
	var missing *NotFoundError
	t.Run("offline", func(t *testing.T) {
		_, meet := setUp(t, "", "python3")
		_, err := Ensure(t.Context(), testPart, EnsureOptions{Offline: true})
		if !errors.As(err, &missing) || downloads(t, meet) != nil {
			t.Errorf("error %v after %q, want a NotFoundError and no download", err, downloads(t, meet))
		}
	})
	t.Run("wrong variable", func(t *testing.T) {
		_, meet := setUp(t, "", "python3")
		t.Setenv("CALLIOPE_TEST_LIBRARY", "/no/such/library.so")
		_, err := Ensure(t.Context(), testPart, EnsureOptions{})
		check.Error(t, err, "$CALLIOPE_TEST_LIBRARY")
		if got := downloads(t, meet); got != nil {
			t.Errorf("downloaded all the same: %q", got)
		}
	})
	t.Run("no build", func(t *testing.T) {
		setUp(t, "", "python3")
		if _, err := Ensure(t.Context(), "elsewhere", EnsureOptions{}); !errors.As(err, &missing) {
			t.Errorf("error %v, want a NotFoundError", err)
		}
	})
}

func TestEnsureAll(t *testing.T) {
	cache, meet := setUp(t, "", "python3")
	err := EnsureAll(t.Context(), EnsureOptions{Progress: new(bytes.Buffer)}, testPart, "elsewhere", testPart)
	check.Error(t, err, "elsewhere")
	if n := len(downloads(t, meet)); n != 1 {
		t.Errorf("%d downloads, want one", n)
	}
	if diff := cmp.Diff(wholeCache(), files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, p := range DefaultParts() {
		t.Setenv(p.Env(), filepath.Join(cache, wholeCache()[1]))
	}
	if err := EnsureAll(t.Context(), EnsureOptions{}); err != nil {
		t.Errorf("with every default part named by its variable: %v", err)
	}
	t.Setenv(MLIR.Env(), "/no/such/library.so")
	check.Error(t, EnsureAll(t.Context(), EnsureOptions{}), "$"+MLIR.Env())
}

// on calls do when a line with the text is written.
type on struct {
	text string
	do   func()
}

func (o on) Write(p []byte) (int, error) {
	if strings.Contains(string(p), o.text) {
		o.do()
	}
	return len(p), nil
}

func TestEnsureStops(t *testing.T) {
	t.Run("while waiting", func(t *testing.T) {
		cache, meet := setUp(t, "", "python3")
		sl := testSlot(cache)
		check.NoError(t, os.MkdirAll(cache, 0o755))
		f, err := os.Create(sl.lock)
		check.NoError(t, err)
		defer f.Close()
		if ok, err := tryLock(f); !ok || err != nil {
			t.Fatal(ok, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = Ensure(ctx, testPart,
			EnsureOptions{Progress: on{"another process is fetching the test library", cancel}})
		check.Error(t, err, "gave up waiting", sl.lock)
		if !errors.Is(err, context.Canceled) || downloads(t, meet) != nil {
			t.Errorf("error %v after %q, want context.Canceled and no download", err, downloads(t, meet))
		}
		f.Close()
		mended(t, cache)
	})
	t.Run("while pip runs", func(t *testing.T) {
		cache, meet := setUp(t, "partial", "python3")
		stopEnsure(t, testPart, cache, meet, "was stopped", emptyCache())
		mended(t, cache)
	})
}

func TestTail(t *testing.T) {
	var l tail
	failed := errors.New("failed")
	if got, want := l.text(failed), "    failed"; got != want {
		t.Errorf("empty: %q, want %q", got, want)
	}
	for i := range 5000 {
		fmt.Fprintf(&l, "line %d\n\n", i)
	}
	fmt.Fprint(&l, "bad \xff byte")
	want := []string{"line 4998", "line 4999", "bad ? byte"}
	if diff := cmp.Diff(want, l.lines(3, failed)); diff != "" {
		t.Errorf("last lines (-want +got):\n%s", diff)
	}
	if len(l.buf) > tailSize || slices.Contains(l.lines(5000, failed), "line 0") {
		t.Errorf("keeps %d bytes, want %d at most", len(l.buf), tailSize)
	}
}
