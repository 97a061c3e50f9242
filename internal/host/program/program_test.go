package program_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMain makes the test binary a program that prints its path, folder and environment.
func TestMain(m *testing.M) {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name == "printer" || os.Getenv("PRINTER") != "" {
		folder, err := os.Getwd()
		fmt.Println(os.Args[0], folder, err)
		fmt.Println(strings.Join(os.Environ(), "\n"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// printer puts a copy of the test binary into a folder, as a program.
func printer(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "printer")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	check.NoError(t, os.WriteFile(path, check.Must(os.ReadFile(check.Must(os.Executable()))), 0o755))
	return path
}

func TestCommand(t *testing.T) {
	own, stranger := t.TempDir(), check.Must(filepath.EvalSymlinks(t.TempDir()))
	want := printer(t, own)
	printer(t, stranger)
	t.Chdir(stranger)
	list := string(filepath.ListSeparator)
	t.Setenv("PATH", strings.Join([]string{"", ".", "relative", own, ""}, list))
	t.Setenv("LD_LIBRARY_PATH", strings.Join([]string{own, "lib", ""}, list))
	kept := map[string]string{"PIP_INDEX_URL": "x", "HTTPS_PROXY": "y", "GIT_CONFIG_COUNT": "0", "UV_INDEX": "z"}
	for name, value := range kept {
		t.Setenv(name, value)
	}
	dropped := []string{"PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "GIT_EXTERNAL_DIFF", "GIT_DIR",
		"GIT_EXEC_PATH", "GIT_SSH_COMMAND", "LD_PRELOAD", "LD_AUDIT", "BASH_ENV"}
	for _, name := range dropped {
		t.Setenv(name, "")
	}
	kept["PATH"], kept["LD_LIBRARY_PATH"], kept["PWD"] = own, own, program.Folder()

	out, err := program.Command(t.Context(), "", "printer").Output()
	check.NoError(t, err)
	first, rest, _ := strings.Cut(string(out), "\n")
	if first != fmt.Sprint(want, " ", program.Folder(), " <nil>") {
		t.Errorf("it ran as %q, want %s in %s", first, want, program.Folder())
	}
	got := map[string]string{}
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		if _, ok := kept[name]; ok || slices.Contains(dropped, name) {
			got[name] = value
		}
	}
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	cmd := program.Command(t.Context(), own, "printer")
	out, err = cmd.Output()
	check.NoError(t, err)
	if !strings.Contains(string(out), "PWD="+own) {
		t.Errorf("it did not run in %s:\n%s", own, out)
	}
}

// TestSelf checks that a child of the same program has the folder and environment that this one has.
func TestSelf(t *testing.T) {
	folder := check.Must(filepath.EvalSymlinks(t.TempDir()))
	t.Chdir(folder)
	t.Setenv("PRINTER", "1")
	t.Setenv("PYTHONPATH", "mine")
	out, err := program.Self(t.Context()).Output()
	check.NoError(t, err)
	if text := string(out); !strings.Contains(text, folder+" <nil>") || !strings.Contains(text, "PYTHONPATH=mine") {
		t.Errorf("got\n%s", out)
	}
}

func TestFind(t *testing.T) {
	own, stranger := t.TempDir(), check.Must(filepath.EvalSymlinks(t.TempDir()))
	path := printer(t, stranger)
	t.Chdir(stranger)
	for _, list := range []string{"", ".", own + string(filepath.ListSeparator), "relative"} {
		t.Setenv("PATH", list)
		if got, err := program.Find("printer"); err == nil {
			t.Errorf("with PATH=%q it is %s, in the working folder", list, got)
		}
		err := program.Command(t.Context(), "", "printer").Run()
		check.Error(t, err, "printer", exec.ErrNotFound.Error())
	}
	// The user may name a program by its path.
	got, err := program.Find("." + string(filepath.Separator) + filepath.Base(path))
	if err != nil || got != path {
		t.Errorf("got %s, %v, want %s", got, err, path)
	}
}
