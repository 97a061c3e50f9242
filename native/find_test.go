package native

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestFindOrder(t *testing.T) {
	cache, _ := setUp(t, "")
	system := t.TempDir()
	defer func(old func() []string) { systemDirs = old }(systemDirs)
	systemDirs = func() []string { return []string{filepath.Join(system, "no"), system} }

	find := func(want Location) {
		t.Helper()
		got, err := Find(testPart)
		check.NoError(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Find (-want +got):\n%s", diff)
		}
		check.Report(t, got.Check())
	}
	write := func(path string) {
		t.Helper()
		check.NoError(t, os.WriteFile(path, libraryBytes, 0o644))
	}

	var missing *NotFoundError
	if _, err := Find(testPart); !errors.As(err, &missing) || missing.Part != testPart {
		t.Errorf("nothing there: error %v, want a NotFoundError", err)
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Errorf("Find made the cache folder: %v", err)
	}

	path := filepath.Join(system, testLibrary)
	write(path)
	find(Location{Path: path, Source: FromSystem})

	fillSlot(t, testSlot(cache))
	find(Location{Path: testSlot(cache).library, Source: FromCache, Version: "calliope-test 1.2.3"})

	path = filepath.Join(t.TempDir(), "any name")
	write(path)
	t.Setenv("CALLIOPE_TEST_LIBRARY", path)
	find(Location{Path: path, Source: FromEnvironment})

	t.Chdir(filepath.Dir(path))
	t.Setenv("CALLIOPE_TEST_LIBRARY", "any name")
	find(Location{Path: path, Source: FromEnvironment})
}

// fillSlot puts the library and its record into the cache by hand.
func fillSlot(t *testing.T, sl slot) {
	t.Helper()
	check.NoError(t, os.MkdirAll(sl.dir, 0o755))
	check.NoError(t, os.WriteFile(sl.partial, libraryBytes, 0o644))
	err := sl.commit(
		record{Wheel: testWheel, Pin: sum(wheelBytes()), SHA256: sum(libraryBytes), Size: int64(len(libraryBytes))})
	check.NoError(t, err)
}

