package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
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

// Options say which programs run.
type Options struct {
	Programs int
	Seed     uint64
	First    uint64 // the number of the first program
	Keep     string // the folder that gets the modules and inputs of findings; it is made if there are any
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Programs < 1 || o.Keep == "" {
		return errors.New("the number of programs must be 1 or more, and -keep needs a folder")
	}
	return nil
}

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
	Options
	out   io.Writer
	start time.Time

	mu       sync.Mutex
	next     uint64
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
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &soak{Options: o, out: out, start: time.Now(), next: o.First, report: newReport()}
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i := range errs {
		lane := &lane{soak: s, library: l, runners: map[string]*execute.Runner{}}
		for _, e := range engines {
			lane.runners[e] = &execute.Runner{Engine: execute.Engine{Kind: e}}
		}
		s.lanes = append(s.lanes, lane)
		wait.Go(func() { errs[i] = lane.run(ctx) })
	}
	wait.Wait()
	fmt.Fprint(out, s)
	err = errors.Join(errs...)
	if len(s.unknown) > 0 {
		err = errors.Join(err, fmt.Errorf("%d kinds of findings are not known; the modules are in %s", len(s.unknown),
			o.Keep))
	}
	return err
}

// run runs batches until there are no more programs.
func (l *lane) run(ctx context.Context) error {
	for _, r := range l.runners {
		defer r.Close()
	}
	for ctx.Err() == nil {
		l.mu.Lock()
		first := l.next
		end := min(first+inModule, l.First+uint64(l.Programs))
		l.next = end
		l.mu.Unlock()
		if first >= end {
			return nil
		}
		batch, err := valid(l.library, l.Seed, first, end)
		if err == nil {
			err = l.batch(ctx, batch)
		}
		if err != nil {
			return err
		}
		l.mu.Lock()
		before := l.programs / 1000
		l.programs += len(batch)
		if l.programs/1000 > before {
			fmt.Fprintf(l.out, "%d programs in %.0f s, %d kinds of findings are not known\n", l.programs,
				time.Since(l.start).Seconds(), len(l.unknown))
		}
		l.mu.Unlock()
	}
	return ctx.Err()
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

// outcomes are the results of a program, for each set of arguments, by engine.
type outcomes map[string][][]tensor.View

func (l *lane) batch(ctx context.Context, batch []*program) error {
	all := make([]outcomes, len(batch))
	for i := range all {
		all[i] = outcomes{}
	}
	size := len(batch)
	if batch[0].number/inModule%alone == 0 {
		size = 1
	}
	for _, e := range engines {
		var list []*program
		var into []outcomes
		for i, p := range batch {
			k := p.expected(e)
			if k == nil {
				list, into = append(list, p), append(into, all[i])
				continue
			}
			if l.expect(e, k)%asked == 0 {
				if err := l.on(ctx, l.runners[e], []*program{p}, []outcomes{all[i]}, k); err != nil {
					return err
				}
			}
		}
		for len(list) > 0 {
			n := min(size, len(list))
			if err := l.on(ctx, l.runners[e], list[:n], into[:n], nil); err != nil {
				return err
			}
			list, into = list[n:], into[n:]
		}
	}
	for i, p := range batch {
		if err := l.judge(ctx, p, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// on runs programs on an engine, all in one module. If that is refused, the program in its place runs alone, and the
// others once more; if it ends the process, the halves. A single program is expected to be refused or to end the
// process if want is not nil.
func (l *lane) on(ctx context.Context, r *execute.Runner, list []*program, into []outcomes, want *known) error {
	k := packed(list...)
	a, crash, err := r.Run(ctx, k.text, k.sets...)
	if err != nil {
		return err
	}
	if crash == "" && a.Refused == "" && a.Error == "" {
		at := 0
		for i, p := range list {
			n := len(p.results)
			for _, results := range a.Sets[:max(1, len(p.inputs))] {
				into[i][r.Kind] = append(into[i][r.Kind], results[at:at+n:at+n])
			}
			at += n
		}
		l.count(r.Kind, len(list))
		if want != nil && want.sure {
			return l.add(ctx, list[0], &finding{Engine: r.Kind, What: "does what it is known not to do",
				Detail: want.what + ": " + want.why})
		}
		return nil
	}
	if len(list) > 1 {
		middle := len(list) / 2
		if i := k.place(a.Refused); crash == "" && i >= 0 {
			// The one that is refused is moved to the front.
			list[0], list[i] = list[i], list[0]
			into[0], into[i] = into[i], into[0]
			middle = 1
		}
		if err := l.on(ctx, r, list[:middle], into[:middle], nil); err != nil {
			return err
		}
		return l.on(ctx, r, list[middle:], into[middle:], nil)
	}
	f := &finding{Engine: r.Kind}
	switch {
	case crash != "":
		f.What, f.Detail = "crashes", crash
	case a.Refused != "":
		f.What, f.Detail = "refuses", a.Refused
	default:
		f.What, f.Detail = "fails", a.Error
	}
	return l.add(ctx, list[0], f)
}

var position = lazyregexp.New(`program:(\d+):\d+`)

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
func (l *lane) judge(ctx context.Context, p *program, o outcomes) error {
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
