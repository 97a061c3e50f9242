package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// engines are what runs modules. The first one is the reference where it runs a program.
var engines = []string{execute.Interpreter, execute.Exact, execute.XLA, execute.JIT}

// inModule is the number of programs in one module: a compile costs some 10 ms, and each program as much again.
// In one of each few modules there is a program alone, because passes might mix programs in a way that hides a mistake.
const (
	inModule = 24
	alone    = 10
)

// asked is in how many programs an engine is asked for what is known of it for certain.
const asked = 16

// A soak is the state of a run.
type soak struct {
	execute.Options
	out   io.Writer
	start time.Time

	mu       sync.Mutex
	programs int
	lanes    []*lane
	report
}

// A lane runs batches of programs, one at a time, on an own process for each engine.
type lane struct {
	*soak
	library *mlir.Library
	runners map[string]*execute.Runner
}

// Run makes programs, runs them on all engines in child processes, and prints each kind of finding. It returns an error
// if one is not known.
func Run(ctx context.Context, o execute.Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &soak{Options: o, out: out, start: time.Now(), report: newReport()}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	err = execute.Lanes(ctx, o.Programs, inModule, func() (func(first, end int) error, func()) {
		l := &lane{soak: s, library: library, runners: map[string]*execute.Runner{}}
		for _, e := range engines {
			l.runners[e] = &execute.Runner{Engine: execute.Engine{Kind: e}}
		}
		l.runners[execute.JIT].Plugin = o.Plugin
		s.lanes = append(s.lanes, l)
		return func(first, end int) error { return l.part(ctx, o.First+uint64(first), o.First+uint64(end)) }, l.close
	})
	fmt.Fprint(out, s)
	if len(s.unknown) > 0 {
		err = errors.Join(err, fmt.Errorf("%d kinds of findings are not known; the modules are in %s", len(s.unknown),
			o.Keep))
	}
	return err
}

func (l *lane) close() {
	for _, r := range l.runners {
		r.Close()
	}
}

// part runs the programs of some numbers.
func (l *lane) part(ctx context.Context, first, end uint64) error {
	batch, err := valid(l.library, l.Seed, first, end)
	if err == nil {
		err = l.batch(ctx, batch)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.programs / 1000
	if l.programs += len(batch); l.programs/1000 > before {
		fmt.Fprintf(l.out, "%d programs in %.0f s, %d kinds of findings are not known\n", l.programs,
			time.Since(l.start).Seconds(), len(l.unknown))
	}
	return nil
}

// valid returns the programs of some numbers. One that is not valid, such as one of a type that an operation does not
// take, is made again.
func valid(l *mlir.Library, seed, first, end uint64) (list []*program, err error) {
	c, err := quantContext(l)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for number := first; number < end; number++ {
		for again := uint64(0); ; again++ {
			if again == 100 {
				return nil, fmt.Errorf("program %d of seed %d is never valid", number, seed)
			}
			p := generate(seed+again<<32, number)
			if verify(c, p) == nil {
				list = append(list, p)
				break
			}
		}
	}
	return list, nil
}

func quantContext(l *mlir.Library) (*mlir.Context, error) {
	c := l.NewContext(mlir.ContextOptions{})
	if err := stablehlo.LoadQuant(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func verify(c *mlir.Context, p *program) error {
	m, err := c.Parse("program", []byte(packed(p).text))
	if err != nil {
		return err
	}
	defer m.Close()
	return m.Verify()
}

// outcomes are the results of programs by engine, for each set of arguments.
type outcomes map[*program]map[string][][]tensor.View

func (l *lane) batch(ctx context.Context, batch []*program) error {
	all := outcomes{}
	size := len(batch)
	if batch[0].number/inModule%alone == 0 {
		size = 1
	}
	for _, e := range engines {
		var list []*program
		for _, p := range batch {
			k := p.expected(e)
			if k == nil {
				list = append(list, p)
			} else if l.expect(e, k)%asked == 0 {
				if err := l.on(ctx, e, []*program{p}, all, k); err != nil {
					return err
				}
			}
		}
		for part := range slices.Chunk(list, size) {
			if err := l.on(ctx, e, part, all, nil); err != nil {
				return err
			}
		}
	}
	for _, p := range batch {
		if err := l.judge(ctx, p, all[p]); err != nil {
			return err
		}
	}
	return nil
}

// on runs programs on an engine, and adds their results. A single program is expected to be refused or to end the
// process if want is not nil.
func (l *lane) on(ctx context.Context, engine string, list []*program, into outcomes, want *known) error {
	return each(ctx, l.runners[engine], list, sets, func(list []*program, a execute.Answer, crash string) error {
		f := &finding{Engine: engine}
		switch {
		case crash != "":
			f.What, f.Detail = "crashes", crash
		case a.Refused != "":
			f.What, f.Detail = "refuses", a.Refused
		case a.Error != "":
			f.What, f.Detail = "fails", a.Error
		default:
			into.add(engine, list, a)
			l.count(engine, len(list))
			if want == nil || !want.sure {
				return nil
			}
			f.What, f.Detail = "does what it is known not to do", want.what+": "+want.why
		}
		return l.add(ctx, list[0], f)
	})
}

// each runs programs on an engine, all in one module, and calls ended when that works. If it is refused, the program in
// its place runs alone, and the others once more; if it ends the process, the halves do. ended is also called with a
// single program.
func each(
	ctx context.Context, r *execute.Runner, list []*program, sets int,
	ended func(list []*program, a execute.Answer, crash string) error,
) error {
	k := packed(list...)
	a, crash, err := r.Run(ctx, k.text, k.sets[:min(sets, len(k.sets))]...)
	if err != nil {
		return err
	}
	if len(list) == 1 || crash+a.Refused+a.Error == "" {
		return ended(list, a, crash)
	}
	middle := len(list) / 2
	if i := k.place(a.Refused); crash == "" && i >= 0 {
		list[0], list[i] = list[i], list[0] // the one that is refused
		middle = 1
	}
	if err := each(ctx, r, list[:middle], sets, ended); err != nil {
		return err
	}
	return each(ctx, r, list[middle:], sets, ended)
}

// add adds the results of programs in one module.
func (o outcomes) add(engine string, list []*program, a execute.Answer) {
	at := 0
	for _, p := range list {
		if o[p] == nil {
			o[p] = map[string][][]tensor.View{}
		}
		for _, results := range a.Sets[:max(1, len(p.inputs))] {
			o[p][engine] = append(o[p][engine], results[at:at+len(p.results):at+len(p.results)])
		}
		at += len(p.results)
	}
}

var position = lazyregexp.New(`(?:program|module):(\d+):\d+`)

// place returns which program an error is about, or -1.
func (k pack) place(text string) int {
	found := position().FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 || n > len(k.owner) {
		return -1
	}
	return k.owner[n-1]
}

// judge compares what the engines make of a program.
func (l *lane) judge(ctx context.Context, p *program, o map[string][][]tensor.View) error {
	reference := ""
	for _, e := range engines {
		if o[e] == nil {
			continue
		}
		if reference == "" {
			reference = e
			continue
		}
		if exact := o[execute.Exact]; e == execute.XLA && reference != execute.Exact && exact != nil &&
			p.difference(exact, o[e]) == nil {
			continue // it is one finding
		}
		if f := p.differs(reference, e, o[reference], o[e]); f != nil {
			if err := l.add(ctx, p, f); err != nil {
				return err
			}
		}
	}
	return nil
}
