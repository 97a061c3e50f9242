package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// action is one kind of operation of the stress.
type action int

const (
	runSteady action = iota
	runCancelled
	runDeadline
	runLate
	runFailing
	giveUp
	barrier
	closeExecutable
	closeRegistry
	closeClient
	numActions
)

var actionNames = [numActions]string{
	"run", "cancel a run", "let a deadline pass", "let calls time out", "fail calls", "give a run up",
	"barrier", "close an executable", "close a registry", "close a client",
}

// weights say how often each action is done: compiling, or making a client, takes long.
var weights = [numActions]int{400, 150, 150, 40, 60, 60, 20, 6, 3, 1}

func chooseAction(r *rand.Rand) action {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := r.IntN(sum)
	for a, w := range weights {
		if n < w {
			return action(a)
		}
		n -= w
	}
	panic("stress: the weights do not add up")
}

func (s *stress) act(ctx context.Context, a action, r *rand.Rand) error {
	// A run must not end because the stress ends.
	ctx = context.WithoutCancel(ctx)
	h := s.hosts[r.IntN(len(s.hosts))]
	l := h.lanes[r.IntN(len(h.lanes))]
	job := job{lane: l, callback: &l.shaky, device: r.IntN(s.options.Devices), size: r.IntN(len(sizes)),
		start: r.Int64N(1 << 40), turns: 1 + r.Int64N(64), client: h.client}
	job.executable = l.programs[l.shaky.name][job.size]
	moment := time.Duration(r.IntN(400)) * time.Microsecond
	switch a {
	case runSteady:
		job.callback, job.executable = &l.steady, l.programs[l.steady.name][job.size]
		within, cancel := ctx, context.CancelFunc(func() {})
		if r.IntN(2) == 0 {
			within, cancel = context.WithCancel(ctx)
		}
		defer cancel()
		if err := job.run(within); err != nil {
			return err
		}
		s.ended("no error")
		return nil
	case runCancelled:
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		defer time.AfterFunc(moment, cancel).Stop()
		return s.mayEnd(job.run(within), context.Canceled)
	case runDeadline:
		within, cancel := context.WithTimeout(ctx, moment)
		defer cancel()
		return s.mayEnd(job.run(within), context.DeadlineExceeded)
	case runLate:
		job.mode, job.turns = late, 1
		return s.mayEnd(job.run(ctx), nil)
	case runFailing:
		job.mode = []int64{fail, panics}[r.IntN(2)]
		return s.mayEnd(job.run(ctx), errFault)
	case giveUp:
		return s.giveUp(ctx, job)
	case barrier:
		return h.barrier(ctx)
	case closeExecutable:
		return s.closeExecutable(ctx, h, job)
	case closeRegistry:
		return s.closeRegistry(ctx, h, job, moment)
	case closeClient:
		return s.closeClient(ctx, h, job)
	}
	return fmt.Errorf("there is no action %d", a)
}

// job is one run.
type job struct {
	client     *bridge.Client
	executable *bridge.Executable
	lane       *lane
	callback   *counted
	device     int
	size       int // index into the sizes
	start      int64
	turns      int64
	mode       int64
}

// run executes the job once, and checks the result of a run that ends without an error.
func (j job) run(ctx context.Context) error {
	run, err := j.begin(ctx)
	if err != nil {
		return err
	}
	return j.end(run.Wait(ctx))
}

func (j job) begin(ctx context.Context) (*bridge.Run, error) {
	data := make([]int64, sizes[j.size])
	data[0], data[1] = j.start, j.mode
	in, err := j.client.ArrayFromHost(ctx, tensor.Vector(data...), j.device)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	n, err := j.client.ArrayFromHost(ctx, tensor.Scalar(int32(j.turns)), j.device)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	return j.executable.Start(ctx, in, n)
}

// end handles the result of a run.
func (j job) end(out []*engine.Array, err error) error {
	if err != nil {
		return err
	}
	v, err := out[0].ToHost(context.Background())
	if err := errors.Join(err, out[0].Close()); err != nil {
		return err
	}
	got, err := tensor.Slice[int64](v)
	if err != nil {
		return err
	}
	if want := j.start + j.turns; got[0] != want {
		return fmt.Errorf("the result is %d, want %d", got[0], want)
	}
	j.callback.fired.Add(j.turns)
	j.callback.carry.Add(j.turns*j.start + j.turns*(j.turns-1)/2)
	return nil
}

// mayEnd counts how a run ended. No error, the function's own errors, and one more error
// are allowed.
func (s *stress) mayEnd(err, also error) error {
	var timeout *callbacks.TimeoutError
	var unknown *callbacks.UnknownError
	switch {
	case err == nil:
		s.ended("no error")
	case errors.As(err, &timeout):
		s.ended("a timeout")
	case also != nil && errors.Is(err, also):
		s.ended(also.Error())
	case also == errClosed && errors.As(err, &unknown):
		s.ended("an unknown callback")
	case also == errClosed && strings.Contains(err.Error(), "is closed"):
		s.ended("something closed")
	default:
		return err
	}
	return nil
}

