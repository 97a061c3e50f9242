package mlir

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Pass is a pass written in Go. The library calls it on any thread, but for one operation
// at a time, even if the context has Threads. It must not call runtime.Goexit, which
// testing.T.FailNow does: after that, every use of the context panics.
type Pass struct {
	Name        string // for printed pipelines and errors
	Description string
	// Op is the name of the operations that the pass runs on. If empty, it runs on the
	// operations of its PassList.
	Op string
	// Dialects are loaded when the pass is added. They should be the dialects of the
	// operations that it creates.
	Dialects []string
	// Initialize, if not nil, is called before the first operation of a run.
	Initialize func(*Context) error
	// Run is called for each operation. It may change the contents of the operation and
	// nothing outside it. The handles that it gets are valid until it returns. The pipeline
	// fails if Run returns an error or panics.
	Run func(Operation) error
}

// A PassError is the error of a Pass that failed. Err is the error that the pass returned,
// or a *PanicError.
type PassError struct {
	Pass        string
	Err         error
	Diagnostics []Diagnostic // reported during the run
}

func (e *PassError) Error() string { return fmt.Sprintf("mlir: the pass %q failed: %v", e.Pass, e.Err) }

// Unwrap returns e.Err.
func (e *PassError) Unwrap() error { return e.Err }

// PassManagerOptions are the settings of a new PassManager.
type PassManagerOptions struct {
	// Op is the name of the operations that the passes run on. Empty means
	// "builtin.module", and "any" means all operations.
	Op string
	// Pipeline is a whole pipeline as text. It includes the name of the operation, for
	// example "builtin.module(func.func(cse),canonicalize)", so Op must be empty.
	Pipeline string
	// NoVerify disables the verifier, which otherwise runs before the first pass and after
	// each pass. It also disables the check that no operations use one another's results in
	// a cycle. Passes of the library may end the process on invalid IR, even with an operation
	// that Verify refuses with a clear error, and passes that fold may never terminate on a cycle.
	NoVerify bool
	// Timing prints how long each pass took, when the PassManager is closed. Like Statistics and
	// PrintIR it writes to file descriptor 2 of the process, from C: no io.Writer can get it, nor
	// another os.Stderr.
	Timing bool
	// Statistics prints the statistics of the passes after each run.
	Statistics StatisticsMode
	// PrintIR, if not nil, prints the IR between passes, on the thread that runs the pass: the caller's of
	// Run, or, in a context with Threads, one of the library's.
	PrintIR *PrintIROptions
	// Reproducer is the path of a file that each run writes before its first pass, and removes
	// if it succeeds. So it is left by a run that fails or ends the process. The file has the
	// operation and the passes as text, in the form that mlir-opt --run-reproducer reads. It
	// cannot run passes written in Go.
	Reproducer string
}

// A StatisticsMode is a format in which the statistics of passes are printed.
type StatisticsMode int

const (
	NoStatistics       StatisticsMode = iota
	StatisticsList                    // sorted by pass, merged
	StatisticsPipeline                // in the form of the pipeline
)

// PrintIROptions specify when the IR that a pass works on is printed.
type PrintIROptions struct {
	Before, After bool
	OnlyOnFailure bool // only after passes that failed
	ModuleScope   bool // the whole module; only in a context without threads
	// Dir is the directory in which a file is written for each pass. It is made if it does not exist. If empty, the
	// IR is printed to standard error, see PassManagerOptions.Timing.
	Dir string
	// Print says how operations are printed, for example without large constants.
	Print PrintOptions
}

// A PassList is a list of passes for one kind of operation. It is part of a PassManager.
type PassList struct {
	pm  *PassManager
	raw capi.MlirOpPassManager
	op  string
}

// A PassManager runs passes. All passes must be added before its first run. It must be used
// by one goroutine at a time. The caller must close it, or it is closed with its context.
type PassManager struct {
	PassList
	ctx   *Context
	raw   capi.MlirPassManager
	life  *lifetime
	ids   capi.MlirTypeIDAllocator
	hasGo bool // one of the passes is a Pass
	hasC  bool // one of the passes is the library's
	repro string

	started bool
	running bool
	verify  bool
	within  pointer            // while running: the outermost object that contains …
	on      capi.MlirOperation // … the operation that it runs on

	mu     sync.Mutex // protects the following, which are set on any thread
	failed *PassError
	last   string // the Pass that returned last
}

