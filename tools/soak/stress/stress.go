package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

// Options say how much is done. Zero means the default.
type Options struct {
	For        time.Duration // 20 s by default
	Goroutines int           // number of goroutines that execute at the same time; 8 by default
	Registries int           // number of registries that live as long as the stress; 8 by default
	Devices    int           // number of devices of each client; 2 by default
	// Flat limits the memory of the process in the second half of the time, if For is at least
	// 20 s. The Go heap is limited without it, too. C's allocator fills the arenas that it keeps for threads over
	// minutes, so make it keep one.
	Flat bool
}

func (o *Options) fill() {
	if o.For == 0 {
		o.For = 20 * time.Second
	}
	if o.Goroutines == 0 {
		o.Goroutines = 8
	}
	if o.Registries == 0 {
		o.Registries = 8
	}
	if o.Devices == 0 {
		o.Devices = 2
	}
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.For < 0 || o.Goroutines < 0 || o.Registries < 0 || o.Devices < 0 {
		return errors.New("the time and the numbers must not be negative")
	}
	return nil
}

// Result holds the counts of a stress.
type Result struct {
	Elapsed time.Duration
	Calls   int64                     // number of calls that compiled code made
	Actions [numActions]int64         // number of times each action was done
	Ends    map[string]int64          // number of runs by how they ended
	Memory  []load.Memory             // samples in the second half of the time
	Stats   map[string]callbacks.Stat // sums for each way
}

// String returns the result as a table.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "GOMAXPROCS=%d: %d calls in %v\n", runtime.GOMAXPROCS(0), r.Calls,
		r.Elapsed.Round(time.Millisecond))
	for a, n := range r.Actions {
		fmt.Fprintf(&b, "  %-28s %10d\n", actionNames[a], n)
	}
	for _, end := range sortedKeys(r.Ends) {
		fmt.Fprintf(&b, "  runs that ended with %-22s %10d\n", end, r.Ends[end])
	}
	for _, way := range sortedKeys(r.Stats) {
		s := r.Stats[way]
		fmt.Fprintf(&b, "  %-12s fired %9d, delivered %9d, dropped %6d, failed %6d\n", way, s.Fired, s.Delivered,
			s.Dropped, s.Failed)
	}
	fmt.Fprintf(&b, "  %s\n", load.Growth(r.Memory))
	return b.String()
}

// grace limits the time that calls and runs in flight may take after the end of the time.
const grace = 2 * time.Minute

// Run runs the stress for as long as the options say. It returns an error if a call was
// lost or made twice, if a run ended wrongly or hung, or if memory grew.
func Run(ctx context.Context, plugin *bridge.Plugin, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.fill()
	var result atomic.Pointer[Result]
	err := load.Within(o.For+grace, func() error {
		r, err := run(ctx, plugin, o)
		result.Store(r)
		return err
	})
	return result.Load(), err
}

func run(ctx context.Context, plugin *bridge.Plugin, o Options) (result *Result, err error) {
	s, err := newStress(ctx, plugin, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	start := time.Now()
	ctx, stop := context.WithTimeout(ctx, o.For)
	defer stop()
	var memory load.Samples
	memory.Take()
	var wait sync.WaitGroup
	for g := range o.Goroutines {
		wait.Go(func() { s.work(ctx, g) })
	}
	wait.Go(func() {
		for range numSamples {
			select {
			case <-time.After(o.For / numSamples):
				memory.Take()
			case <-ctx.Done():
				return
			}
		}
	})
	wait.Wait()
	if err := s.failure(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	result = &Result{Elapsed: time.Since(start), Ends: s.endings(), Memory: memory.All()}
	result.Memory = result.Memory[len(result.Memory)/2:]
	for a := range result.Actions {
		result.Actions[a] = s.actions[a].Load()
	}
	return result, errors.Join(s.settle(result), checkMemory(o, result))
}

// settleTime is the shortest time after which memory is checked.
const settleTime = 20 * time.Second

const numSamples = 40

func checkMemory(o Options, r *Result) error {
	switch {
	case o.For < settleTime:
		return nil
	case o.Flat:
		return load.CheckFlat(r.Memory)
	}
	return load.CheckHeap(r.Memory)
}

// stress is the state of a stress.
type stress struct {
	options Options
	plugin  *bridge.Plugin
	hosts   []*host // hosts that stay open

	actions [numActions]atomic.Int64

	mu     sync.Mutex
	ends   map[string]int64
	failed []error
}

func newStress(ctx context.Context, plugin *bridge.Plugin, o Options) (s *stress, err error) {
	s = &stress{options: o, plugin: plugin, ends: map[string]int64{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for range o.Registries {
		h, err := newHost(ctx, plugin, o.Devices)
		if err != nil {
			return s, err
		}
		s.hosts = append(s.hosts, h)
	}
	return s, nil
}

func (s *stress) close() error {
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, h.close())
	}
	return errors.Join(errs...)
}

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }

// work does one action after the other until the time is over.
func (s *stress) work(ctx context.Context, g int) {
	r := newRand(g)
	for ctx.Err() == nil && s.failure() == nil {
		a := chooseAction(r)
		s.actions[a].Add(1)
		if err := s.act(ctx, a, r); err != nil {
			s.mu.Lock()
			s.failed = append(s.failed, fmt.Errorf("%s: %w", actionNames[a], err))
			s.mu.Unlock()
		}
	}
}

func (s *stress) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed...)
}

// ended counts how a run ended.
func (s *stress) ended(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[how]++
}

func (s *stress) endings() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ends
}
