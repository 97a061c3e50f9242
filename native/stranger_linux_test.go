package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestStrangersFolder runs the real pip in a folder whose files take the place of pip and of Python's own modules, as
// those of a repository that somebody cloned.
func TestStrangersFolder(t *testing.T) {
	check.NoRaces(t)
	dir, marker := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	code := "open(" + "'" + marker + "', 'a').write(__name__ + '\\n')\n"
	for _, name := range []string{"pip.py", "pip/__init__.py", "pip/__main__.py", "runpy.py", "sitecustomize.py",
		"usercustomize.py", "json.py"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(code))
	}
	for _, name := range []string{"python3", "pip3", "uv", "sh"} {
		write(t, filepath.Join(dir, name), []byte("#!/bin/sh\necho "+name+" >> "+marker+"\n"))
		check.NoError(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	write(t, filepath.Join(dir, "uv.toml"), []byte("[[index]]\nurl = \"http://localhost:1\"\n"))
	t.Chdir(dir)
	t.Setenv("PATH", "."+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("PYTHONPATH", dir)
	t.Setenv("PYTHONSTARTUP", filepath.Join(dir, "pip.py"))
	s := table[testPart]
	for _, pip := range pips {
		out, err := command(t.Context(), "", append(pip, "--version")).CombinedOutput()
		t.Logf("%s: %v: %s", strings.Join(pip, " "), err, out)
	}
	pip, err := findPip(t.Context(), s, s.builds[thisPlatform])
	check.NoError(t, err)
	// The settings of pip in variables count.
	t.Setenv("PIP_INDEX_URL", "https://index.invalid/simple")
	out, err := command(t.Context(), "", append(pip, "config", "debug")).Output()
	if err != nil || !strings.Contains(string(out), "PIP_INDEX_URL='https://index.invalid/simple'") {
		t.Errorf("%s does not read PIP_INDEX_URL: %v\n%s", strings.Join(pip, " "), err, out)
	}
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("the folder's files ran:\n%s", ran)
	}
}
