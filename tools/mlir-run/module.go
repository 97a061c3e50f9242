package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// module is the module to run.
type module struct {
	name string
	file *load.File
	ir   *load.Module // without a module if only XLA reads the program

	legacy   map[string]*legacy.Function // with --legacy, by target
	migrated passes.MigrateResult        // with --feeds
	handlers []string                    // custom call targets of others that the plugin serves
	bound    []tensor.View               // values of the first parameters, which are not inputs
}

// readModule reads a file, or standard input if path is "-". It writes to progress what it fetches.
func readModule(o options, stdin io.Reader, progress io.Writer) (*module, error) {
	m := &module{name: o.module}
	data, err := m.read(o, stdin)
	if err != nil {
		return nil, err
	}
	m.file, err = load.Open(context.Background(), m.name, data, load.Options{Entry: o.function, Choose: "--function",
		VJP: o.vjp, ChooseVJP: "--vjp", Fetch: native.EnsureOptions{Progress: progress}})
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", m.name, err)
	}
	m.ir, err = m.file.Parse(func(parsed *mlir.Module) error {
		m.ir = &load.Module{Module: parsed}
		return cmp.Or(m.callChecks(), m.serveLegacy(o), m.refuse(o))
	})
	if _, unread := errors.AsType[*load.ParseError](err); unread {
		return nil, fmt.Errorf("cannot read %s: %w", m.name, err)
	}
	if err != nil {
		return nil, m.named(err)
	}
	return m, nil
}

// read reads the bytes of the file.
func (m *module) read(o options, stdin io.Reader) (data []byte, err error) {
	if o.module == "-" {
		m.name = "<stdin>"
		data, err = bounded.Read(stdin, o.moduleLimit())
	} else {
		data, err = bounded.ReadFile(o.module, o.moduleLimit())
	}
	if _, ok := errors.AsType[*bounded.TooLargeError](err); ok {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	if err == nil && len(data) == 0 {
		err = fmt.Errorf("%s: it is empty: use a StableHLO module", m.name)
	}
	return data, err
}

// named returns an error that names the module.
func (m *module) named(err error) error {
	if strings.HasPrefix(err.Error(), m.name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", m.name, err)
}

func (m *module) close() {
	_ = m.ir.Close()
}

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
	m.ir.Module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
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
