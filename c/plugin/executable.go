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
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// A program is what a client has compiled.
type program struct {
	client      *client
	name        string
	fingerprint string
	code        []byte // what it was made of, for a caller that keeps it
	options     []byte
	main        stablehlo.Main
	donated     []bool   // by parameter
	from, to    []*space // of arguments and results, tokens among them
	runner      engine.Executable

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
	case max(o.replicas, 1)*max(o.partitions, 1) > 1:
		return nil, &engine.RefusedError{Err: fmt.Errorf("the program runs on %d devices, and there is one",
			max(o.replicas, 1)*max(o.partitions, 1))}
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
	p.main = m.Main
	if err := p.describe(m.Module); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	p.runner, err = load.Compile(ctx, m.Module, stages.Options{
		Devices: stages.On(c.engine), Compile: engine.CompileOptions{Foreign: foreign()},
		// The interpreter runs in a child process of a program in Go, which this is not.
		Fallback: func(why error) error { return &engine.RefusedError{Err: why} },
	}, native.EnsureOptions{})
	return p, errors.Join(err, m.Close())
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
	p.from, err = p.client.device.spacesOf(f, p.main.Tokens+len(p.main.Params), function.ArgAttr)
	if err == nil {
		p.to, err = p.client.device.spacesOf(f, p.main.Returned+len(p.main.Results), function.ResultAttr)
	}
	return err
}

// spacesOf returns the memories of the first n parameters or results of a function, whose attributes get returns.
func (d *device) spacesOf(f mlir.Operation, n int,
	get func(f mlir.Operation, i int, name string) (mlir.Attribute, bool)) ([]*space, error) {
	list := slices.Repeat(d.spaces[:1], n)
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
		list[i] = d.spaces[number]
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

// run runs the program. kept are the parameters whose buffers are not given away.
func (p *program) run(in []*buffer, kept map[int]bool) ([]*buffer, error) {
	tokens := p.main.Tokens
	if len(in) != tokens+len(p.main.Params) {
		return nil, fmt.Errorf("%w: the program takes %d buffers, not %d", errMistaken, tokens+len(p.main.Params),
			len(in))
	}
	inputs := make([]engine.Input, len(p.main.Params))
	var given []*buffer
	for i, b := range in[tokens:] {
		a, err := b.take()
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		inputs[i] = a
		if p.donated[i] && !kept[tokens+i] {
			inputs[i], given = engine.Donate(a), append(given, b)
		}
	}
	arrays, err := p.runner.Run(context.Background(), inputs...)
	if err != nil {
		return nil, err
	}
	for _, b := range given {
		b.mu.Lock()
		b.array = nil
		b.mu.Unlock()
	}
	var out []*buffer
	for i, s := range p.to {
		if i < p.main.Returned {
			out = append(out, s.newToken())
		} else {
			out = append(out, s.newBuffer(arrays[i-p.main.Returned]))
		}
	}
	return out, nil
}

// A loaded is a PJRT_LoadedExecutable, and an executable a PJRT_Executable of the same program.
type loaded struct {
	memory
	*program
	devices *abi.Handle
}

func (p *program) load() abi.Handle {
	l := &loaded{program: p}
	l.devices = copied(&l.memory, []abi.Handle{p.client.device.self})
	return handle(l)
}

func (l *loaded) free() {
	_ = l.close()
	l.memory.free()
}

// outputs returns the shapes of all results, with those of tokens.
func (p *program) outputs() []tensor.Shape {
	list := make([]tensor.Shape, p.main.Returned)
	for i := range list {
		list[i] = tensor.ShapeOf(tensor.Token)
	}
	return append(list, p.main.Results...)
}