func TestFindErrors(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name  string
		part  Part
		env   map[string]string
		found bool // a NotFoundError: nothing is set wrongly
		want  []string
	}{
		{"nothing", testPart, nil, true,
			[]string{"test library not found", "run `" + version.Fetch + " test`", "set CALLIOPE_TEST_LIBRARY"}},
		{"no build", "elsewhere", nil, true, []string{"only for plan9/mips", "set CALLIOPE_TEST_ELSEWHERE"}},
		{"missing file", testPart, map[string]string{"CALLIOPE_TEST_LIBRARY": filepath.Join(dir, "x.so")}, false,
			[]string{"$CALLIOPE_TEST_LIBRARY", "x.so", "correct the path, or unset"}},
		{"folder", testPart, map[string]string{"CALLIOPE_TEST_LIBRARY": dir}, false,
			[]string{"$CALLIOPE_TEST_LIBRARY", dir, "not a file"}},
		{"relative cache", testPart, map[string]string{cacheEnv: "some/where"}, false,
			[]string{cacheEnv, `"some/where"`, "absolute"}},
		{"no home", testPart, map[string]string{cacheEnv: "", "HOME": "", "XDG_CACHE_HOME": ""}, true,
			[]string{"test library not found", "no folder for the cache is known", "set CALLIOPE_CACHE"}},
		{"unknown part", "spoon", nil, false, []string{`"spoon"`, "cuda, ", "iree, jaxlib, lapack, llvm, mlir, pjrt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			setUp(t, "")
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			_, err := Find(test.part)
			check.Error(t, err, test.want...)
			var missing *NotFoundError
			if got := errors.As(err, &missing); got != test.found {
				t.Errorf("is a NotFoundError: %v, want %v: %v", got, test.found, err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestCacheDir(t *testing.T) {
	t.Setenv(cacheEnv, "")
	user, err := os.UserCacheDir()
	check.NoError(t, err)
	for env, want := range map[string]string{"": filepath.Join(user, "calliope"), "/a/b/../c/": "/a/c"} {
		t.Setenv(cacheEnv, env)
		got, err := CacheDir()
		if err != nil || got != want {
			t.Errorf("with %s=%q: %q, %v, want %q", cacheEnv, env, got, err, want)
		}
	}
}

// The table is written by hand: a slip in it would show only on another platform.
func TestTable(t *testing.T) {
	envs := map[string]Part{}
	for _, p := range []Part{MLIR, PJRTPlugin, IREE, LLVM, PJRT81, PJRT106, Jaxlib, LAPACK, CUDA} {
		s := p.spec()
		if other, ok := envs[p.Env()]; ok || !strings.HasPrefix(p.Env(), "CALLIOPE_") {
			t.Errorf("%s: bad or repeated environment variable %q (also of %q)", p, p.Env(), other)
		}
		envs[p.Env()] = p
		if s.project == "" || s.version == "" || s.mb == 0 || !strings.Contains(s.member+".", ".so.") {
			t.Errorf("%s: incomplete: %+v", p, s)
		}
		for platform, w := range s.builds {
			if w.debs != nil {
				if platform != debPlatform {
					t.Errorf("%s: packages of %s cannot be those of %s", p, debPlatform, platform)
				}
				checkDebs(t, w.debs)
				continue
			}
			file := path.Base(p.on(platform).member)
			if (path.Ext(file) == ".dylib") != strings.HasPrefix(platform, "darwin/") ||
				(path.Ext(file) == ".dll") != strings.HasPrefix(platform, "windows/") {
				t.Errorf("%s: %s has the library %s", p, platform, file)
			}
			if h := w.files[file]; len(w.files) != 1 || len(h) != 64 || strings.Trim(h, "0123456789abcdef") != "" {
				t.Errorf("%s: %s has the pinned files %q", p, platform, w.files)
			}
			arch := map[string]string{"linux/amd64": "_x86_64", "linux/arm64": "_aarch64", "darwin/arm64": "_arm64",
				"windows/amd64": "_amd64"}[platform]
			if arch == "" || !strings.HasSuffix(w.tag, arch) {
				t.Errorf("%s: %s has the tag %q", p, platform, w.tag)
			}
			if len(w.sha256) != 64 || strings.Trim(w.sha256, "0123456789abcdef") != "" {
				t.Errorf("%s: %s has the sha256 %q", p, platform, w.sha256)
			}
		}
	}
	if !testPart.Fetchable() || Part("elsewhere").Fetchable() || Part("spoon").Fetchable() {
		t.Error("Fetchable: want it of the test part, and not of one that has no build here or is unknown")
	}
	if got, want := Part("spoon").String(), `unknown native part "spoon"`; got != want {
		t.Errorf("String of an unknown part: %q, want %q", got, want)
	}
	if slices.ContainsFunc([]Part{IREE, LLVM, PJRT81, PJRT106, Jaxlib, LAPACK, CUDA, testPart},
		func(p Part) bool { return slices.Contains(DefaultParts(), p) }) {
		t.Errorf("DefaultParts() = %v holds a part that is fetched only on request", DefaultParts())
	}
	check.Diff(t, "release", "jaxlib 0.5.3", Jaxlib.Release())
	check.Diff(t, "releases of a part", map[string]string{"linux/amd64": "lammps-jax-pjrt-cpu 0.11.2",
		"linux/arm64": "xla-cpu-pjrt 0.0.1"}, PJRTPlugin.Releases())
	if p := Part("spoon"); p.Release() != "" || len(p.Releases()) > 0 {
		t.Errorf("an unknown part: %q, %q", p.Release(), p.Releases())
	}
	check.Diff(t, "plugins", []Part{PJRTPlugin, PJRT106, PJRT81}, Plugins())
}

// checkDebs looks for slips in a list of packages.
func checkDebs(t *testing.T, debs []deb) {
	t.Helper()
	for _, d := range debs {
		if len(d.sha256) != 64 || strings.Trim(d.sha256, "0123456789abcdef") != "" {
			t.Errorf("%s has the sha256 %q", d.name, d.sha256)
		}
		if d.name == "" || d.version == "" {
			t.Errorf("incomplete: %+v", d)
		}
		if keep, err := regexp.Compile(d.keep); err != nil || keep.NumSubexp() != 1 {
			t.Errorf("%s: %q is no regular expression with one group (%v)", d.name, d.keep, err)
		}
	}
}
