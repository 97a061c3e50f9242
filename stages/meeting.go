package stages

import (
	"context"
	"fmt"
	"slices"
)

// A meeting is the execution of a stage by all replicas together.
type meeting struct {
	in   [][]*value // by replica; nil before it comes
	here int        // number of replicas that have come
	over chan struct{}
	out  []*value // of all replicas
	err  error
}

// meet executes a stage with the other replicas.
func (r *run) meet(s *Stage, in []*value) ([]*value, error) {
	e := r.execution
	e.mu.Lock()
	m := e.meetings[s]
	if m == nil {
		m = &meeting{in: make([][]*value, e.program.replicas), over: make(chan struct{})}
		e.meetings[s] = m
	}
	m.in[r.replica] = in
	m.here++
	all := m.here == len(m.in)
	if all {
		delete(e.meetings, s)
	} else {
		e.desert()
	}
	e.mu.Unlock()
	if all {
		m.out, m.err = e.together(s, m.in)
		close(m.over)
	} else if err := e.wait(s, m); err != nil {
		return nil, err
	}
	if m.err != nil {
		return nil, m.err
	}
	n := len(m.out) / len(m.in)
	return m.out[r.replica*n:][:n], nil
}

// wait waits for the end of a meeting. Once all have come, it waits even if the context ends, because their inputs are
// in use. If they have not, it ends the meeting, so that nobody computes what would have no owner.
func (e *execution) wait(s *Stage, m *meeting) error {
	select {
	case <-m.over:
		return nil
	case <-e.ctx.Done():
	}
	e.mu.Lock()
	all := m.here == len(m.in)
	if !all && e.meetings[s] == m {
		delete(e.meetings, s)
	}
	e.mu.Unlock()
	if !all {
		return context.Cause(e.ctx)
	}
	<-m.over
	return nil
}

// together executes a stage on all replicas. Devices may not begin two such executions in different orders.
func (e *execution) together(s *Stage, in [][]*value) ([]*value, error) {
	at := make([]Device, len(in))
	for i := range at {
		at[i] = e.program.device(s.Device, i)
	}
	e.program.together.Lock()
	defer e.program.together.Unlock()
	return e.program.compiled[s.number].run(e.ctx, at, slices.Concat(in...), s.donate)
}

// leave records that a replica has ended.
func (e *execution) leave(replica int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended[replica] = true
	e.desert()
}

// desert ends the meetings to which a replica that has ended will not come.
func (e *execution) desert() {
	for s, m := range e.meetings {
		for i, in := range m.in {
			if in == nil && e.ended[i] {
				m.err = fmt.Errorf("replica %d has ended without it, and other replicas wait: all must come to a collective operation", i)
				delete(e.meetings, s)
				close(m.over)
				break
			}
		}
	}
}
