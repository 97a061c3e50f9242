package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

// TestMain is also the main function of child processes: the doctor's own and those of
// TestChild.
func TestMain(m *testing.M) {
	for name, do := range testJobs {
		jobs[name] = do
	}
	serveChild()
	nativetest.Main(m)
}

// doctor runs the command and returns the exit status and the output.
func doctor(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = run(t.Context(), args, &out, &errs)
	return exit, out.String(), errs.String()
}

// section returns the lines of one section, or "" if there is none. Fields are separated by
// one space.
func section(stdout, title string) string {
	_, text, _ := strings.Cut("\n\n"+stdout, "\n\n"+title+"\n")
	text, _, _ = strings.Cut(text, "\n\n")
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func lastLine(stdout string) string {
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	return lines[len(lines)-1]
}

// unset removes a variable until the end of the test.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // restores it
	os.Unsetenv(name)
}

const whole = `build and verify ok
preflight ok
compile ok
run ok
io callback ok
zero copy ok
tap ok
runtime call ok
result ok
close ok`

func TestWell(t *testing.T) {
	exit, stdout, stderr := doctor(t)
	if exit != exitWell || stderr != "" || lastLine(stdout) != "all well" {
		t.Errorf("exit status %d, errors %q", exit, stderr)
	}
	if d := cmp.Diff(whole, section(stdout, "self-test")); d != "" {
		t.Errorf("self-test (-want +got):\n%s", d)
	}
	for title, wants := range map[string][]string{
		"machine":                  {"toolkit github.com/calliope-mlir/calliope v" + version.Version, "Go go1.", "C compiler /", "cache /"},
		"native parts":             {"mlir (required) ", "pjrt (required) "},
		"sha256":                   {"mlir ", "pjrt "},
		native.MLIR.String():       {"C functions ", "StableHLO 1."},
		native.PJRTPlugin.String(): {"PJRT API 0.", "typed FFI 0.", "stablehlo_current_version ", "devices "},
	} {
		got := section(stdout, title)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("section %q lacks %q:\n%s", title, want, got)
			}
		}
	}
	if t.Failed() {
		t.Log("\n" + stdout)
	}
}

// TestVLog shows what XLA's compiler logs.
func TestVLog(t *testing.T) {
	exit, stdout, stderr := doctor(t, "-check=false", "-vlog", "cpu_compiler=3")
	if exit != exitWell || !strings.Contains(stderr, " cpu_compiler.cc:") || strings.Contains(stdout, "cpu_compiler") {
		t.Errorf("exit status %d, the log is %q", exit, stderr[:min(len(stderr), 1000)])
	}
	exit, stdout, _ = doctor(t, "-check=false", "-vlog", "much")
	if want := `VLog: "much" is neither a level, such as 1, nor a module`; exit != exitFailed ||
		!strings.Contains(stdout, want) {
		t.Errorf("exit status %d, the report lacks %q:\n%s", exit, want, stdout)
	}
}

