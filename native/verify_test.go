package native

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// otherBytes has the size of the library, so that only reading it shows the difference.
var otherBytes = bytes.Repeat([]byte("really not a shared library\n"), 10_000)

// anotherProcess forgets what this one knows of the files in the cache.
func anotherProcess(sl slot) { verified.Delete(sl.library) }

// The library was exchanged for another one of its size, after it was found once.
func TestFindOtherBytes(t *testing.T) {
	write := func(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }
	for name, exchange := range map[string]func(sl slot) error{
		"in place": func(sl slot) error { return write(sl.library, otherBytes) },
		"and its time set back": func(sl slot) error {
			info, err := os.Stat(sl.library)
			if err != nil {
				return err
			}
			return errors.Join(write(sl.library, otherBytes), os.Chtimes(sl.library, time.Time{}, info.ModTime()))
		},
		"by renaming": func(sl slot) error {
			return errors.Join(write(sl.partial, otherBytes), os.Rename(sl.partial, sl.library))
		},
		"and its record with it": func(sl slot) error {
			data, err := os.ReadFile(sl.record)
			if err != nil {
				return err
			}
			return errors.Join(write(sl.library, otherBytes),
				write(sl.record, bytes.ReplaceAll(data, []byte(sum(libraryBytes)), []byte(sum(otherBytes)))))
		},
		"and nothing known of it": func(sl slot) error {
			return errors.Join(write(sl.library, otherBytes), os.Remove(sl.verified))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cache, _ := setUp(t, "")
			sl := testSlot(cache)
			fillSlot(t, sl)
			if _, err := Find(testPart); err != nil {
				t.Fatal(err)
			}
			check.NoError(t, exchange(sl))
			for range 2 {
				_, err := Find(testPart)
				if _, ok := errors.AsType[*NotFoundError](err); !ok {
					t.Fatalf("Find: %v, want a NotFoundError", err)
				}
				check.Error(t, err, "damaged: "+testLibrary+" has the sha256 "+sum(otherBytes)+" instead of "+
					sum(libraryBytes), version.Fetch)
				anotherProcess(sl)
			}

			_, meet := setUp(t, "", "python3")
			t.Setenv(cacheEnv, cache)
			var progress bytes.Buffer
			if _, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: &progress}); err != nil {
				t.Fatal(err)
			}
			if want := "the test library in the cache is not used: damaged: "; !strings.Contains(progress.String(),
				want) {
				t.Errorf("progress %q, want %q in it", progress.String(), want)
			}
			if n := len(downloads(t, meet)); n != 1 {
				t.Errorf("%d downloads, want one", n)
			}
		})
	}
}

// A cache made before states were kept holds a library and its record.
func TestFindReadsOnce(t *testing.T) {
	cache, _ := setUp(t, "")
	sl := testSlot(cache)
	known := func() bool {
		t.Helper()
		r, err := readRecord(sl.record)
		check.NoError(t, err)
		now, problem, err := sl.states(r.files(testLibrary))
		if problem != "" || err != nil {
			t.Fatal(problem, err)
		}
		return sl.known(now)
	}
	fillSlot(t, sl)
	if anotherProcess(sl); !known() {
		t.Error("what was just fetched is to be read again")
	}
	check.NoError(t, sl.forget())
	if known() {
		t.Fatal("the cache knows more than one made before did, so this test shows nothing")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := Find(testPart); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if anotherProcess(sl); !known() {
		t.Error("the next process reads the library again")
	}
	if diff := cmp.Diff(wholeCache()[:4], files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	// Nothing can be kept where a folder stands in the way.
	check.NoError(t, errors.Join(sl.forget(), os.MkdirAll(filepath.Join(sl.verified, "x"), 0o755)))
	if _, err := Find(testPart); err != nil {
		t.Error(err)
	}
	if !known() {
		t.Error("this process reads the library again")
	}
	if anotherProcess(sl); known() {
		t.Error("another process knows what cannot be kept")
	}
}

// A library is read while another one is.
func TestFindBesideAnother(t *testing.T) {
	cache, _ := setUp(t, "")
	sl := testSlot(cache)
	fillSlot(t, sl)
	check.NoError(t, sl.forget())
	other, _ := verifying.LoadOrStore(filepath.Join(cache, "another"), new(sync.Mutex))
	other.(*sync.Mutex).Lock()
	defer other.(*sync.Mutex).Unlock()
	_, err := Find(testPart)
	check.NoError(t, err)
}

// A disk gives other bytes than were written, and nothing says that they have changed.
func TestCheckFindsDamage(t *testing.T) {
	cache, _ := setUp(t, "")
	sl := testSlot(cache)
	fillSlot(t, sl)
	check.NoError(t, os.WriteFile(sl.library, otherBytes, 0o644))
	states, _, err := sl.states([]file{{testLibrary, sum(libraryBytes), int64(len(libraryBytes))}})
	check.NoError(t, err)
	sl.keep(states)
	found, err := Find(testPart)
	if err != nil {
		t.Fatalf("%v: this test shows nothing", err)
	}
	check.Error(t, found.Check(), "damaged", sum(otherBytes), sum(libraryBytes),
		"`rm -r '"+sl.dir+"' && "+version.Fetch+" test`")
	if _, err := Find(testPart); err == nil {
		t.Error("found again after Check has seen it")
	}

	check.NoError(t, os.Remove(sl.library))
	check.Error(t, found.Check(), "damaged", "no such file")
	check.NoError(t, os.Remove(sl.record))
	check.Error(t, found.Check(), "cannot check", "`rm -r '"+sl.dir+"'` and fetch the part again")
	// The folder of the record is all that may be read.
	check.NoError(t, os.WriteFile(sl.record, []byte(`{"beside": [{"name": "../x"}]}`), 0o644))
	check.Error(t, found.Check(), "cannot check", `"../x"`)
}

// change alters the test part for one test.
func change(t *testing.T, alter func(*build)) {
	t.Helper()
	old := table[testPart]
	t.Cleanup(func() { table[testPart] = old })
	s := old
	s.builds = map[string]build{}
	for platform, b := range old.builds {
		alter(&b)
		s.builds[platform] = b
	}
	table[testPart] = s
}

// The wheel is the pinned one, and holds another library than the pinned one.
func TestEnsureHoldsLibraryAgainstPin(t *testing.T) {
	cache, _ := setUp(t, "", "python3")
	change(t, func(b *build) { b.files = map[string]string{testLibrary: sum(otherBytes)} })
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.Error(t, err, testLibrary, sum(libraryBytes), "should have "+sum(otherBytes))
	if diff := cmp.Diff(emptyCache(), files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// On another system the project and the library have other names.
func TestEnsureOtherBuild(t *testing.T) {
	cache, _ := setUp(t, "", "python3")
	change(t, func(b *build) {
		b.project, b.version, b.member = "calliope-further", "7", "pkg/other.so"
		b.files = map[string]string{"other.so": sum([]byte("another"))}
	})
	found, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.NoError(t, err)
	if want := filepath.Join(cache, testPart.spec().id(), "other.so"); found.Path != want ||
		found.Version != "calliope-further 7" {
		t.Errorf("found %s of %s, want %s", found.Path, found.Version, want)
	}
	if data, err := os.ReadFile(found.Path); string(data) != "another" {
		t.Errorf("it holds %q (%v)", data, err)
	}
}
