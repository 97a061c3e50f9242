package order

import "slices"

// A span is the numbers from lo up to hi, without hi.
type span struct{ lo, hi int32 }

// Spans are a set of numbers: spans in ascending order that neither overlap nor touch. They
// never change, so that values share them.
type spans []span

// one returns the numbers from lo up to hi, without hi.
func one(lo, hi int32) spans {
	if lo >= hi {
		return nil
	}
	return spans{{lo, hi}}
}

// appended adds a span that begins at or after the last one.
func (s spans) appended(lo, hi int32) spans {
	if last := len(s) - 1; last >= 0 && s[last].hi >= lo {
		s[last].hi = max(s[last].hi, hi)
		return s
	}
	return append(s, span{lo, hi})
}

func (s spans) union(t spans) spans {
	switch {
	case len(t) == 0 || len(s) == 1 && s[0].lo <= t[0].lo && t[len(t)-1].hi <= s[0].hi:
		return s
	case len(s) == 0 || len(t) == 1 && t[0].lo <= s[0].lo && s[len(s)-1].hi <= t[0].hi:
		return t
	}
	out := make(spans, 0, max(len(s), len(t)))
	for len(s) > 0 || len(t) > 0 {
		if len(t) == 0 || len(s) > 0 && s[0].lo <= t[0].lo {
			out, s = out.appended(s[0].lo, s[0].hi), s[1:]
		} else {
			out, t = out.appended(t[0].lo, t[0].hi), t[1:]
		}
	}
	return out
}

func (s spans) intersection(t spans) (out spans) {
	for len(s) > 0 && len(t) > 0 {
		if lo, hi := max(s[0].lo, t[0].lo), min(s[0].hi, t[0].hi); lo < hi {
			out = append(out, span{lo, hi})
		}
		if s[0].hi < t[0].hi {
			s = s[1:]
		} else {
			t = t[1:]
		}
	}
	return out
}

// within returns the numbers from lo up to hi, without hi, less by as many.
func (s spans) within(lo, hi, less int32) (out spans) {
	for _, p := range s {
		if a, b := max(p.lo, lo), min(p.hi, hi); a < b {
			out = append(out, span{a - less, b - less})
		}
	}
	return out
}

// gaps returns the numbers from 0 up to n, without n, that are not in the set.
func (s spans) gaps(n int32) (out spans) {
	at := int32(0)
	for _, p := range s {
		if p.lo >= n {
			break
		}
		if at < p.lo {
			out = append(out, span{at, p.lo})
		}
		at = p.hi
	}
	if at < n {
		out = append(out, span{at, n})
	}
	return out
}

// A behind is the calls that a value depends on: sets of the numbers of calls, by the index of
// their effect, in ascending order. It has no empty sets, and never changes.
type behind []struct {
	effect int32
	calls  spans
}

func (b behind) of(effect int32) spans {
	for i := range b {
		if b[i].effect == effect {
			return b[i].calls
		}
	}
	return nil
}

// with returns b with another set for an effect.
func (b behind) with(effect int32, calls spans) behind {
	at := 0
	for at < len(b) && b[at].effect < effect {
		at++
	}
	has := at < len(b) && b[at].effect == effect
	out := slices.Clone(b)
	switch {
	case has && len(calls) == 0:
		return slices.Delete(out, at, at+1)
	case has:
		out[at].calls = calls
		return out
	case len(calls) == 0:
		return b
	}
	return slices.Insert(out, at, behind{{effect, calls}}...)
}

// same reports whether two are the same list.
func (b behind) same(c behind) bool {
	return len(b) == len(c) && (len(b) == 0 || &b[0] == &c[0])
}

func (b behind) equal(c behind) bool {
	if b.same(c) {
		return true
	}
	if len(b) != len(c) {
		return false
	}
	for i := range b {
		if b[i].effect != c[i].effect || !slices.Equal(b[i].calls, c[i].calls) {
			return false
		}
	}
	return true
}

// or returns the calls of b and those of c.
func (b behind) or(c behind) behind {
	switch {
	case len(c) == 0 || b.same(c):
		return b
	case len(b) == 0:
		return c
	}
	if b.covers(c) {
		return b
	}
	out := make(behind, 0, max(len(b), len(c)))
	for len(b) > 0 || len(c) > 0 {
		switch {
		case len(c) == 0 || len(b) > 0 && b[0].effect < c[0].effect:
			out, b = append(out, b[0]), b[1:]
		case len(b) == 0 || c[0].effect < b[0].effect:
			out, c = append(out, c[0]), c[1:]
		default:
			both := b[0]
			both.calls = both.calls.union(c[0].calls)
			out, b, c = append(out, both), b[1:], c[1:]
		}
	}
	return out
}

// covers reports whether c adds nothing to b, if that is cheap to see.
func (b behind) covers(c behind) bool {
	for _, e := range c {
		for len(b) > 0 && b[0].effect < e.effect {
			b = b[1:]
		}
		if len(b) == 0 || b[0].effect != e.effect || len(b[0].calls) != 1 {
			return false
		}
		if s := b[0].calls[0]; e.calls[0].lo < s.lo || e.calls[len(e.calls)-1].hi > s.hi {
			return false
		}
	}
	return true
}

// and returns the calls that are in b and in c.
func (b behind) and(c behind) (out behind) {
	if b.same(c) {
		return b
	}
	for len(b) > 0 && len(c) > 0 {
		switch {
		case b[0].effect < c[0].effect:
			b = b[1:]
		case c[0].effect < b[0].effect:
			c = c[1:]
		default:
			both := b[0]
			if both.calls = both.calls.intersection(c[0].calls); len(both.calls) > 0 {
				out = append(out, both)
			}
			b, c = b[1:], c[1:]
		}
	}
	return out
}
