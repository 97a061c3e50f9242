package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

func TestMain(m *testing.M) {
	execute.Serve()
	os.Exit(m.Run())
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"", "telepathy", "-calls 1", "calls -nosuchflag", "calls stray",
		"calls -mode telepathy", "calls -devices 0",
		"calls -count 1", "faults -count 0", "faults -goroutines 0", "front -for 0s",
		"front -only telepathy", "lint -inputs 0", "lint -keep=",
		"lint -files -1",
		"identities -expressions 0", "stress -procs -1", "stress -procs 1 -for -1s", "programs -programs 0",
		"movement -programs 0", "movement -engines telepathy",
		"programs -ways telepathy", "structs -rounds 0", "structs -libraries telepathy", "structs -only ("} {
		var out, errs bytes.Buffer
		if got := run(strings.Fields(args), &out, &errs); got != 2 || errs.Len() == 0 {
			t.Errorf("run(%q) = %d, said %q; want 2 and why", args, got, &errs)
		}
	}
}

func TestSoak(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"calls", "-calls", "5000", "-devices", "1"}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.Contains(out.String(), "calls in 5 runs") {
		t.Errorf("it printed\n%s", &out)
	}
}

func TestFaults(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"faults", "-count", "2", "-only", "wrapped"}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.HasPrefix(out.String(), "wrapped error\tinline\t2\t") ||
		!strings.Contains(out.String(), "8 injections") {
		t.Errorf("it printed\n%s", &out)
	}
}

func TestStress(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"stress", "-procs", "2", "-for", "300ms"}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.HasPrefix(out.String(), "GOMAXPROCS=2: ") || !strings.Contains(out.String(), "close an executable") {
		t.Errorf("it printed\n%s", &out)
	}
}

func TestLint(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"lint", "-inputs", "100", "-keep", t.TempDir()}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.HasPrefix(out.String(), "100 inputs in ") || !strings.Contains(out.String(), "problems 0;") {
		t.Errorf("it printed\n%s", &out)
	}
}

func TestIdentities(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"identities", "-expressions", "20"}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.Contains(out.String(), "20 programs, ") {
		t.Errorf("it printed\n%s", &out)
	}
}

func TestLintFiles(t *testing.T) {
	var out, errs bytes.Buffer
	if got := run([]string{"lint", "-files", "1000"}, &out, &errs); got != 0 {
		t.Fatalf("run = %d\n%s%s", got, &out, &errs)
	}
	if !strings.Contains(out.String(), "800 files: the command ") {
		t.Errorf("it printed\n%s", &out)
	}
}