// NewPassManager creates a PassManager. All passes of the library can be used in pipelines.
// NewPassManager returns an error if the pipeline cannot be parsed, and an UnsupportedError
// if the library lacks a setting.
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
	if err := c.lib.need(needs...); err != nil {
		return nil, err
	}
	if o.PrintIR != nil {
		if err := c.lib.printable(o.PrintIR.Print); err != nil {
			return nil, err
		}
		if !t.HasOf("mlirPassManagerEnableIRPrinting", 22) {
			return nil, &UnsupportedError{Library: c.lib.path, Function: "mlirPassManagerEnableIRPrinting with options"}
		}
	}
	if o.Reproducer != "" {
		if err := c.lib.printable(reproduced); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Op != "" && o.Pipeline != "":
		return nil,
			errors.New("mlir: both Op and Pipeline are set: leave Op empty, because Pipeline names the operation")
	case o.PrintIR != nil && o.PrintIR.ModuleScope && c.threads:
		return nil, errors.New("mlir: PrintIROptions.ModuleScope needs a context without Threads")
	case o.Op == "" && o.Pipeline == "":
		o.Op = "builtin.module"
	case o.Pipeline != "":
		o.Op, _, _ = strings.Cut(o.Pipeline, "(")
		o.Op = strings.TrimSpace(o.Op)
	}
	if o.PrintIR != nil && o.PrintIR.Dir != "" {
		if err := os.MkdirAll(o.PrintIR.Dir, 0o777); err != nil { // the library writes no files and reports nothing
			return nil, fmt.Errorf("mlir: PrintIROptions.Dir: %w", err)
		}
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
	p.hasC = o.Pipeline != ""
	p.verify, p.repro = !o.NoVerify, o.Reproducer
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
		flags := i.Print.flags(t)
		capi.MlirPassManagerEnableIRPrinting_22(t, p.raw, i.Before, i.After, i.ModuleScope, false, i.OnlyOnFailure,
			flags, i.Dir)
		capi.MlirOpPrintingFlagsDestroy(t, flags)
	}
	return p, nil
}

// Close destroys the pass manager and its passes. Closing a closed PassManager does
// nothing. The error is always nil.
func (p *PassManager) Close() error {
	if p.life.ended || p.ctx.life.ended {
		return nil
	}
	if p.running {
		panic("mlir: PassManager.Close called by one of its own passes")
	}
	t := p.ctx.api
	capi.MlirPassManagerDestroy(t, p.raw)
	capi.MlirTypeIDAllocatorDestroy(t, p.ids)
	p.life.ended = true
	delete(p.ctx.calls.open, p)
	return nil
}

// building panics if passes can no longer be added, and returns the function table.
func (l PassList) building(method string) *capi.Table {
	if l.pm == nil {
		panic("mlir: " + method + " called on a zero value: get one from a PassManager")
	}
	t := l.pm.life.check(method)
	if l.pm.started {
		// The first run merges adjacent lists and frees those that it merged.
		panic("mlir: " + method + " called after the first run: add passes before it")
	}
	return t
}

// Add adds the passes of a pipeline given as text, for example
// "cse,canonicalize{top-down=false},func.func(symbol-dce)". If it returns an error, the list
// is unchanged.
func (l PassList) Add(pipeline string) error {
	t := l.building("PassList.Add")
	add := func(to capi.MlirOpPassManager) error {
		return l.pm.parse(pipeline, func(cb capi.MlirStringCallback, ud pointer) capi.MlirLogicalResult {
			return capi.MlirOpPassManagerAddPipeline(t, to, pipeline, cb, ud)
		})
	}
	// The library adds the passes before one that it refuses, so they are added to another
	// list first.
	trial := capi.MlirPassManagerCreateOnOperation(t, l.pm.ctx.raw, l.op)
	defer capi.MlirPassManagerDestroy(t, trial)
	if err := add(capi.MlirPassManagerGetAsOpPassManager(t, trial)); err != nil {
		return err
	}
	l.pm.hasC = true
	return add(l.raw)
}

