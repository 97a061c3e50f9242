package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/internal/lazyregexp"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
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

// inModule is the number of programs in one module.
const inModule = 24

// A finding is a program on which an engine differs from another one, or ends its process.
type finding struct {
	Engine string
	What   string // "differs", "fails", "crashes"
	Detail string
	Known  string
	want   []tensor.View
	got    []tensor.View
}

// A soak is the state of a run.
type soak struct {
	Options
	out   io.Writer
	start time.Time

	mu       sync.Mutex
	next     uint64
	ran      map[string]int // programs by engine
	refused  map[string]int
	known    map[string]int
	unknown  map[string]int // findings by kind
	programs int
}

// Run makes programs, runs them on all engines in child processes, and prints each kind of finding. It returns an error
// if one is not known.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &soak{Options: o, out: out, start: time.Now(), next: o.First, ran: map[string]int{}, refused: map[string]int{},
		known: map[string]int{}, unknown: map[string]int{}}
	lanes := runtime.GOMAXPROCS(0)
	errs := make([]error, lanes)
	var wait sync.WaitGroup
	for i := range lanes {
		wait.Go(func() { errs[i] = s.lane(ctx) })
	}
	wait.Wait()
	fmt.Fprint(out, s)
	err := errors.Join(errs...)
	if len(s.unknown) > 0 {
		err = errors.Join(err, fmt.Errorf("%d kinds of findings are not known; the modules are in %s", len(s.unknown),
			o.Keep))
	}
	return err
}

// String returns the totals.
func (s *soak) String() string {
	var b strings.Builder
	took := time.Since(s.start)
	fmt.Fprintf(&b, "%d programs of seed %d in %.0f s (%.1f a second)\n", s.programs, s.Seed, took.Seconds(),
		float64(s.programs)/took.Seconds())
	for _, e := range engines {
		fmt.Fprintf(&b, "%-12s %8d run, %d refused\n", e, s.ran[e], s.refused[e])
	}
	for _, k := range slices.Sorted(maps.Keys(s.known)) {
		fmt.Fprintf(&b, "%8d× known: %s\n", s.known[k], k)
	}
	for _, k := range slices.Sorted(maps.Keys(s.unknown)) {
		fmt.Fprintf(&b, "%8d× NOT KNOWN: %s\n", s.unknown[k], k)
	}
	return b.String()
}

// lane runs batches until there are no more programs.
func (s *soak) lane(ctx context.Context) error {
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	runners := map[string]*execute.Runner{}
	for _, e := range engines {
		runners[e] = &execute.Runner{Engine: execute.Engine{Kind: e}}
		defer runners[e].Close()
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		first := s.next
		end := min(first+inModule, s.First+uint64(s.Programs))
		s.next = end
		s.mu.Unlock()
		if first >= end {
			return nil
		}
		batch, err := valid(l, s.Seed, first, end)
		if err != nil {
			return err
		}
		if err := s.batch(ctx, runners, batch); err != nil {
			return err
		}
		s.mu.Lock()
		before := s.programs / 1000
		s.programs += len(batch)
		if s.programs/1000 > before {
			fmt.Fprintf(s.out, "%d programs in %.0f s, %d kinds of findings are not known\n", s.programs,
				time.Since(s.start).Seconds(), len(s.unknown))
		}
		s.mu.Unlock()
	}
	return ctx.Err()
}

