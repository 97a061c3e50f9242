package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// jobEnv makes this program a child that does the job of that name.
const jobEnv = "CALLIOPE_DOCTOR_JOB"

// answerFile is the child's file descriptor for steps: C++ code prints on the
// standard ones.
const answerFile = 3

// defaultLimit bounds a job. All of them take a second or two where nothing is wrong.
const defaultLimit = 2 * time.Minute

// job is what a child does.
type job func(*steps)

// step is what a child says of a part of its job: that it begins, and how it ended.
type step struct {
	Name    string
	Done    bool
	Text    string // what was found, "" where there is nothing to say but that it worked
	Problem string // what went wrong
	Crash   bool   // the child did not live to say so itself
}

// steps tells the parent.
type steps struct{ out *json.Encoder }

// do does one step and reports whether it went well.
func (s *steps) do(name string, f func() (string, error)) bool {
	s.tell(step{Name: name})
	text, err := f()
	done := step{Name: name, Done: true, Text: text}
	if err != nil {
		done.Problem = err.Error()
	}
	s.tell(done)
	return err == nil
}

func (s *steps) tell(message step) {
	if s.out.Encode(message) != nil {
		os.Exit(exitFailed) // the parent has gone
	}
}

// serveChild does the job of a child and ends the process; in a parent it does
// nothing.
func serveChild() {
	name, child := os.LookupEnv(jobEnv)
	if !child {
		return
	}
	do, ok := jobs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "panic: there is no job %q: unset %s\n", name, jobEnv)
		os.Exit(exitUsage)
	}
	// A parent that was killed ends nobody.
	time.AfterFunc(defaultLimit+time.Minute, func() { os.Exit(exitFailed) })
	do(&steps{json.NewEncoder(os.NewFile(answerFile, "answers"))})
	os.Exit(exitWell)
}

// runJob does a job in a child with some more environment variables, and gives each
// step when it is over. However the child ends, it is a step.
func runJob(ctx context.Context, name string, limit time.Duration, env []string, each func(step)) {
	pending := "start"
	if err := converse(ctx, name, limit, env, func(s step) {
		pending = s.Name
		if s.Done {
			pending = "end"
			each(s)
		}
	}); err != nil {
		each(step{Name: pending, Done: true, Problem: err.Error(), Crash: true})
	}
}

func converse(ctx context.Context, name string, limit time.Duration, env []string, each func(step)) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	answers, writing, err := os.Pipe()
	if err != nil {
		return err
	}
	defer answers.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var said tail
	cmd := exec.CommandContext(ctx, executable)
	// The cause of a crash is wanted, not the goroutines.
	cmd.Env = append(append(os.Environ(), env...), jobEnv+"="+name, "GOTRACEBACK=none")
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.ExtraFiles = []*os.File{writing} // becomes answerFile
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Start()
	writing.Close()
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(answers)
	for {
		var s step
		if decoder.Decode(&s) != nil {
			break // the child has ended
		}
		each(s)
	}
	err = cmd.Wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("it did not end within %v", limit)
	case ctx.Err() != nil:
		return errors.New("it was interrupted")
	case err != nil:
		return fmt.Errorf("the process ended: %s", strings.Join(append(cause(string(said)), err.Error()), ": "))
	}
	return nil
}

// fatal matches the line by which a library or Go's runtime says why it ends the
// process; the first is the form of abseil's log.
var fatal = regexp.MustCompile(`(?m)^(?:F\d{4} [^\]]*\] ?(.+)|((?:SIG|fatal error: |panic: |LLVM ERROR: |terminate called).*))$`)

// cause finds the reasons in what a dying process printed.
func cause(said string) []string {
	var reasons []string
	for _, match := range fatal.FindAllStringSubmatch(said, 2) {
		reasons = append(reasons, strings.TrimSpace(match[1]+match[2]))
	}
	return reasons
}

// tail keeps the end of what is written to it: a process tells last why it ends.
type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	const enough = 64 << 10
	*t = append(*t, b...)
	if extra := len(*t) - enough; extra > 0 {
		*t = append((*t)[:0], (*t)[extra:]...)
	}
	return len(b), nil
}
