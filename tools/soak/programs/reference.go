package programs

import (
	"errors"
	"fmt"
	"slices"
)

// An interpreter runs a program in plain Go, on all its devices in step.
type interpreter struct {
	program *program
	devices []int
	values  map[*variable][]array // one for each device
	events  []event
	steps   int
}

// An event is a call of Go.
type event struct {
	run, device int
	site        int // 0 for a pure call
	name        string
	args        string
}

func (e event) String() string { return fmt.Sprintf("%s %d%s", e.name, e.site, e.args) }

// textOf returns what a call gets.
func textOf(args []array) (text string) {
	for _, a := range args {
		text += " " + a.String()
	}
	return text
}

// A prediction is what a run returns, one list for each device, and its calls in order.
type prediction struct {
	results [][]array
	events  []event
}

// Limits of a run, so that programs stay small.
const (
	maxSteps  = 3000
	maxEvents = 300
)

var errTooLong = errors.New("the program takes too long")

// predict interprets the program. The inputs are those of each device.
func (p *program) predict(inputs [][]array) (out prediction, err error) {
	defer func() {
		if r := recover(); r == errTooLong {
			err = errTooLong
		} else if r != nil {
			panic(r)
		}
	}()
	lockstep := [][]int{}
	for d := range inputs {
		if p.profile.once || p.profile.mesh {
			lockstep = [][]int{append(slices.Concat(lockstep...), d)}
		} else {
			lockstep = append(lockstep, []int{d})
		}
	}
	for _, devices := range lockstep {
		m := &interpreter{program: p, devices: devices, values: map[*variable][]array{}}
		main := p.main()
		for i, v := range main.params {
			for _, d := range devices {
				m.values[v] = append(m.values[v], inputs[d][i])
			}
		}
		m.run(main.body)
		for k := range devices {
			var results []array
			for _, v := range main.body.results {
				results = append(results, m.values[v][k])
			}
			out.results = append(out.results, results)
		}
		out.events = append(out.events, m.events...)
	}
	return out, nil
}

// set copies values to other variables, all at once.
func (m *interpreter) set(to, from []*variable) {
	var values [][]array
	for _, v := range from {
		values = append(values, m.values[v])
	}
	for i, v := range to {
		m.values[v] = values[i]
	}
}

// number returns a scalar that is the same on all devices.
func (m *interpreter) number(v *variable) int64 {
	all := m.values[v]
	for _, a := range all {
		if !same(a, all[0]) {
			panic(fmt.Sprintf("seed %d: the devices take different branches at v%d", m.program.seed, v.number))
		}
	}
	return all[0].data[0]
}

func (m *interpreter) run(b *block) {
	for _, s := range b.steps {
		if m.steps++; m.steps > maxSteps || len(m.events) > maxEvents {
			panic(errTooLong)
		}
		switch s := s.(type) {
		case *compute:
			var out []array
			for k := range m.devices {
				out = append(out, s.evaluate(m.of(s.args, k)))
			}
			m.values[s.out] = out
		case *call:
			m.call(s)
		case *branch:
			n := m.number(s.on)
			if s.isCase && (n < 0 || n >= int64(len(s.blocks))) {
				n = int64(len(s.blocks) - 1)
			} else if !s.isCase {
				n = 1 - n
			}
			m.run(s.blocks[n])
			m.set(s.out, s.blocks[n].results)
		case *loop:
			m.loop(s)
		case *invoke:
			m.set(s.function.params, s.args)
			m.run(s.function.body)
			m.set(s.out, s.function.body.results)
		case *manual:
			m.manual(s)
		}
	}
}

// of returns the values that a device has.
func (m *interpreter) of(list []*variable, device int) (values []array) {
	for _, v := range list {
		values = append(values, m.values[v][device])
	}
	return values
}

func (m *interpreter) loop(s *loop) {
	m.set(s.state, s.init)
	for i := int64(0); ; i++ {
		m.values[s.counter] = slices.Repeat([]array{{kind{s32, scalar}, []int64{i}}}, len(m.devices))
		if s.cond != nil {
			m.run(s.cond)
			if m.number(s.cond.results[0]) == 0 {
				break
			}
		} else if i >= m.number(s.limit) {
			break
		}
		m.run(s.body)
		m.set(s.state, s.body.results)
	}
	m.set(s.out, s.state)
}

func (m *interpreter) call(s *call) {
	if s.cond != nil && m.number(s.cond) == 0 {
		return
	}
	var out [][]array // of each device
	for k, d := range m.devices {
		args := m.of(s.args, k)
		if one := s.policy == once || s.policy == gather; !s.optional && (!one || d == s.device) {
			m.events = append(m.events, event{device: d, site: s.recorded(), name: s.name, args: textOf(args)})
		}
		out = append(out, s.answer(args))
	}
	for k := range m.devices {
		switch {
		case s.policy == gather, s.policy == once && (s.whole || s.form == answers):
			out[k] = out[slices.Index(m.devices, s.device)]
		case s.policy == once && m.devices[k] != s.device: // replicas keep what they pass through
			out[k] = m.of(s.args, k)
		}
	}
	for i, v := range s.out {
		m.values[v] = nil
		for k := range m.devices {
			m.values[v] = append(m.values[v], out[k][i])
		}
	}
	if s.tapped {
		for _, v := range s.out {
			m.events = append(m.events, event{device: m.devices[0], name: inserted, args: textOf(m.values[v][:1])})
		}
	}
}

// recorded returns the site that the function sees. Pure calls have none, so that equal ones are merged.
func (s *call) recorded() int {
	if s.form == pure {
		return 0
	}
	return s.site
}

// answer returns the results of a call.
func (s *call) answer(args []array) []array {
	if s.optional {
		return args
	}
	var kinds []kind
	for _, v := range s.out {
		kinds = append(kinds, v.kind)
	}
	return behave(s.form, s.name, s.site, args, kinds)
}

// behave returns what a function answers.
func behave(f form, name string, site int, args []array, kinds []kind) (out []array) {
	switch {
	case f == answers:
		return pick(site, args, kinds)
	case f == pure, changes[name]:
		for _, a := range args {
			out = append(out, halve(a))
		}
		return out
	}
	return args
}

func (m *interpreter) manual(s *manual) {
	for i, v := range s.params {
		m.values[v] = nil
		for k := range m.devices {
			a := m.values[s.args[i]][k]
			if s.split[i] {
				a = part(a, m.devices[k], len(m.devices))
			}
			m.values[v] = append(m.values[v], a)
		}
	}
	m.run(s.body)
	for i, v := range s.out {
		parts := m.values[s.body.results[i]]
		whole := parts[0]
		if s.joined[i] {
			whole = array{kind: v.kind}
			for _, a := range parts {
				whole.data = append(whole.data, a.data...)
			}
		}
		m.values[v] = slices.Repeat([]array{whole}, len(m.devices))
	}
}

// part returns the rows of an array that one of n devices has.
func part(a array, device, n int) array {
	size := len(a.data) / n
	return array{kind{a.kind.elem, half}, a.data[device*size : (device+1)*size]}
}

// spoil makes the interpreter leave out a call that the program makes.
func (p *program) spoil() {
	want, err := p.predict(p.inputs(0))
	if err != nil || len(want.events) == 0 {
		return
	}
	for _, c := range p.calls() {
		if c.form == tap || c.form == answers && len(c.out) == 0 {
			if slices.ContainsFunc(want.events, func(e event) bool { return e.site == c.site }) {
				c.optional = true
				return
			}
		}
	}
}
