//go:build cgo

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/native"
)

// A process is the command's end of a worker. One goroutine uses it.
type process struct {
	*child.Process
	requests io.Writer
	decoder  *json.Decoder
	used     bool         // it has checked an input before
	rule     string       // the last one that it said it runs, or ""
	memory   bounded.Size // that it may take, or 0 while it starts
}

// settings are the settings of every worker.
type settings struct {
	library string // path
	engine  bool   // it reads every module, whatever dialects that names
	limits
	memory bounded.Size // of a worker
	fetch  func(native.Part) error
	fixing fixing
	cache  *cache
	sums   bool // answers have the sums of inputs
}

// startLimit is how long a worker may take to load the library. It usually takes
// milliseconds.
const startLimit = time.Minute

// memoryInterval is how often the memory of a worker is measured.
const memoryInterval = 20 * time.Millisecond

// start starts a worker and waits until it is ready.
func (s settings) start(ctx context.Context) (*process, error) {
	env := append(mallocEnvironment(), workerEnv+"=1", native.MLIR.Env()+"="+s.library)
	p := &process{Process: child.New(context.WithoutCancel(ctx), env)}
	var err error
	if p.requests, err = p.StdinPipe(); err == nil {
		err = p.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	p.decoder = json.NewDecoder(p.Answers)
	ready, err := p.await(ctx, startLimit, func() error { return nil })
	switch {
	case errors.Is(err, errLate):
		return nil, fmt.Errorf("a worker did not load %s within %v: try again, or set $%s to another library",
			s.library, startLimit, native.MLIR.Env())
	case err != nil:
		return nil, fmt.Errorf("a worker could not start: %w", err)
	case ready.Problem != "":
		p.End()
		return nil, errors.New(ready.Problem)
	}
	p.memory = s.memory
	return p, nil
}

// check checks one input in the worker. The worker has ended if check returns an error.
func (p *process) check(ctx context.Context, in input, limit time.Duration) (answer, error) {
	p.used = true
	in.Size = len(in.Data)
	return p.await(ctx, limit, func() error {
		if err := json.NewEncoder(p.requests).Encode(in); err != nil {
			return err
		}
		_, err := p.requests.Write(in.Data)
		return err
	})
}

// await calls ask and reads the answer. If that fails, takes too long or too much memory, or if the
// context ends, await ends the worker and returns errLate, errMemory, the error of the context, or an
// error that says how the worker ended.
func (p *process) await(ctx context.Context, limit time.Duration, ask func() error) (answer, error) {
	ctx, release := context.WithTimeoutCause(ctx, limit, errLate)
	defer release()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if p.memory > 0 {
		go p.watch(ctx, cancel)
	}
	stop := context.AfterFunc(ctx, p.Kill)
	var a answer
	err := ask()
	p.rule = ""
	for err == nil {
		a = answer{}
		if err = p.decoder.Decode(&a); a.Rule == nil {
			break
		}
		p.rule = *a.Rule
	}
	inTime := stop()
	if inTime && err == nil {
		return a, nil
	}
	how := p.End()
	if !inTime {
		return answer{}, context.Cause(ctx)
	}
	return answer{}, errors.New(how)
}

// watch cancels the context if the worker takes too much memory. It returns when the context ends, or
// if the system does not tell the memory of a process.
func (p *process) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(memoryInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		size, err := child.Resident(p.Cmd.Process.Pid)
		if err != nil {
			return
		}
		if size > int64(p.memory) {
			cancel(errMemory)
			return
		}
	}
}
