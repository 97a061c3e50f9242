package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/internal/bounded"
	"github.com/calliope-mlir/calliope/internal/model"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// module is the module to run.
type module struct {
	name    string
	program []byte // as it was read
	ctx     *mlir.Context
	mlir    *mlir.Module // nil if only XLA reads the program

	export model.Export // if the file is one of jax.export

	legacy   map[string]*legacy.Function // with --legacy, by target
	migrated passes.MigrateResult        // with --feeds
	declared sharding.Module             // how many devices it is for

	handlers []string // custom call targets of others that the plugin serves

	model.Signature
	bound []tensor.View // values of the first parameters, which are not inputs
}

// readModule reads a file, or standard input if path is "-". It writes to progress what it
// fetches.
func readModule(o options, stdin io.Reader, progress io.Writer) (*module, error) {
	path, limit := o.module, o.moduleLimit()
	m := &module{name: path, declared: sharding.Module{Replicas: 1, Partitions: 1}}
	var err error
	if path == "-" {
		m.name = "<stdin>"
		m.program, err = bounded.Read(stdin, limit)
	} else {
		m.program, err = bounded.ReadFile(path, limit)
	}
	if _, ok := errors.AsType[*bounded.TooLargeError](err); ok {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	if err != nil {
		return nil, err
	}
	if len(m.program) == 0 {
		return nil, fmt.Errorf("%s: it is empty: use a StableHLO module", m.name)
	}
	if jaxexport.Is(m.program) {
		if m.export, err = model.ReadExport(m.program); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", m.name, err)
		}
		m.program = m.export.Module
	}
	library, err := model.Library(context.Background(), m.program, native.EnsureOptions{Progress: progress})
	if err != nil {
		return nil, err
	}
	m.ctx = library.NewContext(mlir.ContextOptions{})
	if m.mlir, err = m.ctx.Parse(m.name, m.program); err != nil && onlyXLAReads(m.program, err) && len(o.legacy) == 0 {
		switch {
		case o.function != "":
			m.close()
			return nil, fmt.Errorf("%s: only XLA reads it, which runs main: leave --function out: %w", m.name, err)
		case m.export.Exported != nil:
			m.declared.Partitions = max(m.export.Devices, 1)
		case !mlir.IsBytecode(m.program):
			m.declared.Partitions = partitionsOf(m.program)
		}
		return m, nil
	} else if err != nil {
		m.close()
		return nil, fmt.Errorf("cannot read %s: %w", m.name, err)
	}
	if err = model.SetMain(m.mlir, o.function, "--function"); err != nil {
		m.close()
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	err = m.callChecks()
	if err == nil {
		err = m.serveLegacy(o)
	}
	if err == nil {
		err = m.refuse(o)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	if err = m.export.SelectPlatform(m.mlir); err == nil {
		m.declared, err = sharding.Read(m.mlir)
	}
	if err == nil {
		m.Signature, err = model.SignatureOf(m.mlir)
	}
	m.declared.Params = m.declared.Params[min(m.Tokens, len(m.declared.Params)):]
	m.declared.Results = m.declared.Results[min(m.Tokens, len(m.declared.Results)):]
	if err != nil {
		m.close()
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	return m, nil
}

func (m *module) close() { m.ctx.Close() }

// symbolOf returns the name of a function, or "" for any other operation.
func symbolOf(op mlir.Operation) string {
	if op.Name() != "func.func" {
		return ""
	}
	symbol, ok := op.Attribute("sym_name")
	if !ok {
		return ""
	}
	name, _ := symbol.Text()
	return name
}

// refuse returns an error for operations that XLA cannot run. With --feeds, it replaces
// outfeeds and infeeds.
func (m *module) refuse(o options) error {
	if o.feeds == "" {
		return errors.Join(m.refuseFeeds(), m.refuseCalls())
	}
	if err := m.refuseCalls(); err != nil {
		return err
	}
	if err := m.migrate(); err != nil {
		return err
	}
	return m.refuseFeeds() // of other dialects
}

// refuseFeeds returns an error for operations that would wait forever: nothing here reads a
// module's outfeed or fills its infeed.
func (m *module) refuseFeeds() error {
	var found []string
	m.mlir.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if isFeed(op.Name()) {
			found = append(found, "\n  "+m.place(op)+": "+op.Name())
		}
		return mlir.WalkContinue
	})
	if found == nil {
		return nil
	}
	return fmt.Errorf("%s: these operations would wait forever, because nothing is at their other end:%s\n--feeds serves them, and mlir-lint names replacements", m.name, strings.Join(found, ""))
}

// place returns the position of an operation, for the beginning of a line.
func (m *module) place(op mlir.Operation) string {
	return m.placeOf(op.Location())
}

func (m *module) placeOf(l mlir.Location) string {
	p := l.Position()
	if p.IsZero() {
		return m.name
	}
	if p.File == "-" { // the parser's name for standard input
		p.File = m.name
	}
	return p.String()
}
