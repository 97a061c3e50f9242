package mlir

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Pass is a pass that is written in Go. It is called for one operation at a time,
// also in a context that uses threads, and on any thread. It must not call
// runtime.Goexit, and so not testing.T.FailNow either.
type Pass struct {
	Name        string // stands in printed pipelines and in errors
	Description string
	// Op is the name of the operations that the pass runs on. Empty, it runs on
	// those that its pass list is for.
	Op string
	// Dialects are loaded when the pass is added: those whose operations it makes.
	Dialects []string
	// Initialize is called before the first operation of a run; it may be nil.
	Initialize func(*Context) error
	// Run does the work. It may change what is in the operation, and nothing
	// outside it. Handles that it gets are good until it returns. An error, or a
	// panic, fails the pipeline.
	Run func(Operation) error
}

// PassError says that a Pass failed. Err is what the pass returned, or the
// *PanicError of its panic.
type PassError struct {
	Pass        string
	Err         error
	Diagnostics []Diagnostic // what was reported meanwhile
}

func (e *PassError) Error() string { return fmt.Sprintf("mlir: the pass %q failed: %v", e.Pass, e.Err) }

// Unwrap is the pass's own error.
func (e *PassError) Unwrap() error { return e.Err }

// PassManagerOptions are the settings of a new PassManager.
type PassManagerOptions struct {
	// Op names the operations that the passes run on: "builtin.module" when empty,
	// and "any" for all kinds.
	Op string
	// Pipeline is a whole pipeline as text, which names the operation too, for
	// example "builtin.module(func.func(cse),canonicalize)". Op is empty then.
	Pipeline string
	// NoVerify leaves out the verifier, which otherwise runs before the first pass and
	// after every one, and lets operations use one another's results in a cycle. Passes
	// of the library may crash on IR that is not valid, and those that fold may never
	// come to an end on a cycle.
	NoVerify bool
	// Timing prints how long each pass took, on standard error and when the
	// PassManager is closed.
	Timing bool
	// Statistics prints what the passes counted, on standard error after each run.
	Statistics StatisticsMode
	// PrintIR, where it is not nil, prints the IR between passes.
	PrintIR *PrintIROptions
}

// StatisticsMode is a way to print the statistics of passes.
type StatisticsMode int

const (
	NoStatistics       StatisticsMode = iota
	StatisticsList                    // sorted by pass, merged
	StatisticsPipeline                // in the form of the pipeline
)

// PrintIROptions say when passes print the IR that they work on.
type PrintIROptions struct {
	Before, After bool
	OnlyOnChange  bool // after passes that changed something
	OnlyOnFailure bool // after passes that failed
	ModuleScope   bool // the whole module; only in a context without threads
	// Dir is a folder in which each pass's IR becomes a file. When empty it goes to
	// standard error.
	Dir string
}

// PassList is a list of passes for one kind of operation, part of a PassManager.
type PassList struct {
	pm  *PassManager
	raw capi.MlirOpPassManager
	op  string
}

// PassManager runs passes. Passes are added before its first run. It is used by one
// goroutine at a time; the caller closes it, or its context does.
type PassManager struct {
	PassList
	ctx   *Context
	raw   capi.MlirPassManager
	life  *lifetime
	ids   capi.MlirTypeIDAllocator
	hasGo bool // one of the passes is a Pass

	started bool
	running bool
	verify  bool
	within  pointer            // while running: the outermost thing around …
	on      capi.MlirOperation // … the operation that it runs on

	mu     sync.Mutex // failed is set from any thread
	failed *PassError
}

