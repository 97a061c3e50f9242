//go:build unix

package command_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A file keeps its permissions, and a link stays a link.
func TestFixLinks(t *testing.T) {
	tree := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(tree, ".git"), 0o755))
	dir, other := filepath.Join(tree, "dir"), filepath.Join(tree, "other")
	check.NoError(t, os.Mkdir(dir, 0o755))
	target := writeFile(t, other, "target.mlir", unmarked)
	check.NoError(t, os.Chmod(target, 0o640))
	link := filepath.Join(dir, "link.mlir")
	check.NoError(t, os.Symlink(target, link))
	// Both names at once: one of them finds the other's work done.
	executeWith(everything, "", "-rules", "marks", "-fix", link, target).holds(t, 0)
	check.Diff(t, "target", marked, readFile(t, target))
	check.Diff(t, "mode", fs.FileMode(0o640), check.Must(os.Stat(target)).Mode())
	if info := check.Must(os.Lstat(link)); info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v", info.Mode())
	}
}

// TestLinksOutside checks that links of a stranger's tree make nothing of a file outside of it be read or written.
func TestLinksOutside(t *testing.T) {
	tree, home := t.TempDir(), t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(tree, ".git"), 0o755))
	secret := writeFile(t, home, "secret", "secret words\n")
	module := writeFile(t, home, "mine.mlir", unmarked)
	link := func(name, to string) string {
		path := filepath.Join(tree, name)
		check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.NoError(t, os.Symlink(to, path))
		return path
	}
	read := link("a/secret.mlir", secret)
	toModule := link("b/mine.mlir", module)
	base := link("base.json", secret)
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"a folder", []string{filepath.Join(tree, "a")}, read + ":1:1: error: it is a link out of the tree "},
		{"-quick", []string{"-quick", filepath.Join(tree, "a")}, read + ":1:1: error: it is a link out of the tree "},
		{"-fix", []string{"-rules", "marks", "-fix", toModule}, "cannot be written: it is a link out of the tree "},
		{"-fix of a folder", []string{"-rules", "marks", "-fix", filepath.Join(tree, "b")},
			"it is a link out of the tree "},
		{"-add-ignores", []string{"-rules", "differs,marks", "-add-ignores", "why", toModule},
			"no comments are added: it is a link out of the tree "},
		{"-write-baseline",
			[]string{"-rules", "marks", "-baseline", base, "-write-baseline", writeFile(t, tree, "c.mlir", clean)},
			"is a link out of the tree "},
		{"-baseline", []string{"-baseline", base, filepath.Join(tree, "c.mlir")}, "it is no JSON at byte 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := executeWith(everything, "", test.args...)
			text := r.Stdout + r.Stderr
			if !strings.Contains(text, test.want) || strings.Contains(text, "words") || r.Exit == 0 {
				t.Errorf("exit status %d, want %q:\n%s", r.Exit, test.want, text)
			}
			check.Diff(t, "the secret", "secret words\n", readFile(t, secret))
			check.Diff(t, "the module", unmarked, readFile(t, module))
		})
	}
}

// What cannot be written is an error, and the other files are repaired.
func TestFixUnwritable(t *testing.T) {
	dir := t.TempDir()
	first := writeFile(t, dir, "a.mlir", unmarked)
	readOnly := writeFile(t, dir, "b.mlir", unmarked)
	check.NoError(t, os.Chmod(readOnly, 0o444))
	folder := filepath.Join(dir, "folder")
	check.NoError(t, os.Mkdir(folder, 0o755))
	inFolder := writeFile(t, folder, "c.mlir", unmarked)
	check.NoError(t, os.Chmod(folder, 0o555))
	t.Cleanup(func() { check.NoError(t, os.Chmod(folder, 0o755)) })
	export := writeFile(t, dir, "d.jaxexport", readFile(t, "../../stablehlo/jaxexport/testdata/static.jaxexport"))
	crash := writeFile(t, dir, "e.mlir", "func.func @crash() { return }\n")
	last := writeFile(t, dir, "f.mlir", unmarked)
	executeWith(everything, "", "-rules", "marks,meddles", "-fix", first, readOnly, inFolder, export, crash,
		last).holds(t, 2,
		"b.mlir:1:1: error: cannot be written: it is read-only: make it writable, or see with -diff what would change [invalid]\n",
		"c.mlir:1:1: error: cannot be written: the folder ",
		" is read-only: make it writable, or see with -diff what would change [invalid]\n",
		"d.jaxexport:1:1: error: cannot be repaired: it is a file of jax.export, which has more than the module: mend the program, and export it again [invalid]\n",
		"e.mlir:1:1: error: the MLIR library crashed on this file",
	)
	for path, want := range map[string]string{first: marked, readOnly: unmarked, inFolder: unmarked, last: marked} {
		check.Diff(t, path, want, readFile(t, path))
	}
	check.Diff(t, "files", 6, len(check.Must(os.ReadDir(dir))))
}
