package transforms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/test/progen"
)

// Options say which trials are made.
type Options struct {
	Trials int
	Seed   uint64 // of the first one
	Cases  string // a file of JAX's random programs; "" is that of the repository
	Keep   string // the folder that gets the modules of problems; it is made if there are any
	Log    bool   // print each trial

	crash uint64 // the first seed of a trial that may end its process, in a test; 0 is none
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Trials < 1 || o.Keep == "" {
		return errors.New("the number of trials must be 1 or more, and -keep needs a folder")
	}
	return nil
}

const (
	perBatch = 50              // trials of a child
	limit    = 2 * time.Minute // for one step of a trial
)

// A soak is the state of a run of this package.
type soak struct {
	Options
	out   io.Writer
	start time.Time

	mu       sync.Mutex
	outcomes map[outcome]int
	trials   int
	problems int
}

// Run makes the trials in child processes, on all processors, and prints each problem. It returns an error if there is
// one.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	folder, err := root(ctx)
	if err != nil {
		return err
	}
	if o.Cases == "" {
		o.Cases = filepath.Join(folder, "tests/transforms/testdata/cases.json.gz")
	}
	s := &soak{Options: o, out: out, start: time.Now(), outcomes: map[outcome]int{}}
	var batches []batch
	for end, first := o.Seed+uint64(o.Trials), o.Seed; first < end; first += perBatch {
		batches = append(batches, batch{folder, o.Cases, first, min(first+perBatch, end), o.crash})
	}
	err = child.All(batches, func(b batch) error { return s.work(ctx, b) })
	if s.problems > 0 {
		err = errors.Join(err, fmt.Errorf("%d problems; the modules are in %s", s.problems, o.Keep))
	}
	return err
}

// work runs a batch. A trial that ends its process is a problem, unless it was not yet at what was transformed, and the
// rest of the batch runs in another one.
func (s *soak) work(ctx context.Context, b batch) error {
	for b.First < b.End {
		last, err := s.child(ctx, b)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			b.First = b.End
			continue
		case last.Doing == "":
			return err // it ended between two trials
		case last.Doing == onOriginal:
			last.Outcome = unsuited
		default:
			last.Error = last.Doing + ": " + err.Error()
		}
		s.add(last)
		b.First, b.Crash = last.Seed+1, 0 // one in a test
	}
	s.progress()
	return nil
}

// child runs a batch in a process. If the process fails, it returns what it did last.
func (s *soak) child(ctx context.Context, b batch) (last answer, err error) {
	err = child.Run(ctx, limit, childVariable, b, func(a answer) {
		if last = a; a.Doing == "" {
			s.add(a)
		}
	})
	return last, err
}

// add counts a trial, and reports and keeps it if there is a problem.
func (s *soak) add(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trials++; a.Error == "" {
		s.outcomes[a.Outcome]++
		if s.Log {
			fmt.Fprintf(s.out, "seed %d: %s: %s\n", a.Seed, a.Story, a.Outcome)
		}
		return
	}
	s.problems++
	fmt.Fprintf(s.out, "seed %d: %s: %s\n", a.Seed, a.Story, a.Error)
	err := progen.Keep(s.Keep, fmt.Sprint(a.Seed), a.Module, nil, nil)
	if err != nil {
		fmt.Fprintln(s.out, err)
	}
}

// progress prints how many trials ended in each way.
func (s *soak) progress() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "%d trials in %.0f s, %d problems", s.trials, time.Since(s.start).Seconds(), s.problems)
	for _, o := range slices.Sorted(maps.Keys(s.outcomes)) {
		fmt.Fprintf(s.out, ", %d %s", s.outcomes[o], o)
	}
	fmt.Fprintln(s.out)
}
