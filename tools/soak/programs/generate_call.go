package programs

import "github.com/calliope-mlir/calliope/contract"

// The device policies, and the effect of all.
const (
	once       = contract.Once
	gather     = contract.Gather
	allEffects = contract.AllEffects
)

// Names of functions, by form. The part after the dot is the way of dispatch.
var names = map[form][]string{
	tap:     {"tap", "tap", "tap.worker", "tap.deferred", "tap.async"},
	through: {"io", "io", "change", "change", "io.worker", "change.deferred", "io.async"},
	answers: {"call", "call", "call.worker", "call.deferred"},
	pure:    {"pure"},
}

// changes are the functions that change what they pass through.
var changes = map[string]bool{"change": true, "change.deferred": true}

// The names of taps that a pass inserts: what inserted gets is expected.
const (
	inserted = "inserted"
	watching = "watching"
)

// call makes a call.
func (m *maker) call() {
	p := m.p.profile
	s := &call{form: choose(m, tap, tap, through, through, answers, answers, answers, pure)}
	if p.old {
		s.form = choose(m, tap, answers)
	}
	s.name = choose(m, names[s.form]...)
	m.p.sites++
	s.site = m.p.sites
	for range choose(m, 0, 1, 1, 1, 2, 3) {
		s.args = append(s.args, m.recent())
	}
	if len(s.args) == 0 && s.form != tap && s.form != answers {
		s.args = append(s.args, m.recent())
	}
	if s.form != pure && !p.old {
		s.effect = choose(m, "", "", "a", "a", "a", "b", "b", allEffects)
		s.optional = m.IntN(20) == 0 && s.form != answers
		m.policy(s)
	}
	if s.optional {
		s.name = "missing"
	}
	if s.form == tap && m.IntN(4) == 0 {
		s.cond = m.condition()
	}
	same := true
	for _, v := range s.args {
		same = same && v.same
	}
	for i, n := 0, m.IntN(3); s.form == answers && i < n; i++ {
		s.out = append(s.out, m.variable(m.kind(), same || s.policy == once))
	}
	if s.form == through || s.form == pure {
		if s.policy == once && !s.whole {
			same = false
		}
		for _, v := range s.args {
			s.out = append(s.out, m.variable(v.kind, same && v.same))
		}
	}
	m.add(s, s.out...)
}

// policy decides which devices make a call.
func (m *maker) policy(s *call) {
	p := m.p.profile
	switch {
	case p.mesh && !m.manual:
		s.whole = true
		if s.policy = gather; s.optional || m.IntN(3) == 0 {
			s.policy = once
		}
	case p.once && m.IntN(3) == 0:
		s.policy = once
	}
	if s.policy != "" {
		s.device = m.IntN(p.devices)
	}
}
