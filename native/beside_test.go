package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/trust"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// beside makes a program in a folder the executable until the end of the test.
func beside(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	program := write(t, filepath.Join(dir, "program"), nil)
	old := executable
	executable = func() (string, error) { return program, nil }
	t.Cleanup(func() { executable = old })
	return dir
}

func TestFindBesideExecutable(t *testing.T) {
	cache, _ := setUp(t, "")
	dir := beside(t)
	for _, at := range []struct {
		path string
		want Source
	}{
		// Each takes precedence over those before it.
		{testSlot(cache).library, FromCache},
		{filepath.Join(dir, "lib", testLibrary), FromExecutable},
		{filepath.Join(dir, testLibrary), FromExecutable},
		{filepath.Join(t.TempDir(), "any name"), FromEnvironment},
	} {
		switch at.want {
		case FromCache:
			fillSlot(t, testSlot(cache))
		case FromEnvironment:
			t.Setenv("CALLIOPE_TEST_LIBRARY", at.path)
			fallthrough
		default:
			write(t, at.path, []byte("any bytes"))
		}
		found, err := Find(testPart)
		check.NoError(t, err)
		if found.Path != at.path || found.Source != at.want {
			t.Errorf("found %+v, want %s from %s", found, at.path, at.want)
		}
		check.Report(t, found.Check())
	}
}

func TestNotBesideExecutable(t *testing.T) {
	setUp(t, "")
	dir := beside(t)
	_, err := Find(testPart)
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok {
		t.Fatal(err)
	}
	check.Diff(t, "looked", []string{
		"$CALLIOPE_TEST_LIBRARY: not set",
		filepath.Join(dir, testLibrary) + ": not there",
		filepath.Join(dir, "lib", testLibrary) + ": not there",
	}, missing.Looked[:3])
}

// TestEnsureBeside holds that an error of a fetch tells of the library that is there and is not used.
func TestEnsureBeside(t *testing.T) {
	if !trust.HasModes {
		return // there are no libraries that are not used
	}
	setUp(t, "")
	path := write(t, filepath.Join(beside(t), testLibrary), libraryBytes)
	check.NoError(t, os.Chmod(path, 0o666))
	t.Setenv("PATH", "")
	_, err := Ensure(t.Context(), testPart, EnsureOptions{})
	check.Error(t, err, "is on PATH", "\nA library is there: "+path+": not used: every user may write to it")
}

// TestBesideExecutableTrust checks that nobody who cannot change the executable can make a
// program load a library.
func TestBesideExecutableTrust(t *testing.T) {
	for _, test := range []struct {
		name    string
		folder  os.FileMode // of the executable
		program os.FileMode
		lib     os.FileMode // of the folder lib; 0: the library is beside the executable
		library os.FileMode
		want    string // "" if it is used
	}{
		{"usual", 0o755, 0o755, 0, 0o644, ""},
		{"in lib", 0o755, 0o755, 0o755, 0o644, ""},
		{"all of a group", 0o775, 0o775, 0o775, 0o664, ""},
		{"an executable of a group", 0o755, 0o775, 0, 0o664, ""},
		{"a folder of everybody", 0o777, 0o755, 0, 0o666, ""},
		{"a library of everybody", 0o755, 0o755, 0, 0o666, "not used: every user may write to it"},
		{"a library of a group", 0o755, 0o755, 0, 0o664, "not used: its group may write to it"},
		{"lib of everybody", 0o755, 0o755, 0o777, 0o644, "lib: every user may write to it"},
		{"lib of everybody, sticky", 0o755, 0o755, 0o777 | os.ModeSticky, 0o644, ""},
		{"a temporary folder", 0o777 | os.ModeSticky, 0o755, 0, 0o666, "not used: every user may write to it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			setUp(t, "")
			dir := beside(t)
			path := filepath.Join(dir, testLibrary)
			if test.lib != 0 {
				path = filepath.Join(dir, "lib", testLibrary)
			}
			write(t, path, libraryBytes)
			modes := map[string]os.FileMode{path: test.library, filepath.Join(dir, "program"): test.program,
				dir: test.folder}
			if test.lib != 0 {
				modes[filepath.Dir(path)] = test.lib
			}
			for name, mode := range modes {
				check.NoError(t, os.Chmod(name, mode))
			}
			if !trust.HasModes {
				test.want = ""
			}
			wantBeside(t, path, test.want)
		})
	}
}

// TestBesideExecutableOwner pretends that the files belong to another user than the current
// one.
func TestBesideExecutableOwner(t *testing.T) {
	defer func(old func() int) { trust.UserID = old }(trust.UserID)
	setUp(t, "")
	dir := beside(t)
	path := write(t, filepath.Join(dir, testLibrary), libraryBytes)
	// The owner of the executable owns the library, too.
	trust.UserID = func() int { return 12345 }
	wantBeside(t, path, "")
	if os.Geteuid() != 0 {
		return // only root can give files away
	}
	for _, name := range []string{path, filepath.Join(dir, "program")} {
		check.NoError(t, os.Lchown(name, 54321, -1))
		want := ""
		if name == path {
			want = "not used: it belongs to the user 54321"
		}
		wantBeside(t, path, want)
	}
}

func wantBeside(t *testing.T, path, want string) {
	t.Helper()
	found, err := Find(testPart)
	if want == "" {
		if err != nil || found.Path != path {
			t.Errorf("found %+v, %v; want %s", found, err, path)
		}
		return
	}
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok || !strings.Contains(strings.Join(missing.Looked, "\n"), want) {
		t.Errorf("found %+v, %v; want an error with %q", found, err, want)
	}
}
