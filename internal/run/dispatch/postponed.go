package dispatch

import (
	"slices"
	"time"
)

// postponed is the last call of a call site on a device that Options.PerSecond did not let pass. It is
// made when its turn comes, or before a barrier, unless the call site makes a later call before.
type postponed struct {
	call  *task
	timer *time.Timer
}

// postpone keeps a call, whose frame is read, for a duration.
func (s *Slot) postpone(c *Call, r *Run, wait time.Duration) error {
	fn, ctx, err := s.prepare(c)
	if err != nil {
		return s.settle(c, r, err)
	}
	t := s.newTask(c, *fn, r.detached(ctx))
	g := r.taps()
	t.origin, t.lane = nil, g.lane(c.Device)
	g.postponedMu.Lock()
	defer g.postponedMu.Unlock()
	if p := g.takePostponed(s, c.Device); p != nil {
		p.call.drop()
	}
	p := &postponed{call: t}
	p.timer = time.AfterFunc(wait, func() { g.retry(p) })
	g.postponed = append(g.postponed, p)
	return c.from.Finish(nil, false)
}

// overtake drops what is postponed of a call site, which makes a later call.
func (s *Slot) overtake(c *Call, r *Run) {
	g := r.taps()
	g.postponedMu.Lock()
	defer g.postponedMu.Unlock()
	if p := g.takePostponed(s, c.Device); p != nil {
		p.call.drop()
	}
}

// takePostponed removes what is postponed of a call site on a device, if anything is. The caller holds
// the lock.
func (g *Group) takePostponed(s *Slot, device int) *postponed {
	i := slices.IndexFunc(g.postponed, func(p *postponed) bool { return p.call.slot == s && p.call.device == device })
	if i < 0 {
		return nil
	}
	p := g.postponed[i]
	p.timer.Stop()
	g.postponed = slices.Delete(g.postponed, i, i+1)
	return p
}

// retry makes a postponed call if it may be made now.
func (g *Group) retry(p *postponed) {
	g.postponedMu.Lock()
	defer g.postponedMu.Unlock()
	if !slices.Contains(g.postponed, p) {
		return
	}
	s := p.call.slot
	if wait := s.binding.Wait(s.perSecond); wait > 0 {
		p.timer.Reset(wait)
		return
	}
	g.takePostponed(s, p.call.device)
	p.call.queue()
}

// hurry makes what is postponed on a device.
func (g *Group) hurry(device int) {
	g.postponedMu.Lock()
	defer g.postponedMu.Unlock()
	for _, p := range slices.Clone(g.postponed) {
		if device == allDevices || p.call.device == device {
			g.takePostponed(p.call.slot, p.call.device).call.queue()
		}
	}
}

// queue makes a postponed call like an async one. Its time begins now.
func (c *task) queue() {
	if c.slot.measure {
		c.started = time.Now()
	}
	c.slot.queued(1)
	c.lane.push(queued{call: c})
}

// drop ends a call that is not made.
func (c *task) drop() {
	c.slot.counts.dropped.Add(1)
	c.started = time.Time{} // it is not measured
	c.end()
	c.recycle()
}