// NewPassManager makes a pass manager. Every pass of the library is known in
// pipelines. It returns an error for a pipeline that cannot be parsed, and an
// UnsupportedError for a setting that the library lacks.
func (c *Context) NewPassManager(o PassManagerOptions) (*PassManager, error) {
	t := c.life.check("Context.NewPassManager")
	needs := []string{"mlirPassManagerCreateOnOperation", "mlirPassManagerRunOnOp"}
	if o.Timing {
		needs = append(needs, "mlirPassManagerEnableTiming")
	}
	if o.Statistics != NoStatistics {
		needs = append(needs, "mlirPassManagerEnableStatistics")
	}
	if o.PrintIR != nil {
		needs = append(needs, "mlirPassManagerEnableIRPrinting")
	}
	if err := c.lib.needAll(needs...); err != nil {
		return nil, err
	}
	switch {
	case o.Op != "" && o.Pipeline != "":
		return nil, errors.New("mlir: a pass manager takes Op or Pipeline, which names the operation itself, and not both")
	case o.PrintIR != nil && o.PrintIR.ModuleScope && c.threads:
		return nil, errors.New("mlir: PrintIROptions.ModuleScope needs a context without Threads")
	case o.Op == "" && o.Pipeline == "":
		o.Op = "builtin.module"
	case o.Pipeline != "":
		o.Op, _, _ = strings.Cut(o.Pipeline, "(")
		o.Op = strings.TrimSpace(o.Op)
	}
	t.RegisterPasses()
	p := &PassManager{ctx: c, life: &lifetime{ctx: c, of: "PassManager", parent: c.life}}
	p.raw = capi.MlirPassManagerCreateOnOperation(t, c.raw, o.Op)
	p.ids = capi.MlirTypeIDAllocatorCreate(t)
	p.PassList = PassList{p, capi.MlirPassManagerGetAsOpPassManager(t, p.raw), o.Op}
	c.calls.keep(p)
	if o.Pipeline != "" {
		err := p.parse(o.Pipeline, func(cb capi.MlirStringCallback, ud pointer) capi.MlirLogicalResult {
			return capi.MlirParsePassPipeline(t, p.PassList.raw, o.Pipeline, cb, ud)
		})
		if err != nil {
			p.Close()
			return nil, err
		}
	}
	p.verify = !o.NoVerify
	capi.MlirPassManagerEnableVerifier(t, p.raw, p.verify)
	if o.Timing {
		capi.MlirPassManagerEnableTiming(t, p.raw)
	}
	switch o.Statistics {
	case StatisticsList:
		capi.MlirPassManagerEnableStatistics(t, p.raw, capi.MLIR_PASS_DISPLAY_MODE_LIST)
	case StatisticsPipeline:
		capi.MlirPassManagerEnableStatistics(t, p.raw, capi.MLIR_PASS_DISPLAY_MODE_PIPELINE)
	}
	if i := o.PrintIR; i != nil {
		flags := capi.MlirOpPrintingFlagsCreate(t)
		capi.MlirPassManagerEnableIRPrinting_22(t, p.raw, i.Before, i.After, i.ModuleScope, i.OnlyOnChange, i.OnlyOnFailure, flags, i.Dir)
		capi.MlirOpPrintingFlagsDestroy(t, flags)
	}
	return p, nil
}

// needAll returns an UnsupportedError for the first function that the library lacks.
func (l *Library) needAll(functions ...string) error {
	for _, f := range functions {
		if err := l.need(f); err != nil {
			return err
		}
	}
	return nil
}

// Close destroys the pass manager and its passes. Closing twice does nothing. The error is
// always nil.
func (p *PassManager) Close() error {
	if p.life.ended || p.ctx.life.ended {
		return nil
	}
	if p.running {
		panic("mlir: PassManager.Close called by a pass that it runs")
	}
	t := p.ctx.api
	capi.MlirPassManagerDestroy(t, p.raw)
	capi.MlirTypeIDAllocatorDestroy(t, p.ids)
	p.life.ended = true
	delete(p.ctx.calls.open, p)
	return nil
}

// building panics where passes cannot be added any more, and returns the table.
func (l PassList) building(method string) *capi.Table {
	if l.pm == nil {
		panic("mlir: " + method + " called on a zero value: get one from a PassManager")
	}
	t := l.pm.life.check(method)
	if l.pm.started {
		// The first run puts lists together and frees those that it merged.
		panic("mlir: " + method + " called after the first run: passes are added before it")
	}
	return t
}

// Add adds the passes of a pipeline given as text, for example
// "cse,canonicalize{top-down=false},func.func(symbol-dce)".
func (l PassList) Add(pipeline string) error {
	t := l.building("PassList.Add")
	return l.pm.parse(pipeline, func(cb capi.MlirStringCallback, ud pointer) capi.MlirLogicalResult {
		return capi.MlirOpPassManagerAddPipeline(t, l.raw, pipeline, cb, ud)
	})
}

func (p *PassManager) parse(pipeline string, parse func(capi.MlirStringCallback, pointer) capi.MlirLogicalResult) error {
	p.ctx.takeDiagnostics("")
	p.ctx.expect(pipeline)
	var ok bool
	said := capi.Collect(func(cb capi.MlirStringCallback, ud pointer) { ok = parse(cb, ud).Value != 0 })
	if ok {
		return nil
	}
	text := strings.TrimSpace(string(said))
	for _, d := range p.ctx.takeDiagnostics(pipeline) {
		text = strings.TrimSpace(text + "\n" + d.String())
	}
	return fmt.Errorf("mlir: the pipeline %q cannot be used: %s", pipeline, text)
}

