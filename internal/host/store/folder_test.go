package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// entries returns the names of the files in a folder.
func entries(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	check.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// The entries that were not used for longest are removed first.
func TestEvict(t *testing.T) {
	dir := t.TempDir()
	check.NoError(t, os.Chmod(dir, 0o700))
	foreign := filepath.Join(dir, "README")
	check.NoError(t, os.WriteFile(foreign, make([]byte, 5000), 0o600))
	old, fresh := filepath.Join(dir, "old"+tempSuffix), filepath.Join(dir, "fresh"+tempSuffix)
	for _, path := range []string{old, fresh} {
		check.NoError(t, os.WriteFile(path, make([]byte, 5000), 0o600))
	}
	long := time.Now().Add(-2 * tempAge)
	check.NoError(t, os.Chtimes(old, long, long))
	c := check.Must(Open(dir, 3000))
	age := func(key string, minutes int) {
		at := time.Now().Add(-time.Duration(minutes) * time.Minute)
		check.NoError(t, os.Chtimes(filepath.Join(dir, key+entrySuffix), at, at))
	}
	want := func(keys ...string) {
		t.Helper()
		var got []string
		for _, name := range entries(t, dir) {
			if key, ok := strings.CutSuffix(name, entrySuffix); ok {
				got = append(got, key)
			}
		}
		check.Diff(t, "entries", keys, got)
	}
	for i, key := range []string{"a", "b", "c"} {
		c.Put(key, make([]byte, 1000))
		age(key, 10-i)
	}
	want("a", "b", "c")
	c.Used("a")
	c.Put("d", make([]byte, 1000))
	age("d", 1)
	want("a", "d")
	c.Put("e", make([]byte, 2500))
	want("e")
	c.Put("e", make([]byte, 100))
	c.Put("f", make([]byte, 2900))
	want("e", "f")
	c.Put("g", make([]byte, 3001))
	want("e", "f")
	check.Diff(t, "evicted", int64(2+2), c.Stats().Evicted)
	check.Diff(t, "other files", []string{"README", "fresh" + tempSuffix},
		slices.DeleteFunc(entries(t, dir), func(s string) bool { return strings.HasSuffix(s, entrySuffix) }))

	all := check.Must(Open(dir, -1))
	all.Put("h", make([]byte, 10000))
	want("e", "f", "h")
}

// No folder is open between two uses, and each use looks whether it is still the user's.
func TestReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := check.Must(Open(dir, -1))
	c.Put("a", []byte("b"))
	check.NoError(t, os.Rename(dir, dir+".old"))
	check.Diff(t, "entry", []byte(nil), c.Get("a"))
	check.NoError(t, os.Mkdir(dir, 0o700))
	c.Put("a", []byte("c"))
	check.Diff(t, "entry", []byte("c"), c.Get("a"))
	if runtime.GOOS != "windows" {
		check.NoError(t, os.Chmod(dir, 0o777))
		check.Diff(t, "entry", []byte(nil), c.Get("a"))
		check.Error(t, c.Stats().Err, "every user may write to it")
	}
}
