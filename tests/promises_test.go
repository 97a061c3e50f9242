package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// TestPromises holds that the table of docs/compatibility.md has each public package once, and nothing else.
func TestPromises(t *testing.T) {
	doc := string(check.Must(os.ReadFile("../docs/compatibility.md")))
	rows := regexp.MustCompile(`(?m)^\| (?:stable|experimental|internal) \|(.*)\|$`).FindAllStringSubmatch(doc, -1)
	listed := map[string][]string{} // the packages of each name in the table
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if name[1] != "internal" {
				listed[name[1]] = nil
			}
		}
	}
	if len(rows) != 3 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for _, path := range publicPackages() {
		found := 0
		for name := range listed {
			if folder, all := strings.CutSuffix(name, "…"); name == path || all && strings.HasPrefix(path+"/", folder) {
				found++
				listed[name] = append(listed[name], path)
			}
		}
		if found != 1 {
			t.Errorf("package %s is in the table %d times", path, found)
		}
	}
	for name, packages := range listed {
		if len(packages) == 0 {
			t.Errorf("the table has %s, and there is no such package", name)
		}
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
