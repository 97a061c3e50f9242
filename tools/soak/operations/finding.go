package operations

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/tensor"
)

// A finding is a program on which an engine differs from another one, refuses what it should compile, fails, or ends
// its process.
type finding struct {
	Engine     string
	Reference  string // the engine from which it differs
	What       string // differs, refuses, crashes, fails
	Detail     string
	difference *difference
	want, got  [][]tensor.View // for each set of arguments
}

// differs returns the finding that an engine differs from another one, or nil.
func (p *program) differs(reference, engine string, want, got [][]tensor.View) *finding {
	d := p.difference(want, got)
	if d == nil {
		return nil
	}
	return &finding{Engine: engine, Reference: reference, What: "differs", Detail: d.text, difference: d, want: want,
		got: got}
}

// A report has the findings of a run.
type report struct {
	ran     map[string]int            // programs by engine
	known   map[*known]map[string]int // what is known, by engine
	unknown map[string]int            // findings by kind
}

func newReport() report {
	return report{ran: map[string]int{}, known: map[*known]map[string]int{}, unknown: map[string]int{}}
}

// long is the number of programs in which everything that is known has to occur.
const long = 20_000

// String returns the totals.
func (s *soak) String() string {
	var b strings.Builder
	took := time.Since(s.start)
	fmt.Fprintf(&b, "%d programs of seed %d with %d sets of arguments each in %.0f s (%.1f a second)\n", s.programs,
		s.Seed, sets, took.Seconds(), float64(s.programs)/took.Seconds())
	for _, e := range engines {
		spent := time.Duration(0)
		for _, l := range s.lanes {
			spent += l.runners[e].Took
		}
		fmt.Fprintf(&b, "%-12s ran %8d in %.0f s\n", e, s.ran[e], spent.Seconds())
	}
	for _, k := range knowns {
		if n := s.known[k]; len(n) > 0 {
			var list []string
			for _, e := range slices.Sorted(maps.Keys(n)) {
				list = append(list, fmt.Sprintf("%s %d×", e, n[e]))
			}
			fmt.Fprintf(&b, "known: %s: %s\n", strings.Join(list, ", "), k)
		} else if s.programs >= long { // it may be mended
			fmt.Fprintf(&b, "known, but it did not occur: %s\n", k)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if op := all[name]; op.make == nil {
			fmt.Fprintf(&b, "left out: %s: %s\n", name, op.left)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.unknown)) {
		fmt.Fprintf(&b, "%8d× NOT KNOWN: %s\n", s.unknown[k], k)
	}
	return b.String()
}

func (s *soak) count(engine string, n int) {
	s.mu.Lock()
	s.ran[engine] += n
	s.mu.Unlock()
}

// expect counts what is known, and returns how often it was.
func (s *soak) expect(engine string, k *known) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[k] == nil {
		s.known[k] = map[string]int{}
	}
	s.known[k][engine]++
	return s.known[k][engine] - 1
}

// add counts a finding. The first one of its kind that is not known is made smaller, and printed.
func (l *lane) add(ctx context.Context, p *program, f *finding) error {
	k, err := l.knownAs(ctx, p, f)
	if err != nil {
		return err
	}
	if k != nil {
		if p.expected(f.Engine) != k || f.What == "differs" { // those are counted before they run
			l.expect(f.Engine, k)
		}
		return nil
	}
	kind := p.kind(f)
	l.mu.Lock()
	l.unknown[kind]++
	first := l.unknown[kind] == 1
	l.mu.Unlock()
	if !first {
		return nil
	}
	small, err := l.shrink(ctx, p, f)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "%s\n  again: go run ./tools/soak operations -seed %d -first %d -programs 1\n", kind,
		p.seed&(1<<32-1), p.number)
	if smaller := small.program.kind(small.finding); smaller != kind {
		if l.unknown[smaller] == 0 {
			l.unknown[smaller]++ // it is printed here
		} else {
			fmt.Fprintf(l.out, "  it is of the kind %s\n", smaller)
			return nil
		}
	}
	l.print(small)
	return nil
}

// kind groups findings.
func (p *program) kind(f *finding) string {
	text := f.Engine + " " + f.What
	switch {
	case f.Reference != "":
		text += " from " + f.Reference
	case f.What == "refuses": // by the reason, whatever the sizes and types
		first, _, _ := strings.Cut(strings.TrimSpace(f.Detail), "\n")
		return text + ": " + varying().ReplaceAllString(first, "N")
	}
	return text + ": " + p.String()
}

var varying = lazyregexp.New(`program:\d+:\d+|tensor<[^ ]*>|\d+`)

// print prints a program, and keeps it for mlir-run.
func (l *lane) print(c shown) {
	p, f := c.program, c.finding
	k := packed(p)
	fmt.Fprintf(l.out, "  %s\n%s", firstLines(f.Detail), k.text)
	set := 0
	if f.difference != nil {
		set = f.difference.set
	}
	printInputs(l.out, k.sets[set])
	name := fmt.Sprintf("%d-%d-%s", p.seed&(1<<32-1), p.number, strings.ReplaceAll(f.Engine, " ", "-"))
	err := progen.Keep(l.Keep, name, k.text, k.sets[set], nil)
	if err != nil {
		fmt.Fprintln(l.out, err)
	}
}

func firstLines(text string) string {
	if len(text) > 600 {
		text = text[:600] + "…"
	}
	return text
}
