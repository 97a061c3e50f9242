package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var includes = regexp.MustCompile(`(?m)^\s*#\s*include\s+"([^"]*)"`)

// TestIncludesAreImported holds that a package imports the folders whose files its C code includes.
// "go mod vendor" copies only folders that are imported, and Go builds a package again only if a
// package changed that it imports.
func TestIncludesAreImported(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list",
		"-json=ImportPath,Dir,Imports,CgoFiles,CFiles,CXXFiles,HFiles", "./...")
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	list := json.NewDecoder(strings.NewReader(string(check.Must(cmd.Output()))))
	found := 0
	for {
		var p struct {
			ImportPath, Dir                             string
			Imports, CgoFiles, CFiles, CXXFiles, HFiles []string
		}
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(p.CgoFiles, p.CFiles, p.CXXFiles, p.HFiles) {
			text := check.Must(os.ReadFile(filepath.Join(p.Dir, name)))
			for _, m := range includes.FindAllSubmatch(text, -1) {
				file := string(m[1])
				if !strings.Contains(file, "/") {
					continue
				}
				found++
				if folder := path.Join(p.ImportPath, path.Dir(file)); !slices.Contains(p.Imports, folder) {
					t.Errorf("%s: %s includes %s, and the package does not import %s", p.ImportPath, name, file, folder)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d includes of other folders were found", found)
	}
}
