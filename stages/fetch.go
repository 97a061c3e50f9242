package stages

import "slices"

// fetches finds the devices to which values of a body, and of those in it, have to move. It is called when the stages
// have their devices, if there are several.
func (b *body) fetches() {
	b.fetch = make([][]int, len(b.shapes))
	for _, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			for _, v := range s.in {
				if d := s.stage.Device; !slices.Contains(b.fetch[v], d) {
					b.fetch[v] = append(b.fetch[v], d)
				}
			}
		case *branchStep:
			for _, inner := range s.bodies {
				inner.fetches()
			}
		case *loopStep:
			s.cond.fetches()
			s.body.fetches()
		}
	}
}

// send begins to move a value to the devices of the stages that need it, which may still wait for other values.
func (a *activation) send(i int, v *value) {
	for _, d := range a.body.fetch[i] {
		at := a.program.place(d, a.replica)
		if at.client == nil || v.isAt(at) {
			continue
		}
		v.retain(1)
		a.all.Go(func() {
			_, _ = v.on(a.ctx, at) // the stage gets the error when it asks again
			release(v)
		})
	}
}
