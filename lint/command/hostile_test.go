package command_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
)

// TestCrash checks a file that crashes a worker, between others.
func TestCrash(t *testing.T) {
	// One worker, so that the file before the hostile one has the same worker.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const depth = 2_000_000 // too deep for the stack of a worker
	dir := t.TempDir()
	crash := "SIGSEGV"
	if runtime.GOOS == "windows" {
		crash = "" // "Exception 0xc00000fd", or the fatal error of internal/host/stack
	}
	first := writeFile(t, dir, "first.mlir", hook)
	hostile := writeFile(t, dir, "hostile.mlir",
		"module attributes {a.b = "+strings.Repeat("[", depth)+strings.Repeat("]", depth)+"} {}")
	last := writeFile(t, dir, "last.mlir", hook)
	execute("", first, hostile, last).holds(t, 2,
		first+":2:8: error: ", "[create-token]\n", first+":3:8: error: ", "[outfeed]\n",
		hostile+":1:1: error: the MLIR library crashed on this file ("+crash,
		"it may be nested too deeply, or damaged [invalid]\n",
		last+":2:8: error: ", "[create-token]\n", last+":3:8: error: ", "[outfeed]\n")
}

// dies returns a rule that ends its worker on a function @die, as a crash of the library does.
func dies(name string) *lint.Analyzer {
	return &lint.Analyzer{Name: name, Doc: "ends its worker", Run: func(p *lint.Pass) error {
		for op := range p.Operations("func.func") {
			if symbol, _ := op.Symbol(); symbol != "die" {
				continue
			}
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				return err
			}
			select {} // until the signal comes
		}
		return nil
	}}
}

// dying is a module on which dies ends a worker, and for which other rules have findings.
const dying = "func.func private @die()\n" + hook

// TestRuleCrashes checks that the other rules report after rules that crash.
func TestRuleCrashes(t *testing.T) {
	t.Parallel()
	const rules = "create-token,dies,outfeed,dies-too"
	const crashed = "error: the MLIR library crashed on this "
	others := []string{":3:8: error: ", "[create-token]\n", ":4:8: error: ", "[outfeed]\n"}
	want := func(place, what string) []string {
		return append([]string{
			place + crashed + what, "the rule dies is the cause",
			place + crashed + what, "the rule dies-too is the cause",
		}, others...)
	}
	for name, args := range map[string][]string{
		"check":  nil,
		"repair": {"-fix"}, // nothing is written
		"parts":  {"-split-input-file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bad, good := writeFile(t, dir, "bad.mlir", dying), writeFile(t, dir, "good.mlir", clean)
			r := executeWith(everything, "", append(append([]string{"-rules", rules}, args...), bad, good)...)
			r.holds(t, 2, want(bad+":1:1: ", "file")...)
			check.Diff(t, "findings", 4, strings.Count(r.Stdout, "\n"))
			check.Diff(t, "the file", dying, string(check.Must(os.ReadFile(bad))))
			if repaired := strings.Contains(r.Stderr, "not repaired, because"); repaired != (name == "repair") {
				t.Errorf("the notes are %q", r.Stderr)
			}
		})
	}
	executeWith(everything, hanging+"\n"+marker+dying, "-rules", rules, "-split-input-file").holds(t, 2,
		append(want("<stdin>:3:1: ", "part")[:4],
			":5:8: error: ", "[create-token]\n", ":6:8: error: ", "[outfeed]\n")...)
}

// TestWornOut checks that a file is not reported for a worker that an earlier file damaged.
func TestWornOut(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := t.TempDir()
	for _, name := range []string{"a.mlir", "b.mlir", "c.mlir"} {
		writeFile(t, dir, name, clean)
	}
	executeWith(everything, "", "-rules", "wears-out", dir).holds(t, 0)
}

// TestNoThreadOfGo checks that a worker for which the system starts no thread is no finding of a file.
func TestNoThreadOfGo(t *testing.T) {
	const want = "command.test: a worker ended: runtime/cgo: pthread_create failed: Resource temporarily unavailable: raise the limits of address space and processes (ulimit -v, -u)\n"
	check.Diff(t, "result", result{2, "", want}, executeWith(everything, clean, "-rules", "ends"))
}

// TestDeep checks that a file is checked even if it is too deep for an ordinary stack.
func TestDeep(t *testing.T) {
	const depth = 50_000
	text := "module attributes {a.b = " + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "} {\n" + hook + "}"
	execute(text).holds(t, 1, "<stdin>:3:8: error: ", "<stdin>:4:8: error: ")
}

// TestTimeout checks a module on which a worker does not end.
func TestTimeout(t *testing.T) {
	t.Parallel()
	executeWith(everything, hanging, "-rules", "hangs", "-timeout", "1s").holds(t, 2,
		"<stdin>:1:1: error: reading and checking took longer than 1s and was stopped: raise -timeout [invalid]\n")
}

// TestCrashReasons checks which reason is named for a crash.
func TestCrashReasons(t *testing.T) {
	const deep, zero, large = "it may be nested too deeply, or damaged",
		"an operation may have a size of zero, or an empty list", "a number in it may be too large, or it is damaged"
	for how, want := range map[string]string{
		"SIGSEGV: segmentation violation":  deep,
		"SIGABRT: abort":                   deep,
		"SIGFPE: floating-point exception": zero,
		"LLVM ERROR: out of memory":        large,
		"LLVM ERROR: SmallVector unable to grow. Requested capacity (4294967297)": large,
		"terminate called after throwing an instance of 'std::bad_alloc'":         large,
	} {
		check.Diff(t, how, "the MLIR library crashed on this file ("+how+"): "+want, command.Crashed(how))
	}
}
