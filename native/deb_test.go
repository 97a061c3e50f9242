package native

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/debs"
	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// debPart is a part whose packages are made here. A false package is just the tar
// that the false dpkg-deb makes of it.
const debPart Part = "testdeb"

const debLibrary = "libdeb.so.1"

// debPrograms are the false programs that fetching packages needs.
var debPrograms = []string{"apt-get", "dpkg-deb", "c++", "ldd"}

// debFiles are the files of each false package, and whether they are to be kept.
var debFiles = map[string][]struct{ name, data string }{
	"libtest1": {
		{"./usr/share/doc/libtest1", "no"},
		{"./usr/lib/libtest.so.1", strings.Repeat("shared\n", 1000)},
	},
	"libtest-dev": {
		{"./usr/lib/libtestcapi.a", "archive\n"},
		{"./usr/lib/libother.a", "no"},
		{"./usr/include/test-c/sub/a.h", "int a;\n"},
	},
}

func debBytes(name string) []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(w.WriteHeader(&tar.Header{Name: "./usr/", Typeflag: tar.TypeDir, Mode: 0o755}))
	must(w.WriteHeader(
		&tar.Header{Name: "./usr/lib/libtest.so.1.a", Typeflag: tar.TypeSymlink, Linkname: "libtest.so.1"}))
	for _, f := range debFiles[name] {
		must(w.WriteHeader(&tar.Header{Name: f.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f.data))}))
		_, err := io.WriteString(w, f.data)
		must(err)
	}
	must(w.Close())
	buf.Write(make([]byte, 100_000)) // padding, more than a pipe holds
	return buf.Bytes()
}

// linked is what the false c++ makes of the files above.
const linked = "linked libtestcapi.a libtest.so.1\n"

func addDebs() {
	table[debPart] = spec{
		title:   "library of packages",
		env:     "CALLIOPE_TEST_LIBRARY",
		byAsk:   true,
		project: "Test",
		version: "1.2",
		member:  debLibrary,
		mb:      1,
		builds: map[string]build{thisPlatform: {debs: []deb{
			{"libtest1", "1:1.2-3", sum(debBytes("libtest1")), `^usr/lib/(libtest\.so\..+)$`},
			{"libtest-dev", "1:1.2-3", sum(debBytes("libtest-dev")), `^usr/lib/(libtestcapi.*\.a)$`},
		}}},
	}
}

// testSet is a set of packages that exists only here.
var testSet = debs.Set{Name: "test-headers", Files: "include", What: "test headers", MB: 1, Packages: []debs.Package{
	{Name: "libtest-dev", Version: "1:1.2-3", SHA256: sum(debBytes("libtest-dev")),
		Keep: `^usr/include/(test-c/.+\.h)$`},
}}

