package operations

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// isFlushed reports whether engines differ because XLA takes denormal numbers for zeros: such numbers are in the
// results, or the engines agree on arguments without them, or an operation takes such numbers from the one before.
func isFlushed(ctx context.Context, l *lane, p *program, f *finding) (bool, error) {
	if p.isFlushedIn(f) {
		return true, nil
	}
	q, changed := p.flushed()
	if changed {
		g, err := l.compare(ctx, q, f)
		if err != nil || g == nil || q.isFlushedIn(g) {
			return err == nil, err
		}
	}
	if len(p.between) == 0 {
		return false, nil
	}
	q.results = p.between
	results, ok, err := l.results(ctx, q, f.Reference)
	if err != nil || !ok {
		return false, err
	}
	for _, list := range results {
		for _, v := range list {
			if _, isChanged := flushed(v); isChanged {
				return true, nil
			}
		}
	}
	return false, nil
}

// flushed returns a program whose arguments and constants have zeros for the denormal numbers, and whether there were
// any.
func (p *program) flushed() (_ *program, changed bool) { return p.with(flushed) }

// with returns a program with other arguments and constants, and whether any changed.
func (p *program) with(change func(tensor.View) (tensor.View, bool)) (_ *program, changed bool) {
	q := *p
	q.inputs = nil
	for _, list := range p.inputs {
		var set []tensor.View
		for _, v := range list {
			w, isChanged := change(v)
			set, changed = append(set, w), changed || isChanged
		}
		q.inputs = append(q.inputs, set)
	}
	q.lines = slices.Clone(p.lines)
	for i, v := range p.constants {
		if w, isChanged := change(v); isChanged {
			changed = true
			for n, line := range q.lines {
				q.lines[n] = strings.ReplaceAll(line, progen.Dense(p.constants[i]), progen.Dense(w))
			}
		}
	}
	return &q, changed
}

// isFlushedIn reports whether results differ only in that one has a zero where the other one has a denormal number.
func (p *program) isFlushedIn(f *finding) bool {
	for i, list := range f.want {
		for k, w := range list {
			g := f.got[i][k]
			if !w.Shape.Equal(g.Shape) {
				return false
			}
			w, _ = flushed(w)
			g, _ = flushed(g)
			if (&program{inexact: p.inexact, reordered: p.reordered}).differenceIn([]tensor.View{w},
				[]tensor.View{g}) != nil {
				return false
			}
		}
	}
	return true
}

// flushed returns an array with zeros for the denormal numbers, and whether there are any.
func flushed(v tensor.View) (_ tensor.View, changed bool) {
	limit, ok := least[v.Shape.DType]
	if !ok {
		return v, false
	}
	v = v.Clone()
	for i := range v.Shape.NumElements() {
		x := progen.Floats(v, i)
		for part := range x {
			if a := math.Abs(x[part]); a != 0 && a < limit {
				x[part], changed = math.Copysign(0, x[part]), true
				if v.Shape.DType == tensor.F8E8M0FNU { // which has no zero
					x[part] = 1
				}
			}
		}
		if changed {
			progen.SetFloat(v, i, x[0], x[1])
		}
	}
	return v, changed
}

// least are numbers of which a part, as there may be in the middle of an operation, is denormal in the types in which
// XLA computes: 16 times the smallest normal ones. It computes in f32 for those of 16 bits.
var least = map[tensor.DType]float64{tensor.F64: 0x1p-1018, tensor.C128: 0x1p-1018, tensor.F32: 0x1p-122,
	tensor.C64: 0x1p-122, tensor.BF16: 0x1p-122, tensor.F8E8M0FNU: 0x1p-122}