// Each case of TestTrouble breaks one thing.
func TestTrouble(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.so")
	if err := os.WriteFile(junk, []byte("no library\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	located := map[native.Part]string{}
	for _, p := range native.DefaultParts() {
		found, err := native.Find(p)
		if err != nil {
			t.Fatal(err)
		}
		located[p] = found.Path
	}
	open, err := filepath.EvalSymlinks(t.TempDir()) // as commands that mend name it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	other, damaged := emptied(t)
	empty := t.TempDir()
	// Each report looks for pip, and the real one takes a second to answer.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\necho pip 1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		env  map[string]string // "" unsets
		args []string
		want map[string]string // by section, a piece of it
		next string
	}{{
		name: "nothing is there",
		env:  map[string]string{native.MLIR.Env(): "", native.PJRTPlugin.Env(): ""},
		want: map[string]string{
			"native parts": "mlir (required) MISSING, looked at\n$" + native.MLIR.Env() + ": not set\n",
			"self-test":    "not tried it needs the " + native.MLIR.String(),
		},
		next: version.Fetch,
	}, {
		name: "no plugin",
		env:  map[string]string{native.PJRTPlugin.Env(): ""},
		want: map[string]string{
			"native parts": "pjrt (required) MISSING",
			"self-test":    "build and verify ok\nrun without XLA ok\nrun on XLA not tried: it needs the " + native.PJRTPlugin.String(),
		},
		next: version.Fetch,
	}, {
		name: "a part that is asked for",
		env:  map[string]string{native.IREE.Env(): ""},
		args: []string{"iree"},
		want: map[string]string{"native parts": "iree (required) MISSING", "self-test": whole},
		next: version.Fetch + " iree",
	}, {
		name: "no library at all",
		env:  map[string]string{native.MLIR.Env(): junk},
		want: map[string]string{
			"sha256":             "mlir readable",
			native.MLIR.String(): "C functions FAILED: mlir: ",
			"self-test":          "not tried",
		},
		next: "correct or unset " + native.MLIR.Env() + ", then " + command,
	}, {
		name: "a plugin that is none",
		env:  map[string]string{native.PJRTPlugin.Env(): located[native.MLIR]},
		want: map[string]string{
			native.PJRTPlugin.String(): "PJRT API FAILED: bridge: ",
			"self-test":                "build and verify ok\nrun without XLA ok\nrun on XLA not tried",
		},
		next: "correct or unset " + native.PJRTPlugin.Env() + ", then " + command,
	}, {
		name: "a LAPACK that is none",
		env:  map[string]string{native.LAPACK.Env(): located[native.MLIR]},
		want: map[string]string{
			native.LAPACK.String(): "version FAILED: the library " + located[native.MLIR] +
				" has neither scipy_dpotrf_ nor dpotrf_",
			"self-test": whole,
		},
		next: "correct or unset " + native.LAPACK.Env() + ", then " + command,
	}, {
		name: "a further plugin that is none",
		env:  map[string]string{native.PJRT106.Env(): located[native.MLIR]},
		want: map[string]string{native.PJRT106.String(): "PJRT API FAILED: bridge: ", "self-test": whole},
		next: "correct or unset " + native.PJRT106.Env() + ", then " + command,
	}, {
		name: "a path that leads nowhere",
		env:  map[string]string{native.PJRTPlugin.Env(): junk + "not"},
		want: map[string]string{"native parts": "pjrt (required) FAILED: native: $" + native.PJRTPlugin.Env()},
		next: "correct or unset " + native.PJRTPlugin.Env() + ", then " + command,
	}, {
		name: "a relative cache",
		env:  map[string]string{"CALLIOPE_CACHE": "here"},
		want: map[string]string{"machine": "cache FAILED: native: CALLIOPE_CACHE"},
		next: "set CALLIOPE_CACHE to the absolute path of a directory, then " + command,
	}, {
		name: "a cache that cannot be made",
		env:  map[string]string{"CALLIOPE_CACHE": "/proc/calliope"},
		want: map[string]string{"machine": "cache FAILED: /proc/calliope does not exist and cannot be made: "},
		next: "set CALLIOPE_CACHE to a directory that can be written, then " + command,
	}, {
		name: "no cache, and a part is missing",
		env:  map[string]string{"CALLIOPE_CACHE": "", "HOME": "", "XDG_CACHE_HOME": "", native.MLIR.Env(): ""},
		want: map[string]string{"machine": "cache none: native: no folder for the cache is known"},
		next: "set CALLIOPE_CACHE to the absolute path of a directory, then " + command,
	}, {
		name: "a cache that everybody may write to",
		env:  map[string]string{"CALLIOPE_CACHE": open, native.MLIR.Env(): "", native.PJRTPlugin.Env(): ""},
		args: []string{"-fetch"},
		want: map[string]string{
			"fetch":        "default parts FAILED: native: the cache is not used",
			"native parts": "mlir (required) FAILED: native: the cache is not used, because other users may change it: " + open + ": every user may write to it",
		},
		next: "chmod -R go-w '" + open + "' && " + version.Fetch,
	}, {
		name: "nothing fetched into it",
		env:  map[string]string{"CALLIOPE_CACHE": open, native.MLIR.Env(): "", native.PJRTPlugin.Env(): ""},
		want: map[string]string{"native parts": "pjrt (required) FAILED: native: the cache is not used"},
		next: "chmod -R go-w '" + open + "' && " + command,
	}, {
		name: "other bytes",
		env:  map[string]string{"CALLIOPE_CACHE": other, native.MLIR.Env(): ""},
		want: map[string]string{"native parts": "mlir (required) MISSING, looked at\n$" + native.MLIR.Env() +
			": not set\n" + besides(t, filepath.Base(damaged)) + damaged + ": damaged: " + filepath.Base(damaged) +
			" has the sha256 "},
		next: version.Fetch,
	}, {
		name: "a cache that is a file",
		env: map[string]string{"CALLIOPE_CACHE": filepath.Join(junk, "cache"), native.MLIR.Env(): "",
			native.PJRTPlugin.Env(): ""},
		args: []string{"-fetch"},
		want: map[string]string{"fetch": "default parts FAILED: native: ", "native parts": "MISSING"},
	}, {
		name: "no pip",
		env:  map[string]string{native.MLIR.Env(): "", "PATH": t.TempDir()},
		args: []string{"-fetch", "mlir"},
		want: map[string]string{"machine": "pip none",
			"fetch": "mlir FAILED: native: fetching torch-mlir needs Python"},
		next: "install Python with pip, or uv, then " + version.Fetch + " mlir",
	}, {
		name: "a file that is not pinned",
		args: []string{"-import", junk},
		want: map[string]string{"import": "files FAILED: native: " + junk + " is not imported: its sha256 is ",
			"native parts": "mlir (required) "},
		next: "get the file anew instead of " + junk + ", then try again",
	}, {
		name: "an export without pip",
		env:  map[string]string{"PATH": t.TempDir()},
		args: []string{"-export", filepath.Join(t.TempDir(), "out"), "pjrt"},
		want: map[string]string{"": "FAILED: native: fetching lammps-jax-pjrt-cpu needs Python"},
		next: "install Python with pip, or uv, then try again",
	}, {
		name: "no pip where none is needed",
		env:  map[string]string{"PATH": t.TempDir(), "CXX": "", native.LLVM.Env(): ""},
		args: []string{"-fetch", "llvm"},
		want: map[string]string{"machine": "pip none", "fetch": "llvm FAILED: native: ",
			"native parts": "llvm (required) MISSING"},
		next: "fix the error of the fetch above, then " + version.Fetch + " llvm",
	}, {
		name: "an unknown flag",
		env:  map[string]string{"XLA_FLAGS": "--nosuchflag"},
		want: map[string]string{
			"environment":              `XLA_FLAGS "--nosuchflag"`,
			native.PJRTPlugin.String(): `devices FAILED: bridge: XLA_FLAGS: this plugin's XLA has no flag "nosuchflag"`,
			"self-test":                "build and verify ok\nrun without XLA ok\nrun on XLA not tried",
		},
		next: "env -u XLA_FLAGS " + command,
	}} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PATH", bin)
			t.Setenv("CALLIOPE_CACHE", empty) // each report reads all parts that it finds
			for part, path := range located {
				t.Setenv(part.Env(), path)
			}
			for name, value := range test.env {
				if value == "" {
					unset(t, name)
				} else {
					t.Setenv(name, value)
				}
			}
			exit, stdout, stderr := doctor(t, test.args...)
			if exit != exitFailed {
				t.Errorf("exit status %d, errors %q", exit, stderr)
			}
			for title, want := range test.want {
				if got := stdout; title == "" && strings.Contains(got, want) {
					continue
				}
				if got := section(stdout, title); !strings.Contains(got, want) {
					t.Errorf("section %q lacks %q:\n%s", title, want, got)
				}
			}
			if last := lastLine(stdout); !strings.HasPrefix(last, "next: ") || test.next != "" &&
				last != "next: "+test.next {
				t.Errorf("the last line is %q, not %q", last, "next: "+test.next)
			}
			if t.Failed() {
				t.Log("\n" + stdout)
			}
		})
	}
}