func (p *PassManager) parse(
	pipeline string, parse func(capi.MlirStringCallback, pointer) capi.MlirLogicalResult,
) error {
	p.ctx.takeDiagnostics("")
	p.ctx.expect(pipeline)
	var ok bool
	message := capi.Collect(func(cb capi.MlirStringCallback, ud pointer) { ok = parse(cb, ud).Value != 0 })
	if ok {
		return nil
	}
	text := strings.TrimSpace(string(message))
	for _, d := range p.ctx.takeDiagnostics(pipeline) {
		text = strings.TrimSpace(text + "\n" + d.String())
	}
	return fmt.Errorf("mlir: the pipeline %q cannot be used: %s%s", pipeline, text, p.ctx.lib.passHint(text))
}

// AddPass adds a pass written in Go. If the pass is for another kind of operation than the
// list, it is added to a nested list for that operation.
func (l PassList) AddPass(pass Pass) error {
	t := l.building("PassList.AddPass")
	p := l.pm
	if err := p.ctx.lib.need("mlirCreateExternalPass"); err != nil {
		return err
	}
	if pass.Name == "" || pass.Run == nil {
		return errors.New("mlir: a Pass needs a Name and a Run function")
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
			return p.record(pass.Name, p.ctx.enter(call{top: p.within, on: p.on}, func(*call) error {
				return pass.Initialize(p.ctx)
			}))
		},
		Run: func(op capi.MlirOperation, external capi.MlirExternalPass) {
			ok := p.record(pass.Name, p.ctx.enter(call{top: p.within, on: op}, func(*call) error {
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

// record stores the first error of a pass, which is returned at the end of the run. It
// reports whether err is nil.
func (p *PassManager) record(name string, err error) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = name
	if err == nil {
		return true
	}
	if p.failed == nil {
		p.failed = &PassError{Pass: name, Err: err}
	}
	return false
}

// Nest returns a nested list, whose passes run on the operations with the given name that
// are directly in an operation of this list.
func (l PassList) Nest(op string) PassList {
	t := l.building("PassList.Nest")
	if op == "" {
		panic("mlir: PassList.Nest needs the name of an operation, or \"any\"")
	}
	return PassList{l.pm, capi.MlirOpPassManagerGetNestedUnder(t, l.raw, op), op}
}

// String returns the list as text, in the form of PassManagerOptions.Pipeline. Passes
// written in Go are included with their names, but cannot be parsed.
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

// Run runs the passes on a module. All handles into the module are invalid after it, even
// if it fails, because passes may move and destroy any operation. Detached objects no
// longer use values of the module. The error is a *PassError if a Pass failed, and a
// *DiagnosticError otherwise. If a Pass may have left what is not valid, the Op of that error
// names the Pass that ran last.
func (p *PassManager) Run(m *Module) error {
	m.given("PassManager.Run")
	m.life.check("PassManager.Run")
	_, err := p.run(m.operation(), "PassManager.Run")
	return err
}

// RunOn runs the passes on one operation, which must be of the kind that the pass manager
// is for, and returns a new handle to it. All other handles into its module, including o,
// are invalid after it. Nothing outside the operation may use a value in it or branch into
// it.
func (p *PassManager) RunOn(o Operation) (Operation, error) { return p.run(o, "PassManager.RunOn") }

func (p *PassManager) run(o Operation, method string) (Operation, error) {
	t := p.life.check(method)
	o.in(p.ctx, method)
	if p.running {
		return o, fmt.Errorf("mlir: %s called by one of its own passes", method)
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
	if p.repro != "" {
		if err := p.writeReproducer(o); err != nil {
			return o, err
		}
	}
	p.started, p.running, p.failed, p.last = true, true, nil, ""
	defer func() { p.running, p.within, p.on = false, nil, capi.MlirOperation{} }()
	var ok bool
	o, err := p.ctx.run(o, method, p.hasGo, func(o Operation, top pointer) {
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
		return o, &DiagnosticError{Op: p.blame(o), Diagnostics: diagnostics}
	}
	if p.repro != "" {
		return o, os.Remove(p.repro)
	}
	return o, nil
}

// blame says what failed in a run that no Pass failed. The library verifies the operations after
// each pass, and stops at those that are not valid.
func (p *PassManager) blame(o Operation) string {
	t := p.ctx.api
	valid := !p.verify || p.last == "" || capi.MlirOperationVerify(t, o.raw)
	p.ctx.sink.Take() // the run has reported it
	switch {
	case valid:
		return "running the passes"
	case p.hasC || p.ctx.threads:
		return fmt.Sprintf("verifying after the pass %q, or after one that ran later,", p.last)
	}
	return fmt.Sprintf("verifying after the pass %q", p.last)
}
