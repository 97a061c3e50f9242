package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// Options say which programs run.
type Options struct {
	Programs int
	Seed     uint64
	Ways     string   // names with commas between them; "" is all
	Plugins  []string // paths
	Keep     string   // the folder that gets the modules of mismatches; it is made if there are any

	spoiled bool   // leave a call of each program out of what is expected, in a test
	crash   uint64 // the seed of a program that ends its process, in a test; 0 is none
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Programs < 1 || o.Keep == "" || len(o.Plugins) == 0 {
		return errors.New("the number of programs must be 1 or more, there must be a plugin, and -keep needs a folder")
	}
	_, err := ways(o.Ways)
	return err
}

// Names returns the names of the ways.
func Names() string {
	var names []string
	for _, w := range all {
		names = append(names, w.name)
	}
	return strings.Join(names, ", ")
}

// Plugins returns the paths of the CPU plugins for this platform, which it fetches, or of the one in the environment.
func Plugins(ctx context.Context) (paths []string, err error) {
	parts := execute.Plugins()
	if os.Getenv("CALLIOPE_PJRT_PLUGIN") != "" {
		parts = parts[:1]
	}
	for _, part := range parts {
		found, err := native.Ensure(ctx, part, native.EnsureOptions{})
		if err != nil {
			return nil, err
		}
		paths = append(paths, found.Path)
	}
	return paths, nil
}

const (
	perBatch = 500 // programs of a child
	limit    = 2 * time.Minute
)

// A soak is the state of a run of this package.
type soak struct {
	Options
	out   io.Writer
	start time.Time
	ways  []way

	mu       sync.Mutex
	done     map[place]total
	problems int
}

// A place is a way on a plugin.
type place struct {
	way    string
	plugin string
}

type total struct {
	programs, problems int
	took               time.Duration
}

// Run runs the programs in child processes, on all processors, and prints lines of progress and each mismatch. It
// returns an error if there is one.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	list, err := ways(o.Ways)
	if err != nil {
		return err
	}
	s := &soak{Options: o, out: out, start: time.Now(), ways: list, done: map[place]total{}}
	var batches []batch
	n := uint64(len(o.Plugins))
	for first := o.Seed; first < o.Seed+uint64(o.Programs); first += perBatch * n {
		end := min(first+perBatch*n, o.Seed+uint64(o.Programs))
		for i := range o.Plugins {
			batches = append(batches, batch{o.Ways, first, end, i, len(o.Plugins), o.spoiled, o.crash})
		}
	}
	err = execute.Reported(s.progress, func() error {
		return child.All(batches, func(b batch) error { return s.work(ctx, b) })
	})
	s.progress()
	fmt.Fprintf(out, "%v100,000 programs would take %.0f minutes\n", s,
		time.Since(s.start).Minutes()*1e5/float64(o.Programs))
	if s.problems > 0 {
		err = errors.Join(err, fmt.Errorf("%d problems; the modules are in %s", s.problems, o.Keep))
	}
	return err
}

func (s *soak) progress() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.done {
		n += t.programs
	}
	fmt.Fprintf(s.out, "%d programs in %.0f s, %d problems\n", n, time.Since(s.start).Seconds(), s.problems)
}

// String returns the totals of each way on each plugin.
func (s *soak) String() string {
	var b strings.Builder
	for _, w := range s.ways {
		for _, plugin := range s.Plugins {
			if t := s.done[place{w.name, plugin}]; t.programs > 0 {
				fmt.Fprintf(&b, "%-16s %8d programs, %d problems, %6.1f ms each, on %s\n",
					w.name, t.programs, t.problems, t.took.Seconds()*1000/float64(t.programs),
					filepath.Base(filepath.Dir(plugin)))
			}
		}
	}
	return b.String()
}

// work runs a batch. A program that ends its process is a problem, and the rest of the batch runs in another one.
func (s *soak) work(ctx context.Context, b batch) error {
	for b.First < b.End {
		last, err := s.child(ctx, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			break
		}
		if last.Way == "" {
			return err // it did not begin
		}
		last.Error = err.Error()
		s.add(b, last)
		b.First = last.Seed + 1
	}
	return nil
}

// child runs a batch in a process. If the process fails, it returns the program that was running.
func (s *soak) child(ctx context.Context, b batch) (last answer, err error) {
	err = child.Run(ctx, limit, childVariable, b, func(a answer) {
		if a.Module == "" && a.Seed == last.Seed {
			a.Module = last.Module
		}
		if last = a; !a.Begins {
			s.add(b, a)
		}
	}, "CALLIOPE_PJRT_PLUGIN="+s.Plugins[b.Plugin])
	return last, err
}

// add counts a program, and reports and keeps it if there is a problem.
func (s *soak) add(b batch, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plugin := s.Plugins[b.Plugin]
	at := place{a.Way, plugin}
	t := s.done[at]
	t.programs++
	t.took += a.Took
	if a.Error != "" {
		t.problems++
		s.problems++
		report := fmt.Sprintf("seed %d, way %s, plugin %s: %s\n%s", a.Seed, a.Way, plugin, a.Error, a.Module)
		fmt.Fprintln(s.out, report)
		name := fmt.Sprintf("%d-%s", a.Seed, strings.ReplaceAll(a.Way, " ", "-"))
		err := errors.Join(progen.Keep(s.Keep, name, a.Module, nil, nil),
			os.WriteFile(filepath.Join(s.Keep, name+".txt"), []byte(report), 0o644))
		if err != nil {
			fmt.Fprintln(s.out, err)
		}
	}
	s.done[at] = t
}
