package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// jobEnv is the environment variable that makes this program a child process with the named
// job.
const jobEnv = "CALLIOPE_DOCTOR_JOB"

// vlogEnv is the environment variable with the VLog of the self-test's plugin.
const vlogEnv = "CALLIOPE_DOCTOR_VLOG"

// defaultLimit limits the time of a job. Without a problem, each takes a second or two.
const defaultLimit = 2 * time.Minute

// job is the work of a child process.
type job func(*steps)

// step is a child's message about a part of its job: that it begins, and how it ended.
type step struct {
	Name    string
	Done    bool
	Text    string // result; "" if it only worked
	Problem string // what went wrong
	Crash   bool   // the child crashed before it reported the problem
}

// steps sends steps to the parent.
type steps struct{ out *json.Encoder }

// do runs one step and reports whether it succeeded.
func (s *steps) do(name string, f func() (string, error)) bool {
	s.send(step{Name: name})
	text, err := f()
	done := step{Name: name, Done: true, Text: text}
	if err != nil {
		done.Problem = err.Error()
	}
	s.send(done)
	return err == nil
}

func (s *steps) send(message step) {
	if s.out.Encode(message) != nil {
		os.Exit(exitFailed) // the parent has ended
	}
}

// serveChild runs the job of a child process and ends the process. In a parent it does
// nothing.
func serveChild() {
	name, found := os.LookupEnv(jobEnv)
	if !found {
		return
	}
	do, ok := jobs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "panic: there is no job %q: unset %s\n", name, jobEnv)
		os.Exit(exitUsage)
	}
	// A parent that was killed does not end its child.
	time.AfterFunc(defaultLimit+time.Minute, func() { os.Exit(exitFailed) })
	do(&steps{json.NewEncoder(child.Answers())})
	os.Exit(exitWell)
}

// runJob runs a job in a child process with additional environment variables, and yields
// each step when it is over. The end of the child is always a step. What the child writes to
// its standard error goes to log as well, if log is not nil.
func runJob(ctx context.Context, name string, limit time.Duration, env []string, log io.Writer, each func(step)) {
	pending := "start"
	if err := converse(ctx, name, limit, env, log, func(s step) {
		pending = s.Name
		if s.Done {
			pending = "end"
			each(s)
		}
	}); err != nil {
		each(step{Name: pending, Done: true, Problem: err.Error(), Crash: true})
	}
}

func converse(
	ctx context.Context, name string, limit time.Duration, env []string, log io.Writer, each func(step),
) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p := child.New(ctx, slices.Concat(env, []string{jobEnv + "=" + name}))
	if log != nil {
		p.Stderr = io.MultiWriter(p.Stderr, log)
	}
	if err := p.Start(); err != nil {
		return err
	}
	decoder := json.NewDecoder(p.Answers)
	for {
		var s step
		if decoder.Decode(&s) != nil {
			break // the child has ended
		}
		each(s)
	}
	err := p.Wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("it timed out after %v", limit)
	case ctx.Err() != nil:
		return errors.New("it was interrupted")
	case err != nil:
		return fmt.Errorf("the process ended: %s", strings.Join(append(cause(p.Printed()), err.Error()), ": "))
	}
	return nil
}

// fatal matches the line in which a library or Go's runtime reports why it ends the
// process. The first alternative is the format of abseil's log.
var fatal = regexp.MustCompile(`(?m)^(?:F\d{4} [^\]]*\] ?(.+)|((?:SIG|Exception 0x|fatal error: |panic: |LLVM ERROR: |terminate called).*))$`)

// cause finds the reasons in the output of a process that crashed.
func cause(said string) []string {
	var reasons []string
	for _, match := range fatal.FindAllStringSubmatch(said, 2) {
		reasons = append(reasons, strings.TrimSpace(match[1]+match[2]))
	}
	return reasons
}