// falseDebian answers like a program of Debian's, in the way that the mode asks for.
func falseDebian(name string, args []string) int {
	mode, dir := os.Getenv(pipModeEnv), os.Getenv(pipDirEnv)
	fail := func(lines ...string) int {
		fmt.Fprintln(os.Stderr, strings.Join(lines, "\n"))
		return 100
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fail(err.Error())
	}
	here, err := os.Getwd()
	if err != nil {
		return fail(err.Error())
	}
	fmt.Fprintln(log, filepath.Base(here), name, strings.ReplaceAll(strings.Join(args, " "), os.Getenv(cacheEnv), ""))
	log.Close()
	switch name {
	case "apt-get":
		return falseApt(mode, dir, args[1:], fail)
	case "dpkg-deb":
		data, err := os.ReadFile(args[1])
		if err != nil {
			return fail(err.Error())
		}
		if mode == "badtar" {
			os.Stdout.Write(data[:2000])
			return fail("dpkg-deb: error: lzma error: compressed data is corrupt")
		}
		if _, err := os.Stdout.Write(data); err != nil {
			return fail(err.Error())
		}
	case "c++":
		if mode == "nolink" {
			return fail("/usr/bin/ld: a.o: undefined reference to `f'", "collect2: error: ld returned 1 exit status")
		}
		if mode == "linkfull" {
			return fail("/usr/bin/ld: final link failed: No space left on device")
		}
		var inputs []string
		for i, arg := range args {
			if strings.HasPrefix(arg, "-") || args[i-1] == "-o" {
				continue
			}
			if _, err := os.Stat(arg); err != nil {
				return fail(err.Error())
			}
			inputs = append(inputs, arg)
		}
		text := "linked " + strings.Join(inputs, " ") + "\n"
		if err := os.WriteFile(args[slices.Index(args, "-o")+1], []byte(text), 0o755); err != nil {
			return fail(err.Error())
		}
	case "ldd":
		if _, err := os.Stat(args[0]); err != nil {
			return fail(err.Error())
		}
		fmt.Print("\tlinux-vdso.so.1 (0x00007ffc)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f00)\n")
		switch mode {
		case "missing":
			fmt.Print("\tlibz3.so.4 => not found\n\tlibxml2.so.2 => not found\n\tlibodd.so.1 => not found\n\tlibz3.so.4 => not found\n")
		case "odd":
			fmt.Print("\tlibodd.so.1 => not found\n")
		case "oldlibc":
			return fail("./libdeb.so.1: /lib/libc.so.6: version `GLIBC_2.36' not found (required by ./libtest.so.1)")
		}
	}
	return 0
}

// falseApt downloads the packages, given as name:amd64=version, to where it runs.
func falseApt(mode, meet string, packages []string, fail func(...string) int) int {
	first, _, _ := strings.Cut(packages[0], ":")
	switch mode {
	case "moved":
		return fail("E: Version '1:1.2-3' for '" + first + "' was not found")
	case "unlisted":
		return fail("E: Unable to locate package " + first)
	case "gone":
		return fail("E: Failed to fetch http://deb.example/libtest1.deb  404  Not Found [IP: 192.0.2.1 80]",
			"E: Some files failed to download")
	case "offline":
		return fail("E: Failed to fetch http://deb.example/libtest1.deb  Temporary failure resolving 'deb.example'")
	case "diskfull":
		return fail("E: Write error - write (28: No space left on device)")
	case "silent":
		return 3
	case "nothing":
		return 0
	case "unpackfull":
		if err := os.Symlink("/dev/full", "../libtest.so.1"); err != nil {
			return fail(err.Error())
		}
	}
	for _, p := range packages {
		name, version, _ := strings.Cut(p, ":amd64=")
		data := debBytes(name)
		file := fmt.Sprintf("%s_%s_amd64.deb", name, strings.ReplaceAll(version, ":", "%3a"))
		switch mode {
		case "corrupt":
			data[5] ^= 1
		case "slow", "partial":
			if err := errors.Join(os.WriteFile(file, data[:len(data)/2], 0o644),
				os.WriteFile(filepath.Join(meet, "started"), nil, 0o644)); err != nil {
				return fail(err.Error())
			}
			if !appears(filepath.Join(meet, "go")) {
				return fail("the start signal did not come")
			}
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fail(err.Error())
		}
	}
	return 0
}

func wholeDebCache() []string {
	id := table[debPart].id()
	return []string{id, id + "/" + debLibrary, id + "/" + debLibrary + ".json", id + "/" + debLibrary + ".verified",
		id + "/libtest.so.1", id + ".lock"}
}

func emptyDebCache() []string {
	id := table[debPart].id()
	return []string{id, id + ".lock"}
}

