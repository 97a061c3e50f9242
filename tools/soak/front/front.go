package front

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
)

// Options say how long the load lasts.
type Options struct {
	For        time.Duration
	Every      time.Duration // between two samples
	Goroutines int           // that call at the same time
	Seed       uint64
	Only       string       // the acts whose names have it; "" is all
	Samples    func(Sample) // gets each sample as it is taken; may be nil
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.For <= 0 || o.Every <= 0 || o.Goroutines < 1 {
		return errors.New("the duration, the time between samples and the number of goroutines must be above 0")
	}
	if len(o.acts()) == 0 {
		return fmt.Errorf("no act has %q in its name", o.Only)
	}
	return nil
}

// acts returns the indices of the acts that are done.
func (o Options) acts() (list []int) {
	for i, a := range acts {
		if strings.Contains(a.name, o.Only) {
			list = append(list, i)
		}
	}
	return list
}

// Result holds what was done, and the samples.
type Result struct {
	Counts  []int64 // by act
	Samples []Sample
}

// load is the state of a run of this package.
type load struct {
	options  Options
	sessions []*calliope.Session
	acts     []int // indices of the acts that are done
	counts   []atomic.Int64
	pause    sync.RWMutex // an act holds it for reading, a sample for writing
}

// engines are those of the sessions.
var engines = []engine.Engine{nil, jit.Engine()}

// Run makes the calls. It returns an error if one ends in another way than it must, or if the process grows.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	l := &load{options: o, acts: o.acts(), counts: make([]atomic.Int64, len(acts))}
	result, err := l.run(ctx)
	for _, s := range l.sessions {
		err = errors.Join(err, s.Close())
	}
	return result, err
}

func (l *load) run(ctx context.Context) (*Result, error) {
	for _, e := range engines {
		s, err := calliope.Open(ctx, calliope.Options{Engine: e})
		if err != nil {
			return nil, err
		}
		l.sessions = append(l.sessions, s)
	}
	begin := time.Now()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wait sync.WaitGroup
	for g := range l.options.Goroutines {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(l.options.Seed, uint64(g)))
			for ctx.Err() == nil {
				if err := l.act(ctx, random); err != nil {
					stop(err)
				}
			}
		})
	}
	r := &Result{}
	for ctx.Err() == nil && time.Since(begin) < l.options.For {
		select {
		case <-ctx.Done():
		case <-time.After(min(l.options.Every, l.options.For-time.Since(begin))):
			r.add(l.sample(begin), l.options.Samples)
		}
	}
	err := context.Cause(ctx)
	stop(nil)
	wait.Wait()
	for i := range l.counts {
		r.Counts = append(r.Counts, l.counts[i].Load())
	}
	if err != nil {
		return r, err
	}
	return r, CheckFlat(r.Samples)
}

// act does one of the acts on one of the sessions.
func (l *load) act(ctx context.Context, random *rand.Rand) error {
	l.pause.RLock()
	defer l.pause.RUnlock()
	n := l.acts[random.IntN(len(l.acts))]
	s := l.sessions[random.IntN(len(l.sessions))]
	if err := acts[n].do(ctx, s, random); err != nil {
		return fmt.Errorf("%s: %w", acts[n].name, err)
	}
	l.counts[n].Add(1)
	return nil
}

// sample waits for what is under way, and takes a sample.
func (l *load) sample(begin time.Time) Sample {
	l.pause.Lock()
	defer l.pause.Unlock()
	s := take()
	s.At = time.Since(begin)
	return s
}

func (r *Result) add(s Sample, report func(Sample)) {
	r.Samples = append(r.Samples, s)
	if report != nil {
		report(s)
	}
}

// String returns how often each act was done, and what grew.
func (r *Result) String() string {
	var b strings.Builder
	for i, n := range r.Counts {
		fmt.Fprintf(&b, "%-28s %8d\n", acts[i].name, n)
	}
	return b.String() + Growth(r.Samples)
}
