package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// mostInCall is the number of elements of which programs with handlers are run within Execute, as by XLA.
const mostInCall = 1000

// A program is what a client has compiled.
type program struct {
	client      *client
	name        string
	fingerprint string
	code        []byte // what it was made of, for a caller that keeps it
	optimized   []byte // see describeCode
	options     []byte
	main        stablehlo.Main
	donated     []bool // by parameter
	from, to    []int  // the numbers of the memories of arguments and results, tokens among them
	runner      engine.Executable
	sites       []*callbacks.Attribute // see foreign
	apart       bool                   // a run may be over after Execute returns

	replicas, partitions int
	devices              []*device           // first those of the first replica
	portable             bool                // it runs on any one device
	params, results      []sharding.Sharding // of partitions

	mu     sync.Mutex
	closed bool
}

// compile compiles a module.
func (c *client) compile(code, options []byte) (*program, error) {
	o, err := readCompileOptions(options)
	switch {
	case err != nil:
		return nil, err
	case o.tupled:
		return nil, fmt.Errorf("%w: the parameters of a program are arrays here, not one tuple", errMistaken)
	case o.unknown != "":
		return nil, fmt.Errorf("%w: No such compile option: '%s'", errMistaken, o.unknown)
	}
	sum := sha256.Sum256(code)
	p := &program{client: c, code: code, options: options, fingerprint: hex.EncodeToString(sum[:])}
	ctx := context.Background()
	file, err := load.Open(ctx, "module", code, load.Options{Library: c.library})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMistaken, err)
	}
	m, err := file.Parse(nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMistaken, err)
	}
	p.main, p.params, p.results = m.Main, m.Declared.Params, m.Declared.Results
	targets := p.foreign()
	if err := cmp.Or(p.place(o), p.describe(m.Module), p.describeCode(m.Module),
		checkServed(m.Module, targets)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	dropEffects(m.Module)
	p.runner, err = load.Compile(ctx, m.Module, stages.Options{
		Devices: stages.On(c.engine), Compile: engine.CompileOptions{Foreign: targets, Replicas: p.replicas},
		// The interpreter runs in a child process of a program in Go, which this is not.
		Fallback: engine.FallbackOff,
	}, native.EnsureOptions{})
	if e, ok := errors.AsType[*jit.UnsupportedError](err); ok {
		err = &engine.RefusedError{Err: e} // without what package stages says of other engines
	}
	if err != nil {
		p.endSites()
		return nil, errors.Join(err, m.Close())
	}
	p.apart = p.apart && len(p.sites) > 0
	p.runner.OnClose(p.endSites)
	return p, m.Close()
}

// dropEffects makes runtime tokens, by which callers order runs, arrays like others.
func dropEffects(m *mlir.Module) {
	f, _ := m.SymbolTable().Lookup("main")
	c := m.Context()
	for _, list := range []string{"arg_attrs", "res_attrs"} {
		all, _ := f.Attribute(list)
		if all.IsNil() {
			continue
		}
		each, _ := all.Elements()
		for i, a := range each {
			var left []mlir.NamedAttribute
			for name, value := range a.Entries() {
				if name != stablehlo.EffectAttribute {
					left = append(left, mlir.NamedAttribute{Name: name, Value: value})
				}
			}
			each[i] = c.DictionaryAttribute(left...)
		}
		f.SetAttribute(list, c.ArrayAttribute(each...))
	}
}

// checkServed returns an error for a callback that no handler serves. Go functions are the plugin's own here, not those
// of its caller.
func checkServed(m *mlir.Module, targets []callbacks.ForeignTarget) error {
	for call := range callop.Calls(m) {
		if !slices.ContainsFunc(targets, func(t callbacks.ForeignTarget) bool { return t.Target == call.Target }) {
			return fmt.Errorf("%w: nothing serves the target %q: register a handler of XLA's typed FFI for it", errMissing,
				call.Target)
		}
	}
	return nil
}

