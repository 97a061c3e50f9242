package mutants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

const module = "github.com/calliope-mlir/calliope"

// programs are the commands that are run.
type programs struct {
	linter string // mlir-lint
	exact  string // the same with the rule found
}

// build builds the programs in a folder.
func build(ctx context.Context, folder string) (p programs, err error) {
	for to, from := range map[*string]string{&p.linter: "tools/mlir-lint", &p.exact: "tools/soak/mutants/exact"} {
		*to = filepath.Join(folder, filepath.Base(from))
		if runtime.GOOS == "windows" {
			*to += ".exe"
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-o", *to, module+"/"+from)
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("building %s: %w\n%s", from, err, out)
		}
	}
	return p, nil
}

const (
	runLimit  = 5 * time.Minute // for one run of a command
	fileLimit = 10 * time.Second
	exitLimit = 10 * time.Second // for the processes of a command after its end
)

// A result is what a command printed.
type result struct {
	status         int
	stdout, stderr []byte
}

// defects are lines that a command never prints to standard error.
var defects = regexp.MustCompile(
	`(?m)^(panic: |fatal error: |goroutine \d+ |SIG[A-Z]+: |WARNING: DATA RACE|(mlir-lint|exact): ).*$`)

// run runs a command and checks how it ended.
func run(ctx context.Context, program string, args ...string) (r result, err error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = exitLimit
	inGroup(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return r, fmt.Errorf("%s %q: %w %v", program, args, err, ctx.Err())
	}
	r = result{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}
	if r.status < 0 || r.status > 2 {
		return r, fmt.Errorf("%s %q: exit status %v: %s", program, args, cmd.ProcessState, r.stderr)
	}
	if line := defects.Find(r.stderr); line != nil {
		return r, fmt.Errorf("%s %q printed %q", program, args, line)
	}
	if err := alone(cmd, exitLimit); err != nil {
		return r, fmt.Errorf("%s %q: %w", program, args, err)
	}
	return r, nil
}

// alone waits until no process of the group of a command that ended is left.
func alone(cmd *exec.Cmd, limit time.Duration) error {
	for end := time.Now().Add(limit); groupLeft(cmd); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.Join(fmt.Errorf("a process is left %v after the end", limit), killGroup(cmd))
		}
	}
	return nil
}

// scratch returns a new folder for files, in memory if the system has such a place.
func scratch() (string, error) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if folder, err := os.MkdirTemp("/dev/shm", "mutants-*"); err == nil {
			return folder, nil
		}
	}
	return os.MkdirTemp("", "mutants-*")
}