// errClosed stands for the errors of objects that were closed under a run.
var errClosed = errors.New("closed")

// expected returns nil if an error of a barrier contains only taps that fail on purpose.
func expected(err error) error {
	var taps *callbacks.TapErrors
	var timeout *callbacks.TimeoutError
	var unknown *callbacks.UnknownError // from a registry that was closed
	if !errors.As(err, &taps) {
		return err
	}
	for _, e := range taps.Errors {
		if !errors.Is(e.Err, errFault) && !errors.As(e.Err, &timeout) && !errors.As(e.Err, &unknown) {
			return err
		}
	}
	return nil
}

func (h *host) barrier(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := h.client.Barrier(within, "stress")
	if taps := new(callbacks.TapErrors); errors.As(err, &taps) {
		h.tapFails.Add(int64(taps.Count))
	}
	return expected(err)
}

// giveUp abandons a run, which then ends by itself.
func (s *stress) giveUp(ctx context.Context, j job) error {
	run, err := j.begin(ctx)
	if err != nil {
		return err
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	err = j.end(run.Wait(gone))
	select {
	case <-run.Done():
	case <-time.After(patience):
		return fmt.Errorf("a run that was given up is not over after %v", patience)
	}
	return s.mayEnd(err, context.Canceled)
}

// several starts the same run several times.
func (j job) several(ctx context.Context) (list []*bridge.Run, err error) {
	for range 3 {
		run, err := j.begin(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, run)
	}
	return list, nil
}

// endAll waits for runs under which something was closed.
func (s *stress) endAll(ctx context.Context, j job, list []*bridge.Run) error {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var errs []error
	for _, run := range list {
		errs = append(errs, s.mayEnd(j.endBare(run.Wait(within)), errClosed))
	}
	return errors.Join(errs...)
}

// endBare is end for a client that may be closed: its buffers cannot be read any more, and
// are freed all the same.
func (j job) endBare(out []*engine.Array, err error) error {
	if err != nil {
		return err
	}
	j.callback.fired.Add(j.turns)
	return out[0].Close()
}

func (s *stress) closeExecutable(ctx context.Context, h *host, j job) error {
	e, err := h.client.Compile(ctx, bridge.Source(j.lane.module(j.callback.name, h.registry.Name(), sizes[j.size])),
		engine.CompileOptions{})
	if err != nil {
		return err
	}
	j.executable = e
	list, err := j.several(ctx)
	err = errors.Join(err, e.Close())
	_, late := j.begin(ctx)
	if late == nil {
		err = errors.Join(err, errors.New("a closed executable runs"))
	}
	return errors.Join(err, s.endAll(ctx, j, list))
}

// closeRegistry closes a new registry under runs.
func (s *stress) closeRegistry(ctx context.Context, h *host, j job, moment time.Duration) error {
	registry, lanes, err := newLanes()
	if err != nil {
		return err
	}
	l := lanes[j.device%len(lanes)]
	for _, other := range lanes {
		if other.way == j.lane.way {
			l = other
		}
	}
	j.lane, j.callback = l, &l.shaky
	e, err := h.client.Compile(ctx, bridge.Source(l.module(l.shaky.name, registry.Name(), sizes[j.size])),
		engine.CompileOptions{})
	if err != nil {
		registry.Close()
		return err
	}
	j.executable = e
	closed := make(chan struct{})
	time.AfterFunc(moment, func() { registry.Close(); close(closed) })
	list, err := j.several(ctx)
	err = errors.Join(s.mayEnd(err, errClosed), s.endAll(ctx, j, list))
	<-closed
	return errors.Join(err, e.Close(), h.checkPassing(ctx, registry, lanes))
}

// closeClient closes a new client under runs.
func (s *stress) closeClient(ctx context.Context, h *host, j job) error {
	client, err := s.plugin.NewClient(bridge.ClientOptions{Devices: 1, DrainTimeout: patience})
	if err != nil {
		return err
	}
	e, err := client.Compile(ctx, bridge.Source(j.lane.module(j.callback.name, h.registry.Name(), sizes[j.size])),
		engine.CompileOptions{})
	if err != nil {
		return errors.Join(err, client.Close())
	}
	j.client, j.executable, j.device = client, e, 0
	list, err := j.several(ctx)
	over := make(chan error, 1)
	go func() {
		err := client.Close()
		if taps := new(callbacks.TapErrors); errors.As(err, &taps) {
			h.tapFails.Add(int64(taps.Count))
		}
		over <- expected(err)
	}()
	err = errors.Join(s.mayEnd(err, errClosed), s.endAll(ctx, j, list))
	return errors.Join(err, <-over, e.Close())
}