// describe reads the name of the module, which parameters it writes to, and in which memories its arrays are.
func (p *program) describe(m *mlir.Module) (err error) {
	p.name, _ = m.Operation().Symbol()
	p.name = cmp.Or(p.name, "module")
	f, _ := m.SymbolTable().Lookup("main")
	for i := range p.main.Params {
		donated := false
		for _, name := range []string{"tf.aliasing_output", "jax.buffer_donor"} {
			_, has := function.ArgAttr(f, p.main.Tokens+i, name)
			donated = donated || has
		}
		p.donated = append(p.donated, donated)
	}
	p.from, err = spacesOf(f, p.main.Tokens+len(p.main.Params), function.ArgAttr)
	if err == nil {
		p.to, err = spacesOf(f, p.main.Returned+len(p.main.Results), function.ResultAttr)
	}
	return err
}

// place chooses the devices.
func (p *program) place(o compileOptions) error {
	p.replicas, p.partitions = max(o.replicas, 1), max(o.partitions, 1)
	n := p.replicas * p.partitions
	p.portable = n == 1 && len(o.devices) == 0
	ids := o.devices
	for i := len(ids); len(o.devices) == 0 && i < n; i++ {
		ids = append(ids, i)
	}
	if len(ids) != n {
		return fmt.Errorf("%w: %d devices are assigned to %d replicas of %d partitions", errMistaken, len(ids),
			p.replicas, p.partitions)
	}
	for _, id := range ids {
		if id < 0 || id >= len(p.client.devices) {
			return fmt.Errorf("%w: the program is for device %d: there are %d", errMistaken, id, len(p.client.devices))
		}
		p.devices = append(p.devices, p.client.devices[id])
	}
	return nil
}

// spacesOf returns the numbers of the memories of the first n parameters or results of a function, whose attributes get
// returns.
func spacesOf(f mlir.Operation, n int,
	get func(f mlir.Operation, i int, name string) (mlir.Attribute, bool)) ([]int, error) {
	list := make([]int, n)
	for i := range list {
		a, ok := get(f, i, "mhlo.memory_kind")
		if !ok {
			continue
		}
		kind, _ := a.Text()
		number := slices.Index(kinds, kind)
		if number < 0 {
			return nil, fmt.Errorf("%w: there is no memory %q: a device has %q", errMistaken, kind, kinds)
		}
		list[i] = number
	}
	return list, nil
}

func (p *program) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	return p.runner.Close()
}

// A loaded is a PJRT_LoadedExecutable, and an executable a PJRT_Executable of the same program.
type loaded struct {
	memory
	*program
	handles abi.Ptr[abi.Handle] // of the devices
}

func (p *program) load() abi.Handle {
	l := &loaded{program: p}
	var handles []abi.Handle
	for _, d := range p.devices {
		handles = append(handles, d.self)
	}
	l.handles = copied(&l.memory, handles)
	return handle(l)
}

func (l *loaded) free() {
	_ = l.close()
	l.memory.free()
}

// outputs returns the shapes of all results on each device, with those of tokens.
func (p *program) outputs() ([]tensor.Shape, error) {
	list := make([]tensor.Shape, p.main.Returned, len(p.to))
	for i := range list {
		list[i] = tensor.ShapeOf(tensor.Token)
	}
	for i, s := range p.main.Results {
		s, err := p.part(p.results, i, s)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// part returns the shape of what each device has of an array.
func (p *program) part(list []sharding.Sharding, i int, s tensor.Shape) (tensor.Shape, error) {
	if of := p.sharding(list, i); of.IsKnown() {
		return of.PartShape(s)
	}
	return s, nil
}

// sharding returns that of a parameter or result of partitions. One that is not known is not divided.
func (p *program) sharding(list []sharding.Sharding, i int) (s sharding.Sharding) {
	if p.partitions > 1 && i < len(list) && list[i].IsKnown() && list[i].NumDevices() == p.partitions {
		return list[i]
	}
	return s
}
