//go:build engines

package mlirtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// HostileTools gives what HostileText parses to mlir-lint, and each module that the library accepts of it to mlir-run,
// and checks that neither says that something crashed or hangs. Equal modules are run once.
func HostileTools(t *testing.T, root string, samples []Sample) {
	t.Helper()
	dir, programs := t.TempDir(), t.TempDir()
	for _, program := range []string{"mlir-lint", "mlir-run"} {
		build := exec.Command("go", "build", "-o", programs, root+"/tools/"+program)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var accepted []string
	seen := map[string]bool{}
	n := 0
	for _, s := range samples {
		c := Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
		for what, form := range hostileForms(c, s) {
			data := form()
			if data == nil {
				continue
			}
			name := filepath.Join(dir, fmt.Sprintf("%d.mlir", n))
			n++
			check.NoError(t, os.WriteFile(name, data, 0o666))
			if m, err := c.Parse("", data); err == nil {
				if text := generic(m); !seen[text] {
					seen[text] = true
					accepted = append(accepted, name+" "+what)
				}
				m.Close()
			}
		}
		c.Close()
	}
	t.Logf("%d modules, %d accepted", n, len(accepted))
	out, _ := exec.Command(filepath.Join(programs, "mlir-lint"), dir).CombinedOutput()
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("crashed")) || bytes.Contains(line, []byte("took longer")) {
			t.Errorf("mlir-lint: %s", line)
		}
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, file := range accepted {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			name, what, _ := strings.Cut(file, " ")
			begin := time.Now()
			out, err := exec.Command(filepath.Join(programs, "mlir-run"), "--timeout", "20s", name).CombinedOutput()
			if err != nil && (bytes.Contains(out, []byte("crash")) || time.Since(begin) > 19*time.Second) {
				t.Errorf("mlir-run: %s: %s", what, head(string(out)))
			}
		})
	}
	wait.Wait()
}
