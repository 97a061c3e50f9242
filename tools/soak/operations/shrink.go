package operations

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// A shown finding is one with the program that shows it.
type shown struct {
	program *program
	finding *finding
}

// attempts is how many smaller programs are tried, and attemptsAlone how many if each one may end a process.
const (
	attempts      = 40
	attemptsAlone = 12
)

// shrink returns a smaller program with a finding of the same kind: one of either operation alone, or of both, on
// smaller arrays of simpler numbers. It returns p if there is none.
func (l *lane) shrink(ctx context.Context, p *program, f *finding) (shown, error) {
	best := shown{p, f}
	smallest := func(list []shown) {
		if len(list) > 0 {
			best = slices.MinFunc(list, func(a, b shown) int { return cmp.Compare(a.program.size(), b.program.size()) })
		}
	}
	n := attempts
	if f.What != "differs" {
		n = attemptsAlone
	}
	forms := [][]int{{0}}
	if len(p.ops) == 2 {
		forms = [][]int{{0}, {1}, {0, 1}}
	}
	for _, form := range forms {
		list, err := l.smaller(ctx, p, form, n)
		if err != nil {
			return best, err
		}
		found, err := l.show(ctx, list, f)
		if err != nil {
			return best, err
		}
		if len(found) > 0 {
			smallest(found)
			break
		}
	}
	return l.simpler(ctx, best)
}

// smaller makes valid programs of some operations of another one.
func (l *lane) smaller(ctx context.Context, p *program, of []int, n int) (list []*program, err error) {
	c, err := quantContext(l.library)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := rand.New(rand.NewPCG(p.seed, p.number))
	for try := 0; try < 50*n && len(list) < n; try++ {
		g := &generator{Rand: r, small: try%4 > 0}
		var second *operation
		if len(of) == 2 {
			second = p.ops[of[1]]
		}
		q, ok := g.attempt(p.ops[of[0]], &p.types[of[0]], second, len(of) == 2)
		if !ok || !slices.Equal(q.types[len(q.types)-1:], p.types[of[len(of)-1]:][:1]) {
			continue
		}
		q.seed, q.number = p.seed, p.number
		q.rename(uint64(len(list)))
		if verify(c, q) == nil {
			list = append(list, q)
		}
	}
	return list, ctx.Err()
}

// show returns the programs that have a finding like f, which is not known.
func (l *lane) show(ctx context.Context, list []*program, f *finding) (found []shown, err error) {
	add := func(p *program, g *finding) error {
		k, err := l.knownAs(ctx, p, g)
		if err == nil && k == nil {
			found = append(found, shown{p, g})
		}
		return err
	}
	if f.What != "differs" {
		for _, p := range list {
			k := packed(p)
			a, crash, err := l.runners[f.Engine].Run(ctx, k.text, k.sets...)
			if err != nil {
				return nil, err
			}
			detail := map[string]string{"crashes": crash, "refuses": a.Refused, "fails": a.Error}[f.What]
			if detail == "" {
				continue
			}
			if err := add(p, &finding{Engine: f.Engine, What: f.What, Detail: detail}); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	all := outcomes{}
	for _, e := range []string{f.Reference, f.Engine} {
		var part []*program
		for _, p := range list {
			if p.expected(e) == nil {
				part = append(part, p)
			}
		}
		for part := range slices.Chunk(part, inModule) {
			if err := each(ctx, l.runners[e], part, sets, func(list []*program, a execute.Answer, crash string) error {
				if crash+a.Refused+a.Error == "" {
					all.add(e, list, a)
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range list {
		want, got := all[p][f.Reference], all[p][f.Engine]
		if want == nil || got == nil {
			continue
		}
		if g := p.differs(f.Reference, f.Engine, want, got); g != nil {
			if err := add(p, g); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// simpler returns a finding with the one set of arguments that shows it, in which as many elements are 0 or 1 as it
// allows.
func (l *lane) simpler(ctx context.Context, best shown) (shown, error) {
	if best.finding.difference == nil || len(best.program.inputs) == 0 {
		return best, nil
	}
	try := func(inputs []tensor.View) (bool, error) {
		p := *best.program
		p.inputs = [][]tensor.View{inputs}
		found, err := l.show(ctx, []*program{&p}, best.finding)
		if len(found) > 0 {
			best = found[0]
		}
		return len(found) > 0, err
	}
	if ok, err := try(best.program.inputs[best.finding.difference.set]); err != nil || !ok {
		return best, err
	}
	budget := 60 // compiles
	for i, v := range best.program.inputs[0] {
		zero := tensor.View{Shape: v.Shape, Data: make([]byte, len(v.Data))}
		for k := -1; k < v.Shape.NumElements() && budget > 0; k++ {
			simple := zero
			size := v.Shape.DType.Size()
			if k >= 0 {
				simple = best.program.inputs[0][i].Clone()
				clear(simple.Data[k*size : (k+1)*size])
			}
			if slices.Equal(simple.Data, best.program.inputs[0][i].Data) {
				continue
			}
			budget--
			inputs := slices.Clone(best.program.inputs[0])
			inputs[i] = simple
			ok, err := try(inputs)
			if err != nil {
				return best, err
			}
			if ok && k < 0 {
				break
			}
		}
	}
	return best, nil
}

// size is how large a program is for a reader.
func (p *program) size() int {
	n := len(packed(p).text)
	for _, list := range p.inputs[:min(1, len(p.inputs))] {
		for _, v := range list {
			n += 4 * v.Shape.NumElements()
		}
	}
	return n
}
