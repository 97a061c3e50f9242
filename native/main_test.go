package native

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// testPart is a part whose wheel is made here, so that no test needs a network.
const testPart Part = "test"

// gonePart is a part that the package index does not have. testPart replaces it.
const gonePart Part = "gone"

const (
	testLibrary = "libtest.so"
	testWheel   = "calliope_test-1.2.3-py3-none-any.whl"

	elsewhereWheel = "calliope_elsewhere-4.5-py3-none-plan9_mips.whl"
)

// elsewhereBytes is a wheel for another platform, which is not unpacked.
var elsewhereBytes = []byte("a wheel for elsewhere\n")

var libraryBytes = bytes.Repeat([]byte("not really a shared library\n"), 10_000)

// wheelBytes is the wheel with its library, and with files that must not come out.
func wheelBytes() []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"pkg/__init__.py", []byte("print('no')\n")},
		{"pkg/libs/" + testLibrary, libraryBytes},
		{"pkg/other.so", []byte("another")},
	} {
		w, err := z.Create(f.name)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// The test binary plays three roles: the tests; the programs, such as python3, that
// the tests put on PATH; and a second process that calls Ensure.
const (
	pipModeEnv = "CALLIOPE_TEST_PIP"    // what the false programs do
	pipDirEnv  = "CALLIOPE_TEST_DIR"    // where they meet the test: log, started, go
	ensureEnv  = "CALLIOPE_TEST_ENSURE" // the part that the second process ensures
)

func TestMain(m *testing.M) {
	table[testPart] = spec{
		title:   "test library",
		env:     "CALLIOPE_TEST_LIBRARY",
		byAsk:   true,
		project: "calliope-test",
		version: "1.2.3",
		member:  "pkg/libs/" + testLibrary,
		mb:      1,
		builds: map[string]build{thisPlatform: {
			tag: "any_platform", sha256: sum(wheelBytes()),
			files: map[string]string{testLibrary: sum(libraryBytes)},
		}},
	}
	table["elsewhere"] = spec{
		title:   "library for elsewhere",
		env:     "CALLIOPE_TEST_ELSEWHERE",
		byAsk:   true,
		project: "calliope-elsewhere",
		version: "4.5",
		member:  "libelsewhere.so",
		builds:  map[string]build{"plan9/mips": {tag: "plan9_mips", sha256: sum(elsewhereBytes)}},
	}
	wheelNames[sum(wheelBytes())] = testWheel
	wheelNames[sum(elsewhereBytes)] = elsewhereWheel
	table[gonePart] = spec{
		title:   "library that is gone",
		env:     "CALLIOPE_TEST_GONE",
		byAsk:   true,
		instead: testPart,
		lost:    "everything",
		project: "calliope-gone",
		version: "9.9",
		member:  "gone/libgone.so",
		builds:  map[string]build{thisPlatform: {tag: "any_platform", sha256: sum(nil)}},
	}
	addDebs()
	systemDirs = func() []string { return nil }
	switch name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); {
	case slices.Contains([]string{"python3", "pip3", "uv"}, name):
		os.Exit(falsePip(name, os.Args[1:]))
	case slices.Contains(debPrograms, name):
		os.Exit(falseDebian(name, os.Args[1:]))
	case os.Getenv(ensureEnv) != "":
		found, err := Ensure(context.Background(), Part(os.Getenv(ensureEnv)), EnsureOptions{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(found.Path)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// falsePip answers like pip, in the way that its mode asks for.
func falsePip(name string, args []string) int {
	mode, dir := os.Getenv(pipModeEnv), os.Getenv(pipDirEnv)
	fail := func(lines ...string) int {
		fmt.Fprintln(os.Stderr, strings.Join(lines, "\n"))
		return 1
	}
	if mode == "nopip" && name == "python3" {
		return fail("/usr/bin/python3: No module named pip")
	}
	if slices.Contains(args, "--version") {
		fmt.Println("pip 1.0")
		return 0
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fail(err.Error())
	}
	fmt.Fprintln(log, "TMPDIR="+os.Getenv("TMPDIR"), name, strings.Join(args, " "))
	log.Close()
	if last := args[len(args)-1]; mode == "" && strings.HasPrefix(last, "calliope-gone") {
		return fail(
			"ERROR: Could not find a version that satisfies the requirement "+last+" (from versions: none)",
			"ERROR: No matching distribution found for "+last)
	}
	into := args[slices.Index(args, "-d")+1]
	data := wheelBytes()
	if slices.Contains(args, "plan9_mips") {
		data = elsewhereBytes
	}
	switch mode {
	case "corrupt":
		data[100] ^= 1
	case "offline":
		return fail(
			"WARNING: Retrying (Retry(total=0)) after connection broken: Temporary failure in name resolution",
			"ERROR: Could not find a version that satisfies the requirement calliope-test==1.2.3 (from versions: none)",
			"ERROR: No matching distribution found for calliope-test==1.2.3")
	case "silent":
		return 3
	case "nothing":
		return 0
	case "diskfull":
		return fail("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device")
	case "unpackfull":
		// Makes the unpacking meet a full device: the kernel's own.
		slot := filepath.Dir(filepath.Dir(into))
		if err := os.Symlink("/dev/full", filepath.Join(slot, testLibrary+".partial")); err != nil {
			return fail(err.Error())
		}
	case "slow", "partial":
		if mode == "partial" {
			os.WriteFile(filepath.Join(into, testWheel), data[:len(data)/2], 0o644)
		}
		if err := os.WriteFile(filepath.Join(dir, "started"), nil, 0o644); err != nil {
			return fail(err.Error())
		}
		if !appears(filepath.Join(dir, "go")) {
			return fail("the start signal did not come")
		}
	}
	if err := os.WriteFile(filepath.Join(into, testWheel), data, 0o644); err != nil {
		return fail(err.Error())
	}
	return 0
}

// appears waits until there is a file at path, for a minute at most.
func appears(path string) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// setUp gives the test an empty cache and a PATH that holds only the named
// false programs, and returns the cache and the folder where the test and the
// false pip meet.
func setUp(t *testing.T, mode string, programs ...string) (cache, meet string) {
	t.Helper()
	self, err := os.Executable()
	check.NoError(t, err)
	bin := t.TempDir()
	for _, name := range programs {
		place := os.Symlink
		if runtime.GOOS == "windows" {
			place, name = copyFile, name+".exe" // a running program cannot be deleted
		}
		check.NoError(t, place(self, filepath.Join(bin, name)))
	}
	meet = t.TempDir()
	odd := "[yet]*"
	if runtime.GOOS == "windows" {
		odd = "[yet]" // no name has a *
	}
	cache = filepath.Join(t.TempDir(), "not there", odd)
	for name, value := range map[string]string{
		"PATH":                  bin,
		cacheEnv:                cache,
		pipModeEnv:              mode,
		pipDirEnv:               meet,
		"CALLIOPE_TEST_LIBRARY": "",
		"CXX":                   "",
		// Else each false pip sleeps for a second at its end under -race.
		"GORACE": "atexit_sleep_ms=0",
	} {
		t.Setenv(name, value)
	}
	return cache, meet
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

// downloads returns the command lines that the false pip got.
func downloads(t *testing.T, meet string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(meet, "log"))
	if os.IsNotExist(err) {
		return nil
	}
	check.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// files returns every file and folder below dir, in order, relative to it.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != dir {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	check.NoError(t, err)
	return names
}

// testSlot is the test part's place in the cache.
func testSlot(cache string) slot { return table[testPart].slot(cache) }

// wholeCache lists what a cache with just the test part holds.
func wholeCache() []string {
	id := table[testPart].id()
	return []string{id, id + "/" + testLibrary, id + "/" + testLibrary + ".json", id + "/" + testLibrary + ".verified",
		id + ".lock"}
}

// emptyCache lists what is left in a cache after a fetch of the test part failed.
func emptyCache() []string {
	id := table[testPart].id()
	return []string{id, id + ".lock"}
}
