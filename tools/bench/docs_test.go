package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteDocs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	begin := "<!-- bench -suite models -docs writes this -->\n"
	if err := os.WriteFile(file, []byte("before\n"+begin+"old\n<!-- the end -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := readResults("models/a/go\t2\tus\t-\tok\nmodels/a/over\t0.5\tx\t<=1\tok\nmodels/b/go\t3\tus\t-\tok\n" +
		"models/over\t0.5\tx\t-\tok\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDocs(file, "models", list); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(page), "\n")
	if !strings.HasPrefix(got[2], "Measured on ") || !strings.Contains(got[2], "CPU: ") {
		t.Errorf("the line %q does not say where", got[2])
	}
	got[2] = "Measured"
	want := "before\n" + begin + "Measured\n\n| | go | over |\n|---|---|---|\n| a | 2 µs | 0.5 |\n| b | 3 µs |  |\n" +
		"| all, geometric mean |  | 0.5 |\n\n<!-- the end -->\nafter\n"
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	err = writeDocs(file, "roofs", nil)
	if err == nil || !strings.Contains(err.Error(), "no place for the suite roofs") {
		t.Errorf("a page without a place: %v", err)
	}
}
