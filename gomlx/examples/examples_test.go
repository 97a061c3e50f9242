package examples

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/gomlx"
)

// programs are the commands, and the values of GOMLX_BACKEND with which they run on the same plugin.
var programs = map[string]string{"cnn": "calliope", "cnn-xla": "xla:"}

// built is the folder of the commands.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "gomlx"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(built)
		if out, err := exec.Command("go", "build", "-o", built, "./cnn", "./cnn-xla").CombinedOutput(); err != nil {
			panic(string(out))
		}
		b, err := gomlx.New("")
		if err != nil {
			panic(err)
		}
		programs["cnn-xla"] += b.Session().Plugin().Info().Path
		b.Finalize()
		return m.Run()
	}())
}

// run runs a command and returns its output.
func run(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(built, program), args...)
	cmd.Env = append(os.Environ(), "GOMLX_BACKEND="+programs[program])
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustRun runs a command that must succeed, and returns its output and the losses in it.
func mustRun(t *testing.T, program string, args ...string) (out string, losses map[string]float64) {
	t.Helper()
	out, err := run(t, program, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	losses = map[string]float64{}
	for _, m := range regexp.MustCompile(`(step \d+): loss (\S+)`).FindAllStringSubmatch(out, -1) {
		if losses[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	return out, losses
}

// near compares losses of two backends.
var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) })

// TestCNN holds that both programs learn the same, what only one of them shows, and that a program that starts on one
// backend goes on from its checkpoint on the other.
func TestCNN(t *testing.T) {
	out, losses := mustRun(t, "cnn", "-every=1")
	outXLA, want := mustRun(t, "cnn-xla", "-every=1")
	if d := cmp.Diff(want, losses, near); d != "" || len(losses) != 60 || losses["step 60"] > losses["step 20"]/2 {
		t.Errorf("losses (-cnn-xla +cnn):\n%s\n%s", d, out)
	}
	ends := regexp.MustCompile(`right: \d+ of 128\n$`)
	if !ends.MatchString(out) || ends.FindString(out) != ends.FindString(outXLA) {
		t.Errorf("the ends of the outputs differ:\n%s\n%s", out, outXLA)
	}
	batch := regexp.MustCompile(`batch \d: \d+ right`)
	if n, nXLA := len(batch.FindAllString(out, -1)), len(batch.FindAllString(outXLA, -1)); n != 4 || nXLA != 0 {
		t.Errorf("Go has seen %d batches of 4, and %d with go-xla, which cannot", n, nXLA)
	}
	for first, then := range map[string]string{"cnn": "cnn-xla", "cnn-xla": "cnn"} {
		t.Run("from "+first, func(t *testing.T) {
			dir := t.TempDir()
			_, got := mustRun(t, first, "-every=1", "-steps=3", "-dir="+dir)
			_, rest := mustRun(t, then, "-every=1", "-steps=6", "-dir="+dir)
			if len(got) != 3 || len(rest) != 3 {
				t.Errorf("the programs report %d and %d steps, want 3 and 3", len(got), len(rest))
			}
			maps.Copy(got, rest)
			for step, loss := range got {
				if !cmp.Equal(losses[step], loss, near) {
					t.Errorf("%s: the loss is %f, and %f without the change", step, loss, losses[step])
				}
			}
		})
	}
}

// TestNaN holds that a step that diverges ends the run in that step.
func TestNaN(t *testing.T) {
	out, err := run(t, "cnn", "-rate=1e38")
	if err == nil || !strings.Contains(out, "the check failed: the loss is not finite; loss = ") ||
		!strings.Contains(out, "cnn/main.go:") || strings.Contains(out, "step 20:") {
		t.Errorf("the program ends with %v:\n%s", err, out)
	}
}
