package command

import (
	"errors"
	"flag"
	"time"
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