// valid returns the programs of some numbers. One that is not valid, such as one of a type that an operation does not
// take, is made again.
func valid(l *mlir.Library, seed, first, end uint64) (list []*program, err error) {
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if err := stablehlo.LoadQuant(c); err != nil {
		return nil, err
	}
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

func verify(c *mlir.Context, p *program) error {
	text, _ := module(p)
	m, err := c.Parse("program", []byte(text))
	if err != nil {
		return err
	}
	defer m.Close()
	return m.Verify()
}

// outcomes are what the engines make of a program.
type outcomes map[string]execute.Answer

func (s *soak) batch(ctx context.Context, runners map[string]*execute.Runner, batch []*program) error {
	all := make([]outcomes, len(batch))
	for i := range all {
		all[i] = outcomes{}
	}
	for _, e := range engines {
		if err := s.on(ctx, runners[e], batch, all); err != nil {
			return err
		}
	}
	for i, p := range batch {
		if err := s.judge(ctx, runners, p, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// on runs programs on an engine: all in one module, and the halves if that is refused, or ends the process.
func (s *soak) on(ctx context.Context, r *execute.Runner, batch []*program, all []outcomes) error {
	var list []*program
	var into []outcomes
	for i, p := range batch {
		if len(batch) > 1 && p.isRefused(r.Kind) {
			s.count(s.refused, r.Kind)
			continue
		}
		list, into = append(list, p), append(into, all[i])
	}
	if len(list) == 0 {
		return nil
	}
	text, inputs := module(list...)
	a, crash, err := r.Run(ctx, text, inputs)
	if err != nil {
		return err
	}
	if crash == "" && a.Refused == "" && a.Error == "" {
		for i, p := range list {
			n := len(p.results)
			into[i][r.Kind] = execute.Answer{Results: a.Results[:n:n]}
			a.Results = a.Results[n:]
			s.count(s.ran, r.Kind)
		}
		return nil
	}
	if len(list) > 1 {
		half := len(list) / 2
		if err := s.on(ctx, r, list[:half], into[:half]); err != nil {
			return err
		}
		return s.on(ctx, r, list[half:], into[half:])
	}
	p := list[0]
	switch {
	case crash != "":
		s.add(p, &finding{Engine: r.Kind, What: "crashes", Detail: crash})
	case a.Refused != "":
		s.count(s.refused, r.Kind)
		s.count(s.known, "refused by "+r.Kind+": "+refusal(a.Refused))
	default:
		s.add(p, &finding{Engine: r.Kind, What: "fails", Detail: a.Error})
	}
	return nil
}

func (s *soak) count(in map[string]int, key string) {
	s.mu.Lock()
	in[key]++
	s.mu.Unlock()
}

// judge compares what the engines make of a program.
func (s *soak) judge(ctx context.Context, runners map[string]*execute.Runner, p *program, o outcomes) error {
	reference := ""
	for _, e := range engines {
		if _, ok := o[e]; !ok {
			continue
		}
		if reference == "" {
			reference = e
			continue
		}
		detail := p.difference(o[reference].Results, o[e].Results)
		if detail == "" {
			continue
		}
		f := &finding{Engine: e, What: "differs from " + reference, Detail: detail, want: o[reference].Results,
			got: o[e].Results}
		small, err := shrink(ctx, runners[reference], runners[e], p, f)
		if err != nil {
			return err
		}
		s.add(small, f)
	}
	return nil
}

// add reports a finding, if it is the first one of its kind.
func (s *soak) add(p *program, f *finding) {
	f.Known = p.knownAs(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Known != "" {
		s.known[f.Engine+": "+f.Known]++
		return
	}
	kind := fmt.Sprintf("%s %s: %s", f.Engine, f.What, p)
	if s.unknown[kind]++; s.unknown[kind] > 1 {
		return
	}
	text, inputs := module(p)
	fmt.Fprintf(s.out, "program %d of seed %d: %s\n  %s\n%s", p.number, p.seed&(1<<32-1), kind, firstLines(f.Detail),
		text)
	for i, v := range inputs {
		fmt.Fprintf(s.out, "  input %d: %s\n", i, v)
	}
	name := filepath.Join(s.Keep, fmt.Sprintf("%d-%s", p.number, strings.ReplaceAll(f.Engine, " ", "-")))
	err := errors.Join(os.MkdirAll(s.Keep, 0o755), os.WriteFile(name+".mlir", []byte(text), 0o644))
	if err == nil && len(inputs) > 0 {
		var arrays []npz.Named
		for i, v := range inputs {
			arrays = append(arrays, npz.Named{Name: fmt.Sprintf("in%d", i), View: v})
		}
		err = npz.WriteFile(name+".npz", arrays)
	}
	if err != nil {
		fmt.Fprintln(s.out, err)
	}
}

func firstLines(text string) string {
	if len(text) > 600 {
		text = text[:600] + "…"
	}
	return text
}

// refusal is a short form of why a program is refused.
func refusal(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if text = place().ReplaceAllString(text, ""); len(text) > 100 {
		text = text[:100]
	}
	return text
}

var place = lazyregexp.New(`(at )?program:\d+:\d+:?`)

// isRefused reports whether an engine is known to refuse a program. Such programs do not take part in a module with
// others.
func (p *program) isRefused(engine string) bool { return false }
