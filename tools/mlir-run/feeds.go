package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// migrate replaces the outfeeds and infeeds of the module by callbacks, and notes those that mlir-lint -fix
// replaced before. Other custom calls stay, for --tap.
func (m *module) migrate() (err error) {
	stay := func(mlir.Operation) string { return "" }
	m.migrated, err = passes.Migrate(m.ir.Module, passes.MigrateOptions{Callback: stay})
	if err != nil {
		return fmt.Errorf("%s: --feeds: %w", m.name, err)
	}
	var left []string
	for _, l := range m.migrated.Skipped {
		if isFeed(l.Operation) {
			left = append(left, fmt.Sprintf("\n  %s: %s: %s", m.placeOf(l.Location), l.Operation, l.Reason))
		}
	}
	for call := range callop.Calls(m.ir.Module) {
		if from := feedOf(call.Config); call.Err == nil && from != "" && call.Config.Registry == "" {
			m.migrated.Callbacks = append(m.migrated.Callbacks,
				passes.Migrated{Name: call.Config.Callback, From: from, Location: call.Op.Location()})
		}
	}
	if left != nil {
		return fmt.Errorf("%s: --feeds cannot serve these operations:%s", m.name, strings.Join(left, ""))
	}
	return nil
}

// isFeed reports whether an operation of any dialect is an outfeed or an infeed.
func isFeed(operation string) bool {
	_, name, _ := strings.Cut(operation, ".")
	return name == "outfeed" || name == "infeed"
}

// feeds serves the callbacks that were outfeeds and infeeds.
type feeds struct {
	limit bounded.Limit
	given arrays // for infeeds

	mu     sync.Mutex
	next   int          // the number of the next array for an infeed
	taken  bounded.Size // of these arrays
	sent   []npz.Named
	stored bounded.Size // of the arrays in sent
}

// perArray is added to the size of each array that is kept, for what describes it.
const perArray = 256

// newFeeds opens the arrays for infeeds.
func (m *module) newFeeds(o options) (*feeds, error) {
	f := &feeds{limit: o.arraysLimit()}
	var err error
	if f.given, err = openArrays("--in", "infeed", o.in); err != nil {
		return nil, err
	}
	for _, c := range m.migrated.Callbacks {
		if strings.HasSuffix(c.From, ".infeed") && (f.given.single() || !f.given.has(0)) {
			f.close()
			return nil, errors.New("--feeds: the module has an infeed, and infeed0 is missing: use --in with a .npz file that has it")
		}
	}
	return f, nil
}

func (f *feeds) close() { f.given.close() }

// bind registers the callbacks.
func (f *feeds) bind(m *module, o callbacks.Options) error {
	o.FailRun = true
	bound := map[string]bool{}
	for _, c := range m.migrated.Callbacks {
		if !isFeed(c.From) || bound[c.Name] {
			continue
		}
		bound[c.Name] = true
		serve := f.send
		if strings.HasSuffix(c.From, ".infeed") {
			serve = f.receive
		}
		if err := callbacks.Default.Register(c.Name, serve, o); err != nil {
			return err
		}
	}
	return nil
}

// send keeps the operands of a former outfeed.
func (f *feeds) send(c *callbacks.Frame) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range c.Args {
		size := bounded.Size(len(v.Data)) + perArray
		if size > f.limit.Size-f.stored {
			return fmt.Errorf("--feeds: callback %q sends %s, and the calls before it %s: %w", c.Name, v.Shape,
				f.stored, &bounded.TooLargeError{Limit: f.limit})
		}
		f.stored += size
		f.sent = append(f.sent, npz.Named{Name: fmt.Sprint("feed", len(f.sent)), View: v.Clone()})
	}
	return nil
}

// receive fills the results of a former infeed.
func (f *feeds) receive(c *callbacks.Frame) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, result := range c.Results {
		if !f.given.has(f.next) {
			return fmt.Errorf("--feeds: callback %q needs %s: %s is expected in --in", c.Name, f.given.name(f.next),
				result.Shape)
		}
		v, err := f.given.readAs(f.next, result.Shape, f.limit, &f.taken)
		if other, ok := errors.AsType[*otherShape](err); ok {
			return fmt.Errorf("--feeds: %s is %.200s: callback %q expects %s", f.given.name(f.next), other.given,
				c.Name, result.Shape)
		}
		if err != nil {
			return fmt.Errorf("--feeds: %s: %w", f.given.name(f.next), err)
		}
		copy(result.Data, v.Data)
		f.next++
	}
	return nil
}

// write writes what the former outfeeds sent.
func (f *feeds) write(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := npz.WriteFile(path, f.sent); err != nil {
		return fmt.Errorf("--feeds %s: %w", path, err)
	}
	return nil
}

// feedOf returns the name of the operation that a callback was before passes.Migrate, by the callback's name:
// stablehlo.outfeed for hook_<n> and outfeed_<n>, stablehlo.infeed for infeed_<n>, and else "".
func feedOf(c contract.Config) string {
	prefix, number, _ := strings.Cut(c.Callback, "_")
	if _, err := strconv.ParseUint(number, 10, 32); err != nil {
		return ""
	}
	switch {
	case c.Form == contract.Observe && (prefix == "hook" || prefix == "outfeed"):
		return "stablehlo.outfeed"
	case c.Form == contract.Call && prefix == "infeed":
		return "stablehlo.infeed"
	}
	return ""
}