func TestDebEnsure(t *testing.T) {
	cache, meet := setUp(t, "", debPrograms...)
	var progress bytes.Buffer
	got, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: &progress})
	check.NoError(t, err)
	sl := table[debPart].slot(cache)
	want := Location{Path: sl.library, Source: FromCache, Version: "Test 1.2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Ensure (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wholeDebCache(), files(t, cache)); diff != "" {
		t.Errorf("files in the cache (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{debLibrary: linked, "libtest.so.1": debFiles["libtest1"][1].data} {
		if data, err := os.ReadFile(filepath.Join(sl.dir, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v, want %q", name, data, err, want)
		}
	}
	check.Report(t, got.Check())
	// Whole command lines, with the folder each runs in: no archive is named, and
	// nothing is installed.
	debs := "/" + table[debPart].id() + "/download/deb/"
	wantCommands := []string{
		"deb apt-get download libtest1:amd64=1:1.2-3 libtest-dev:amd64=1:1.2-3",
		filepath.Base(program.Folder()) + " dpkg-deb --fsys-tarfile " + debs + "libtest1_1%3a1.2-3_amd64.deb",
		filepath.Base(program.Folder()) + " dpkg-deb --fsys-tarfile " + debs + "libtest-dev_1%3a1.2-3_amd64.deb",
		"download c++ -shared -o libdeb.so.1 -Wl,-soname,libdeb.so.1 -Wl,-rpath,$ORIGIN -Wl,-z,defs -Wl,-s -Wl,--whole-archive libtestcapi.a -Wl,--no-whole-archive -Wl,--no-as-needed libtest.so.1",
		"download ldd ./libdeb.so.1",
	}
	if diff := cmp.Diff(wantCommands, downloads(t, meet)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	wantProgress := "fetching the library of packages: libtest1 1:1.2-3, libtest-dev 1:1.2-3 (1 MB), with apt-get, into " + cache + "\n"
	if diff := cmp.Diff(wantProgress, progress.String()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}

	// Once it is there, no program is needed.
	t.Setenv("PATH", "")
	if again, err := Ensure(t.Context(), debPart, EnsureOptions{}); err != nil || again != got {
		t.Errorf("second Ensure: %+v, %v", again, err)
	}
}

func TestDebErrors(t *testing.T) {
	check.NoRaces(t)
	bad := debBytes("libtest1")
	bad[5] ^= 1
	without := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(debPrograms), func(p string) bool { return p == name })
	}
	tests := []struct {
		name, mode string
		programs   []string
		cxx        string
		want       []string
	}{
		{"no apt-get", "", without("apt-get"), "",
			[]string{"needs apt-get, which is not on PATH", "Debian 12", "set CALLIOPE_TEST_LIBRARY"}},
		{"no dpkg-deb", "", without("dpkg-deb"), "", []string{"needs dpkg-deb, which is not on PATH"}},
		{"no compiler", "", without("c++"), "",
			[]string{"none of c++, g++, clang++ is on PATH", "install one", "set CALLIOPE_TEST_LIBRARY"}},
		{"wrong CXX", "", debPrograms, "/no/such/c++ -m64", []string{"$CXX", "/no/such/c++", "correct or unset CXX"}},
		{"archive has moved on", "moved", debPrograms, "",
			[]string{"cannot find the pinned packages libtest1 1:1.2-3, libtest-dev 1:1.2-3", "run `apt-get update`",
				"moved on", "pinned", "Version '1:1.2-3' for 'libtest1' was not found"}},
		{"no list of packages", "unlisted", debPrograms, "",
			[]string{"run `apt-get update`", "Unable to locate package libtest1"}},
		{"old list of packages", "gone", debPrograms, "", []string{"run `apt-get update`", "404  Not Found"}},
		{"no network", "offline", debPrograms, "", []string{"could not fetch the library of packages",
			"look at the network", "Temporary failure resolving", "set CALLIOPE_TEST_LIBRARY"}},
		{"apt-get says nothing", "silent", debPrograms, "", []string{"could not fetch", "exit status 3"}},
		{"apt-get leaves nothing", "nothing", debPrograms, "", []string{"did not store the package libtest1"}},
		{"disk full for apt-get", "diskfull", debPrograms, "",
			[]string{"is full", "apt-get found no space", "set CALLIOPE_CACHE"}},
		{"corrupt download", "corrupt", debPrograms, "",
			[]string{"not the pinned file", sum(bad), sum(debBytes("libtest1")), "deleted", "try again"}},
		{"broken package", "badtar", debPrograms, "",
			[]string{"cannot unpack libtest1_", "compressed data is corrupt"}},
		{"disk full for the linker", "linkfull", debPrograms, "",
			[]string{"is full", "the linker found no space", "set CALLIOPE_CACHE"}},
		{"link fails", "nolink", debPrograms, "", []string{"`c++` cannot link the library of packages", "setting CXX",
			"undefined reference", "ld returned 1"}},
		{"libraries missing", "missing", debPrograms, "",
			[]string{"needs libz3.so.4, libxml2.so.2, libodd.so.1, which", "`apt-get install libz3-4 libxml2`"}},
		{"odd library missing", "odd", debPrograms, "",
			[]string{"needs libodd.so.1, which", "install the package that has it"}},
		{"old C library", "oldlibc", debPrograms, "", []string{"does not fit this system", "GLIBC_2.36"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, test.mode, test.programs...)
			t.Setenv("CXX", test.cxx)
			_, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)})
			check.Error(t, err, test.want...)
			if diff := cmp.Diff(emptyDebCache(), files(t, cache)); diff != "" {
				t.Errorf("files in the cache (-want +got):\n%s", diff)
			}
			debMended(t, cache)
		})
	}
}

