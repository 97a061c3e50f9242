package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestPromises holds that the folders of which docs/compatibility.md promises nothing exist.
func TestPromises(t *testing.T) {
	doc := string(check.Must(os.ReadFile("../docs/compatibility.md")))
	row := regexp.MustCompile(`(?m)^\| none \|(.*)\|$`).FindString(doc)
	public := publicPackages()
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1) {
		folder := strings.TrimSuffix(name[1], "/…")
		if folder == "internal" {
			continue
		}
		before := len(public)
		public = slices.DeleteFunc(public, func(path string) bool { return strings.HasPrefix(path+"/", folder+"/") })
		if _, err := os.Stat(filepath.Join("..", folder)); err != nil || before == len(public) && folder != "examples" {
			t.Errorf("the table promises nothing of %s, and there is no such package", folder)
		}
	}
	if len(public) < 20 {
		t.Errorf("only %v are stable", public)
	}
}

// publicPackages returns the folders of the packages that a Go program can import.
func publicPackages() (list []string) {
	root := check.Must(filepath.Abs(".."))
	for _, folder := range []string{"..", "../gomlx", "../gomlx/gopjrt"} {
		command := exec.Command("go", "list", "-e", "-f", "{{.Name}} {{.Dir}}", "./...")
		command.Dir = folder
		for line := range strings.Lines(string(check.Must(command.Output()))) {
			name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
			path := filepath.ToSlash(check.Must(filepath.Rel(root, dir)))
			if name != "main" && !isInternal(path) {
				list = append(list, path)
			}
		}
	}
	return list
}
