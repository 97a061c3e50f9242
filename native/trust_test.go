//go:build linux || darwin

package native

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/trust"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Another user who may write to a folder or a file of the cache, or owns it, may change
// what is loaded.
func TestUnsafeCache(t *testing.T) {
	// For root a file of any other user is unsafe; for other users, any file that neither
	// they nor root own.
	disown := func(path string) error { return os.Chown(path, 12345, -1) }
	if os.Geteuid() != 0 {
		disown = func(string) error {
			trust.UserID = func() int { return os.Geteuid() + 1 }
			return nil
		}
	}
	mode := func(mode os.FileMode) func(string) error {
		return func(path string) error { return os.Chmod(path, mode) }
	}
	cacheOf := func(sl slot) string { return filepath.Dir(sl.dir) }
	dirOf := func(sl slot) string { return sl.dir }
	for _, test := range []struct {
		name    string
		path    func(sl slot) string
		spoil   func(path string) error
		problem string
		mend    string
	}{
		{"cache for all", cacheOf, mode(0o777), trust.EveryMay, "chmod -R go-w "},
		{"cache for a group", cacheOf, mode(0o775), trust.GroupMay, "chmod -R go-w "},
		{"folder for all", dirOf, mode(0o757), trust.EveryMay, "chmod -R go-w "},
		{"folder for a group", dirOf, mode(0o775), trust.GroupMay, "chmod -R go-w "},
		{"library", func(sl slot) string { return sl.library }, mode(0o666), trust.EveryMay, "chmod -R go-w "},
		{"record", func(sl slot) string { return sl.record }, mode(0o646), trust.EveryMay, "chmod -R go-w "},
		{"owner of the cache", cacheOf, disown, "it belongs to the user ", "chown -hR "},
		{"owner of the library", func(sl slot) string { return sl.library }, disown, "", "chown -hR "},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() { trust.UserID = os.Geteuid }()
			real, meet := setUp(t, "", "python3")
			cache := filepath.Join(t.TempDir(), "link")
			t.Setenv(cacheEnv, cache)
			check.NoError(t, errors.Join(os.MkdirAll(real, 0o755), os.Symlink(real, cache)))
			sl := testSlot(cache)
			fillSlot(t, sl)
			check.NoError(t, test.spoil(test.path(sl)))
			for what, err := range map[string]error{
				"Find":   second(Find(testPart)),
				"Ensure": second(Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})),
			} {
				unsafe, ok := errors.AsType[*UnsafeError](err)
				if !ok {
					t.Fatalf("%s: %v, want an UnsafeError", what, err)
				}
				check.Error(t, err, unsafe.Path, test.problem, "run `", test.mend, cacheEnv)
				if real, err := filepath.EvalSymlinks(cache); err != nil ||
					!strings.HasSuffix(unsafe.Mend, " "+quote(real)) {
					t.Errorf("%s: it is mended by %q", what, unsafe.Mend)
				}
				if want := test.path(sl); unsafe.Path != want && os.Geteuid() == 0 {
					t.Errorf("%s: it is about %s, want %s", what, unsafe.Path, want)
				}
			}
			if got := downloads(t, meet); got != nil {
				t.Errorf("downloaded all the same: %q", got)
			}

			// The command does mend it.
			_, err := Find(testPart)
			unsafe, _ := errors.AsType[*UnsafeError](err)
			if strings.HasPrefix(unsafe.Mend, "sudo ") {
				trust.UserID = os.Geteuid // nothing was really disowned
			} else {
				mending := exec.Command("/bin/sh", "-c", unsafe.Mend)
				mending.Env = append(os.Environ(), "PATH=/bin:/usr/bin:/usr/sbin")
				if out, err := mending.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", unsafe.Mend, err, out)
				}
			}
			if _, err := Find(testPart); err != nil {
				t.Errorf("after %s: %v", unsafe.Mend, err)
			}
		})
	}
}

