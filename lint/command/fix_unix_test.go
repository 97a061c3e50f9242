//go:build unix

package command_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// A file keeps its permissions, and a link stays a link.
func TestFixLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
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