// debMended checks that the next Ensure, with programs that work, gets the part.
func debMended(t *testing.T, cache string) {
	t.Helper()
	setUp(t, "", debPrograms...)
	t.Setenv(cacheEnv, cache)
	found, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)})
	if err != nil {
		t.Fatalf("the next Ensure: %v", err)
	}
	check.Report(t, found.Check())
	if diff := cmp.Diff(wholeDebCache(), files(t, cache)); diff != "" {
		t.Errorf("files after the next Ensure (-want +got):\n%s", diff)
	}
}

// What a fetch killed at a bad moment, or a damaged disk, can leave.
func TestDebMends(t *testing.T) {
	check.NoRaces(t)
	tests := []struct {
		name   string
		damage func(sl slot) error
		found  string
	}{
		{"killed between the renames", func(sl slot) error {
			return errors.Join(os.Remove(sl.record), os.Remove(sl.library))
		}, "not there"},
		{"killed before the record", func(sl slot) error { return os.Remove(sl.record) }, "an unfinished download"},
		{"other library lost", func(sl slot) error { return os.Remove(filepath.Join(sl.dir, "libtest.so.1")) },
			"libtest.so.1: no such file"},
		{"other library cut", func(sl slot) error { return os.Truncate(filepath.Join(sl.dir, "libtest.so.1"), 7) },
			"libtest.so.1 has 7 bytes instead of 7000"},
		{"other library changed", func(sl slot) error {
			return os.WriteFile(filepath.Join(sl.dir, "libtest.so.1"), bytes.Repeat([]byte("x"), 7000), 0o644)
		}, "libtest.so.1 has the sha256"},
		{"linked library changed", func(sl slot) error {
			return os.WriteFile(sl.library, bytes.Repeat([]byte("x"), len(linked)), 0o644)
		}, debLibrary + " has the sha256"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, "", debPrograms...)
			if _, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)}); err != nil {
				t.Fatal(err)
			}
			check.NoError(t, test.damage(table[debPart].slot(cache)))
			_, err := Find(debPart)
			if _, ok := errors.AsType[*NotFoundError](err); !ok {
				t.Fatalf("Find: %v, want a NotFoundError", err)
			}
			check.Error(t, err, test.found)
			debMended(t, cache)
		})
	}
}

