package stages

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/passes"
)

// compileStages compiles the stages of a plan: several at a time, because XLA uses one processor for most of a compile. Of
// several errors, it returns that of the first stage.
func (p *Plan) compileStages(ctx context.Context) ([]program, error) {
	var reading sync.Mutex // the stages' modules have one context
	programs, errs := make([]program, len(p.stages)), make([]error, len(p.stages))
	next := make(chan *Stage)
	failed := make(chan struct{})
	var once sync.Once
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.stages)) {
		all.Go(func() {
			for s := range next {
				i := s.number
				if programs[i], errs[i] = p.compileStage(ctx, s, &reading); errs[i] != nil {
					once.Do(func() { close(failed) })
				}
			}
		})
	}
hand:
	for _, s := range p.stages {
		select {
		case next <- s:
		case <-failed:
			break hand
		}
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, errors.Join(err, closeStages(programs))
		}
	}
	return programs, nil
}

// compileStage compiles a stage, unless an equal one is compiled.
func (p *Plan) compileStage(ctx context.Context, s *Stage, reading *sync.Mutex) (program, error) {
	reading.Lock()
	device := p.devices[s.Device]
	key := stageKey{client: device.place().client, replicas: s.replicas, exact: s.exact, jax: strings.Join(s.jax, "\x00"), text: sha256.Sum256([]byte(s.module.String())), library: s.module.Context().Library().Path()}
	reading.Unlock()
	return compiled.get(ctx, key, func() (program, error) {
		made, err := device.compile(ctx, s, reading)
		if err != nil && !device.callsBack() {
			reading.Lock()
			defer reading.Unlock()
			if advice := unserved(s.module); advice != "" {
				err = fmt.Errorf("%w (%s)", err, advice)
			}
		}
		return made, err
	})
}

func closeStages(programs []program) error {
	var errs []error
	for _, c := range programs {
		if c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(errs...)
}

// source is the module of a stage for the bridge.
type source struct {
	passes.Prepared
	reading *sync.Mutex // held while the module's context is used
	jax     []string    // see Stage
}

// Describe implements bridge.DescribedProgram. A stage has no runtime tokens, see refuse, and only some
// of the module's calls of JAX.
func (s source) Describe(version string, placed bool) (contract.Module, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	m, err := s.Prepared.Describe(version, placed)
	calls := m.Calls
	m.Effects, m.Calls = nil, func() []contract.CustomCall {
		s.reading.Lock()
		defer s.reading.Unlock()
		return calls()
	}
	if len(s.jax) > 0 {
		m.Calls = nil
	}
	return m, err
}