// besides returns the lines about a library that is not beside this executable.
func besides(t *testing.T, library string) string {
	t.Helper()
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(program)
	return filepath.Join(dir, library) + ": not there\n" + filepath.Join(dir, "lib", library) + ": not there\n"
}

// emptied returns a cache in which the MLIR library has its size and consists of zeros, and
// the library's path there.
func emptied(t *testing.T) (cache, path string) {
	t.Helper()
	t.Setenv(native.MLIR.Env(), "")
	found, err := native.Ensure(t.Context(), native.MLIR, native.EnsureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library := found.Path
	record, err := os.ReadFile(library + ".json")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(library)
	if err != nil {
		t.Fatal(err)
	}
	cache = t.TempDir()
	dir := filepath.Join(cache, filepath.Base(filepath.Dir(library)))
	path = filepath.Join(dir, filepath.Base(library))
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(path, nil, 0o644), os.Truncate(path, info.Size()),
		os.WriteFile(path+".json", record, 0o644)); err != nil {
		t.Fatal(err)
	}
	return cache, path
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-nosuch"}, "-nosuch: the flags are -fetch, -check, -export, -platform, -import, -llvm, -table, -version, -vlog and -h"},
		{[]string{"-fetch=maybe"}, "maybe"},
		{[]string{"-fetch", "spoon"}, `there is no part "spoon": choose from cuda, iree, jaxlib, lapack, llvm, mlir, pjrt, pjrt106, pjrt81`},
		{[]string{"mlir", "-check"}, "put the flags first"},
		{[]string{"-import", "file", "-check"}, "put the flags first"},
		{[]string{"-import"}, "-import needs files or folders"},
		{[]string{"-fetch", "-export", "x"}, "use only one of -fetch, -export and -import"},
		{[]string{"-import", "-export", "x", "y"}, "use only one of -fetch, -export and -import"},
		{[]string{"-table", "-import", "x"}, "-table goes with -fetch only"},
		{[]string{"-table", "x", "y"}, "-table writes one file"},
		{[]string{"-llvm", "auto", "mlir"}, "-llvm goes with no other flag and no part"},
		{[]string{"-fetch", "-llvm", "auto"}, "-llvm goes with no other flag and no part"},
		{[]string{"-platform", "linux/arm64"}, "-platform is for -export only"},
		{[]string{"-export", "x", "-platform", "plan9/mips"}, `there is nothing for the platform "plan9/mips": choose from darwin/arm64, linux/amd64, linux/arm64`},
	} {
		exit, stdout, stderr := doctor(t, test.args...)
		if exit != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit status %d, %q, want %q", test.args, exit, stderr, test.want)
		}
	}
	if exit, stdout, stderr := doctor(t, "-version"); exit != exitWell || stderr != "" ||
		stdout != "doctor "+version.Version+"\n" {
		t.Errorf("-version: exit status %d, %q, %q", exit, stdout, stderr)
	}
	if exit, stdout, stderr := doctor(t, "-h"); exit != exitWell || stderr != "" ||
		!strings.Contains(stdout, "-fetch") {
		t.Errorf("-h: exit status %d, %q, %q", exit, stdout, stderr)
	}
}

