package command

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// A timeLimit is the flag -timeout.
type timeLimit time.Duration

// String returns the value of the flag.
func (l *timeLimit) String() string { return time.Duration(*l).String() }

// Set parses the value of the flag.
func (l *timeLimit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("give a time of more than zero, such as 30s or 2m")
	}
	*l = timeLimit(d)
	return nil
}

// addTimeout adds the flag, which sets a limit.
func addTimeout(flags *flag.FlagSet, limit *time.Duration, doc string) {
	*limit = time.Minute
	flags.Var((*timeLimit)(limit), "timeout", doc)
}

// limits are what reading and checking one input may take.
type limits struct {
	limit time.Duration
	max   bounded.Size
}

// prepare reads an input that this process reads. It returns the finding to report if the input
// cannot be checked, or nil.
func (l limits) prepare(in *input) *finding.Finding {
	if in.mistake != nil {
		return in.mistake
	}
	if in.problem != "" {
		f := unable(in.Name, "%s", in.problem)
		return &f
	}
	if problem := l.read(in); problem != "" {
		return &refused(in.Name, problem).findings[0]
	}
	return nil
}

// read reads an input that this process reads. It returns why that failed, or "".
func (l limits) read(in *input) string {
	switch err := in.fill(l.max, l.limit); {
	case errors.Is(err, errLate):
		return fmt.Sprintf("reading took longer than %v and was stopped: raise -timeout", l.limit)
	case err != nil:
		return reading(err)
	}
	return ""
}