func TestDebCheckFindsDamage(t *testing.T) {
	cache, _ := setUp(t, "", debPrograms...)
	found, err := Ensure(t.Context(), debPart, EnsureOptions{Progress: new(bytes.Buffer)})
	check.NoError(t, err)
	path := filepath.Join(table[debPart].slot(cache).dir, "libtest.so.1")
	data, err := os.ReadFile(path)
	check.NoError(t, err)
	data[99] ^= 1
	check.NoError(t, os.WriteFile(path, data, 0o644))
	check.Error(t, found.Check(), "libtest.so.1 has the sha256", "rm -r ", "-fetch "+string(debPart))
}

func TestDebStops(t *testing.T) {
	cache, meet := setUp(t, "partial", debPrograms...)
	stopEnsure(t, debPart, cache, meet, "fetching the library of packages was stopped", emptyDebCache())
	debMended(t, cache)
}

func TestDebKilledProcess(t *testing.T) {
	cache, meet := setUp(t, "partial", debPrograms...)
	killProcess(t, debPart, meet, filepath.Join(table[debPart].slot(cache).work, "deb", "libtest1_1%3a1.2-3_amd64.deb"))
	debMended(t, cache)
}

// A file name that leads out of the folder is refused, though the pinned packages
// have none.
func TestUnpackTarOddName(t *testing.T) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "./lib/../../x", Typeflag: tar.TypeReg}), w.Close()); err !=
		nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a")
	kept, err := unpackTar(&buf, regexp.MustCompile(`^lib/(.+)$`), dir)
	check.Error(t, err, `"./lib/../../x"`)
	if kept != 0 {
		t.Errorf("kept %d files, want none", kept)
	}
}

func TestFetchFolder(t *testing.T) {
	cache, meet := setUp(t, "", "apt-get", "dpkg-deb")
	_, err := fetchFolder(t.Context(), testSet, EnsureOptions{Offline: true})
	check.Error(t, err, "the test headers are not in the cache", "fetch them first")
	if got := downloads(t, meet); got != nil {
		t.Errorf("downloaded all the same: %q", got)
	}

	dir, err := fetchFolder(t.Context(), testSet, EnsureOptions{Progress: new(bytes.Buffer)})
	if thisPlatform != debPlatform {
		check.Error(t, err, "can be fetched on "+debPlatform+" only")
		return
	}
	check.NoError(t, err)
	if data, err := os.ReadFile(filepath.Join(dir, "test-c", "sub", "a.h")); err != nil || string(data) != "int a;\n" {
		t.Errorf("the header holds %q, %v", data, err)
	}
	id := filepath.Base(filepath.Dir(dir))
	want := []string{id, id + "/include", id + "/include/test-c", id + "/include/test-c/sub",
		id + "/include/test-c/sub/a.h", id + ".lock"}
	if diff := cmp.Diff(want, files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	t.Setenv("PATH", "")
	if again, err := fetchFolder(t.Context(), testSet, EnsureOptions{Offline: true}); err != nil || again != dir {
		t.Errorf("the second time: %q, %v, want %q", again, err, dir)
	}
}

func TestFetchFolderErrors(t *testing.T) {
	if thisPlatform != debPlatform {
		return // refused before, see TestFetchFolder
	}
	for _, test := range []struct {
		mode string
		want []string
	}{
		{"moved", []string{"libtest-dev 1:1.2-3", "apt-get update"}},
		{"corrupt", []string{"the download of the test headers is not the pinned file"}},
		{"badtar", []string{"cannot unpack"}},
	} {
		cache, _ := setUp(t, test.mode, "apt-get", "dpkg-deb")
		_, err := fetchFolder(t.Context(), testSet, EnsureOptions{Progress: new(bytes.Buffer)})
		check.Error(t, err, test.want...)
		if strings.Contains(err.Error(), "library that you have") {
			t.Errorf("advice for a library: %v", err)
		}
		if got := files(t, cache); len(got) != 2 {
			t.Errorf("%s left files: %q", test.mode, got)
		}
	}
}