// TestCheck damages a library after it was fetched.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "lib.so")
	record := fmt.Sprintf(`{"sha256": "%x", "size": 4}`, sha256.Sum256([]byte("good")))
	for name, data := range map[string]string{library: "good", library + ".json": record} {
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := []found{{native.MLIR, native.Location{Path: library, Source: native.FromCache}}}
	var out bytes.Buffer
	good := &report{out: &out}
	if good.check(all); good.failed {
		t.Errorf("a whole library:\n%s", &out)
	}
	if err := os.WriteFile(library, []byte("evil"), 0o644); err != nil {
		t.Fatal(err)
	}
	damaged := &report{out: &out}
	damaged.check(all)
	if want := fmt.Sprintf("rm -r %q && %s mlir", dir, version.Fetch); !damaged.failed || damaged.next != want {
		t.Errorf("a damaged library: next %q, want %q\n%s", damaged.next, want, &out)
	}
}

var testJobs = map[string]job{
	"well": func(s *steps) { s.do("one", func() (string, error) { return "1", nil }) },
	"error": func(s *steps) {
		s.do("one", func() (string, error) { return "", errors.New("no\nluck") })
	},
	"signal": func(s *steps) {
		s.do("one", func() (string, error) { return "", nil })
		s.do("two", func() (string, error) {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			return "", errors.Join(err, errors.New("alive"))
		})
	},
	"panic": func(s *steps) {
		s.do("one", func() (string, error) { panic("oh") })
	},
	"late": func(s *steps) {
		s.do("one", func() (string, error) { time.Sleep(time.Hour); return "", nil })
	},
	"at the end": func(s *steps) {
		s.do("one", func() (string, error) { return "", nil })
		os.Exit(3)
	},
}

// TestChild checks that each way in which a child process can end is reported.
func TestChild(t *testing.T) {
	one := step{Name: "one", Done: true}
	for _, test := range []struct {
		job  string
		want []step
	}{
		{"well", []step{{Name: "one", Done: true, Text: "1"}}},
		{"error", []step{{Name: "one", Done: true, Problem: "no\nluck"}}},
		{"signal", []step{one, {Name: "two", Done: true, Problem: "the process ended: signal: killed", Crash: true}}},
		{"panic",
			[]step{{Name: "one", Done: true, Problem: "the process ended: panic: oh: exit status 2", Crash: true}}},
		{"at the end",
			[]step{one, {Name: "end", Done: true, Problem: "the process ended: exit status 3", Crash: true}}},
		{"nosuch", []step{{Name: "start", Done: true, Problem: `the process ended: panic: there is no job "nosuch": unset CALLIOPE_DOCTOR_JOB: exit status 2`, Crash: true}}},
	} {
		var got []step
		runJob(t.Context(), test.job, time.Minute, nil, nil, func(s step) { got = append(got, s) })
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.job, d)
		}
	}
}

func TestLate(t *testing.T) {
	var got []step
	runJob(t.Context(), "late", 300*time.Millisecond, nil, nil, func(s step) { got = append(got, s) })
	// A slow machine may not have begun yet.
	if len(got) != 1 || got[0].Problem != "it timed out after 300ms" || !got[0].Crash {
		t.Errorf("got %+v", got)
	}
}
