package stages

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// compileStages compiles the stages of a plan: several at a time, because XLA uses one processor for most of a compile.
// Of several errors, it returns that of the first stage.
func (p *Plan) compileStages(ctx context.Context) ([]*sharedStage, error) {
	var reading sync.Mutex // the stages' modules have one context
	keys := make([]stageKey, len(p.stages))
	for i, s := range p.stages {
		keys[i] = p.key(s) // before anybody reads: printing a large module would keep the others from theirs
	}
	programs, errs := make([]*sharedStage, len(p.stages)), make([]error, len(p.stages))
	next := make(chan *Stage)
	failed := make(chan struct{})
	var once sync.Once
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.stages)) {
		all.Go(func() {
			for s := range next {
				i := s.number
				if programs[i], errs[i] = p.compileStage(ctx, s, keys[i], &reading); errs[i] != nil {
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
	for _, program := range programs {
		if program.why != nil && p.fallback == engine.FallbackWarn {
			slog.Warn("stages: the interpreter runs a stage, slowly", "why", program.why)
		}
	}
	return programs, nil
}

func (p *Plan) key(s *Stage) stageKey {
	return stageKey{engine: p.devices[s.Device].Engine, options: fmt.Sprintf("%#v", p.optionsOf(s)), prepare: p.prepare,
		text: sha256.Sum256([]byte(s.module.String())), library: s.module.Context().Library().Path(),
		fallback: p.fallback}
}

// compileStage compiles a stage, unless an equal one is compiled.
func (p *Plan) compileStage(
	ctx context.Context, s *Stage, key stageKey, reading *sync.Mutex,
) (*sharedStage, error) {
	device := p.devices[s.Device]
	read := func() (*Stage, error) {
		reading.Lock()
		defer reading.Unlock()
		return s.private()
	}
	within := context.WithoutCancel(ctx) // others may wait for it
	return compiled.get(ctx, key, read, func(s *Stage) (*compiledStage, error) {
		defer s.module.Context().Close()
		made, err := p.compile(within, s)
		if err != nil && !device.callsBack() {
			if advice := unserved(s.module); advice != "" {
				err = fmt.Errorf("%w (%s)", err, advice)
			}
		}
		return made, err
	})
}

// private returns a copy of the stage whose module has a context of its own.
func (s *Stage) private() (*Stage, error) {
	data, err := s.module.Bytecode()
	if err != nil {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	c := s.module.Context().Library().NewContext(mlir.ContextOptions{AllowUnregistered: true})
	own := *s
	if own.module, err = c.Parse(s.Name, data); err != nil {
		return nil, errors.Join(fmt.Errorf("stages: %s: %w", s.Name, err), c.Close())
	}
	return &own, nil
}

func closeStages(programs []*sharedStage) error {
	var errs []error
	for _, c := range programs {
		if c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(errs...)
}

// unserved returns what to do about the calls of a stage that neither XLA nor a callback serves, "" if there are none.
func unserved(m *mlir.Module) string {
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		call, _ := stablehlo.AsCustomCall(op)
		_, typed := stablehlo.TypedConfig(op)
		switch {
		case contract.XLATargetOf(call.Target) != contract.NotXLA:
		case typed:
			return fmt.Sprintf("if a function of this process should serve the target %q, name it in Options.Compile.Foreign",
				call.Target)
		default:
			return fmt.Sprintf("if a function of this process should serve the target %q, rewrite it by passes.ReplaceLegacy, and register the function with package callbacks/legacy", call.Target)
		}
	}
	return ""
}

// compiled are the compiled stages of the programs that are open. Equal ones are compiled once.
var compiled = sharedStages{entries: map[stageKey]*sharedStage{}}

// A stageKey identifies equal stages.
type stageKey struct {
	engine  engine.Engine     // whose devices all run it
	text    [sha256.Size]byte // of the module, without locations
	library string            // that read the module
	options string            // engine.CompileOptions
	prepare passes.PrepareOptions

	fallback engine.Fallback
}

type sharedStages struct {
	mu      sync.Mutex
	entries map[stageKey]*sharedStage
}

// A sharedStage is a compiled stage that several programs, or several stages of one, may have. It is closed with the
// last of them.
type sharedStage struct {
	*compiledStage
	key   stageKey
	uses  int           // guarded by sharedStages.mu
	read  chan struct{} // closed when the module of the caller that makes it is not needed any more
	ready chan struct{} // closed when compiledStage or err is set
	err   error
}

// get returns the program with a key, or makes it of what read returns. If somebody else is making it, get waits. When
// the context ends, the build goes on for whoever comes next.
func (t *sharedStages) get(
	ctx context.Context, key stageKey, read func() (*Stage, error), build func(*Stage) (*compiledStage, error),
) (*sharedStage, error) {
	for {
		t.mu.Lock()
		e, found := t.entries[key]
		if !found {
			e = &sharedStage{key: key, read: make(chan struct{}), ready: make(chan struct{})}
			t.entries[key] = e
		}
		e.uses++
		t.mu.Unlock()
		if !found {
			go t.make(e, read, build)
			<-e.read
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			go func() { // the program is closed if nobody else needs it
				if <-e.ready; e.err == nil {
					_ = e.close()
				}
			}()
			return nil, context.Cause(ctx)
		}
		if e.err == nil {
			return e, nil
		}
		if !found {
			return nil, e.err
		}
		// What failed there, for example because its client was closed, may succeed here.
	}
}

// errAbandoned is the error of a build that ended its goroutine.
var errAbandoned = errors.New("stages: the compile of an equal stage was abandoned")

// make builds the program of an entry. A panic is an error, so that nobody waits for ever, and the next one builds
// again.
func (t *sharedStages) make(
	e *sharedStage, read func() (*Stage, error), build func(*Stage) (*compiledStage, error),
) {
	e.err = errAbandoned
	defer close(e.ready)
	defer func() {
		if p := recover(); p != nil {
			e.err = fmt.Errorf("stages: the compiler panicked: %v\n%s", p, debug.Stack())
		}
		if e.err != nil {
			t.remove(e)
		}
	}()
	s, err := func() (*Stage, error) {
		defer close(e.read)
		return read()
	}()
	if err != nil {
		e.err = err
		return
	}
	e.compiledStage, e.err = build(s)
}

// remove removes an entry, so that nobody finds it.
func (t *sharedStages) remove(e *sharedStage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, e.key)
}

// close closes the program if nobody else uses it.
func (e *sharedStage) close() error {
	compiled.mu.Lock()
	e.uses--
	last := e.uses == 0
	if last {
		delete(compiled.entries, e.key)
	}
	compiled.mu.Unlock()
	if !last {
		return nil
	}
	return e.executable.Close()
}