// In a folder where every user may make files, another user makes files that a fetch finds.
func TestUnsafeTraps(t *testing.T) {
	if os.Geteuid() != 0 {
		defer func() { trust.UserID = os.Geteuid }()
		trust.UserID = func() int { return os.Geteuid() + 1 }
	}
	for name, trap := range map[string]func(sl slot, mine string) (string, error){
		"a link to a folder of mine": func(sl slot, mine string) (string, error) {
			return sl.dir, os.Symlink(mine, sl.dir)
		},
		"a folder": func(sl slot, _ string) (string, error) { return sl.dir, os.Mkdir(sl.dir, 0o755) },
		"a lock":   func(sl slot, _ string) (string, error) { return sl.lock, os.WriteFile(sl.lock, nil, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			cache, meet := setUp(t, "", "python3")
			sl := testSlot(cache)
			mine := t.TempDir()
			check.NoError(t, os.Mkdir(filepath.Join(mine, "download"), 0o755))
			check.NoError(t, errors.Join(os.MkdirAll(cache, 0o755), os.Chmod(cache, 0o777|fs.ModeSticky)))
			path, err := trap(sl, mine)
			check.NoError(t, err)
			if os.Geteuid() == 0 {
				check.NoError(t, os.Lchown(path, 12345, -1))
			}
			_, err = Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
			if unsafe, ok := errors.AsType[*UnsafeError](err); !ok || os.Geteuid() == 0 && unsafe.Path != path {
				t.Errorf("error %v, want an UnsafeError about %s", err, path)
			}
			if _, err := os.Stat(filepath.Join(mine, "download")); err != nil || downloads(t, meet) != nil {
				t.Errorf("the fetch went on: %v, %q", err, downloads(t, meet))
			}
		})
	}
}

func second[A any](_ A, err error) error { return err }

// Nothing is fetched into a folder of which everybody may exchange what is in it.
func TestUnsafeCacheIsNotFilled(t *testing.T) {
	cache, meet := setUp(t, "", "python3")
	check.NoError(t, errors.Join(os.MkdirAll(cache, 0o755), os.Chmod(cache, 0o777)))
	_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)})
	_, herr := fetchFolder(t.Context(), testSet, EnsureOptions{Progress: new(bytes.Buffer)})
	for _, err := range []error{err, herr} {
		if _, ok := errors.AsType[*UnsafeError](err); !ok {
			t.Errorf("error %v, want an UnsafeError", err)
		}
	}
	if downloads(t, meet) != nil || len(files(t, cache)) != 0 {
		t.Errorf("after %q the cache holds %q", downloads(t, meet), files(t, cache))
	}
	// In a folder with the sticky bit, users cannot replace files of other users.
	check.NoError(t, os.Chmod(cache, 0o777|fs.ModeSticky))
	if _, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: new(bytes.Buffer)}); err != nil {
		t.Error(err)
	}
}

// Files of before may be writable for the user's own group, by an umask of 002.
func TestGroupLosesWriting(t *testing.T) {
	for name, data := range map[string][]byte{"whole": libraryBytes, "changed": otherBytes} {
		t.Run(name, func(t *testing.T) {
			cache, _ := setUp(t, "")
			sl := testSlot(cache)
			fillSlot(t, sl)
			err := errors.Join(os.WriteFile(sl.library, data, 0o644), os.Chmod(sl.library, 0o664),
				os.Chmod(sl.record, 0o664), sl.forget())
			check.NoError(t, err)
			_, err = Find(testPart)
			if whole := name == "whole"; whole != (err == nil) {
				t.Errorf("Find: %v", err)
			}
			for _, path := range []string{sl.library, sl.record} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
					t.Errorf("%s has the mode %v (%v)", path, info.Mode(), err)
				}
			}
		})
	}
}

// What others were able to write to says nothing.
func TestUnsafeStates(t *testing.T) {
	cache, _ := setUp(t, "")
	sl := testSlot(cache)
	fillSlot(t, sl)
	check.NoError(t, os.Chmod(sl.verified, 0o666))
	states, _, err := sl.states([]file{{testLibrary, sum(libraryBytes), int64(len(libraryBytes))}})
	check.NoError(t, err)
	if anotherProcess(sl); sl.known(states) {
		t.Error("known from a file that everybody may write to")
	}
	if _, err := Find(testPart); err != nil {
		t.Fatal(err)
	}
	if anotherProcess(sl); !sl.known(states) {
		t.Error("Find did not keep what it has read")
	}
}

// The umask of a careless system opens nothing to others.
func TestEnsureIgnoresUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for part, programs := range map[Part][]string{testPart: {"python3"}, debPart: debPrograms} {
		cache, _ := setUp(t, "", programs...)
		if _, err := Ensure(t.Context(), part, EnsureOptions{Progress: new(bytes.Buffer)}); err != nil {
			t.Error(err)
		}
		for _, name := range append(files(t, cache), ".") {
			if info, err := os.Stat(filepath.Join(cache, name)); err != nil || info.Mode()&trust.AnyoneWrites != 0 {
				t.Errorf("%s has the mode %v (%v)", name, info.Mode(), err)
			}
		}
	}
}
