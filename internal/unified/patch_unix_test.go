//go:build unix

package unified

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// Random differences restore the second text by patch.
func TestDiffPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Fatalf("this test needs patch: %v", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		text := func() string {
			var b strings.Builder
			for range r.IntN(60) {
				fmt.Fprintln(&b, r.IntN(30))
			}
			return b.String()
		}
		a := text()
		b := text()
		if i%2 == 0 { // similar texts
			all := strings.SplitAfter(a, "\n")
			for range 3 {
				all[r.IntN(len(all))] = "new\n"
			}
			b = strings.Join(all, "")
		}
		folder := t.TempDir()
		file := filepath.Join(folder, "x")
		check.NoError(t, os.WriteFile(file, []byte(a), 0o600))
		run := exec.Command(patch, "-s", "-p0", "-d", folder)
		run.Stdin = strings.NewReader(string(Diff("x.orig", "x", []byte(a), []byte(b))))
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%q\n%q", err, out, a, b)
		}
		got, err := os.ReadFile(file)
		if err != nil && b != "" { // patch removes an empty file
			t.Fatal(err)
		}
		check.Diff(t, "text", b, string(got))
	}
}