// AddPass adds a pass written in Go. A pass for another kind of operation than the
// list's is nested under it.
func (l PassList) AddPass(pass Pass) error {
	t := l.building("PassList.AddPass")
	p := l.pm
	if err := p.ctx.lib.need("mlirCreateExternalPass"); err != nil {
		return err
	}
	if pass.Name == "" || pass.Run == nil {
		return errors.New("mlir: a Pass needs a Name and a Run")
	}
	for _, d := range pass.Dialects {
		if err := p.ctx.LoadDialect(d); err != nil {
			return fmt.Errorf("the pass %q: %w", pass.Name, err)
		}
	}
	if pass.Op != "" && l.op != "any" && l.op != pass.Op {
		l = l.Nest(pass.Op)
	}
	p.hasGo = true
	raw := capi.CreatePass(t, capi.MlirTypeIDAllocatorAllocateTypeID(t, p.ids), capi.Pass{
		Name:        pass.Name,
		Description: pass.Description,
		Op:          pass.Op,
		Initialize: func(capi.MlirContext) bool {
			if pass.Initialize == nil {
				return true
			}
			return p.settle(pass.Name, p.ctx.enter(call{top: p.within, on: p.on}, func(*call) error {
				return pass.Initialize(p.ctx)
			}))
		},
		Run: func(op capi.MlirOperation, external capi.MlirExternalPass) {
			ok := p.settle(pass.Name, p.ctx.enter(call{top: p.within, on: op}, func(*call) error {
				return pass.Run(p.ctx.operation(op))
			}))
			if !ok {
				capi.MlirExternalPassSignalFailure(t, external)
			}
		},
	})
	capi.MlirOpPassManagerAddOwnedPass(t, l.raw, raw)
	return nil
}

// settle keeps a pass's first error for the end of the run.
func (p *PassManager) settle(name string, err error) (ok bool) {
	if err == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = &PassError{Pass: name, Err: err}
	}
	return false
}

// Nest makes a list within this one whose passes run on the operations of that name
// that stand directly in the list's own.
func (l PassList) Nest(op string) PassList {
	t := l.building("PassList.Nest")
	if op == "" {
		panic("mlir: PassList.Nest needs the name of an operation, or \"any\"")
	}
	return PassList{l.pm, capi.MlirOpPassManagerGetNestedUnder(t, l.raw, op), op}
}

// String is the list as text, in the form that PassManagerOptions.Pipeline takes.
// Passes written in Go stand there under their names, which cannot be parsed.
func (l PassList) String() string {
	if l.pm == nil {
		return "<nil pass list>"
	}
	t := l.pm.life.check("PassList.String")
	if l.pm.started {
		l = l.pm.PassList // the first run may have freed the others
	}
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirPrintPassPipeline(t, l.raw, cb, ud)
	}))
}

// Run runs the passes on a module. Handles to what is in the module are over then,
// whether or not it fails: passes may move and destroy anything. What is detached no
// longer uses values of the module. The error is a *PassError where a Pass failed, and
// else a *DiagnosticError.
func (p *PassManager) Run(m *Module) error {
	m.given("PassManager.Run")
	m.life.check("PassManager.Run")
	_, err := p.RunOn(m.operation())
	return err
}

// RunOn runs the passes on one operation, which must be of the kind that the pass
// manager is for, and returns it. All handles into its module are over then, its own
// included: the returned one takes its place. Nothing outside of the operation may use a
// value in it or branch into it.
func (p *PassManager) RunOn(o Operation) (Operation, error) {
	t := p.life.check("PassManager.RunOn")
	o.in(p.ctx, "PassManager.RunOn")
	if p.running {
		return o, errors.New("mlir: PassManager.Run called by a pass that it runs")
	}
	if p.verify {
		if err := o.Verify(); err != nil {
			return o, err
		}
		if err := o.acyclic("running the passes", ", or set NoVerify"); err != nil {
			return o, err
		}
	}
	if err := p.symbolsKnown(o); err != nil {
		return o, err
	}
	if err := p.ctx.translatable(p.String()); err != nil {
		return o, err
	}
	p.started, p.running, p.failed = true, true, nil
	defer func() { p.running, p.within, p.on = false, nil, capi.MlirOperation{} }()
	var ok bool
	o, err := p.ctx.run(o, "PassManager.Run", p.hasGo, func(o Operation, top pointer) {
		p.within, p.on = top, o.raw
		ok = capi.MlirPassManagerRunOnOp(t, p.raw, o.raw).Value != 0
	})
	if err != nil {
		return o, err
	}
	diagnostics := p.ctx.takeDiagnostics("")
	switch {
	case p.failed != nil:
		p.failed.Diagnostics = diagnostics
		return o, p.failed
	case !ok:
		return o, &DiagnosticError{Op: "running the passes", Diagnostics: diagnostics}
	}
	return o, nil
}
