package programs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An order has the calls of some runs by what is certain about them.
type order struct {
	ordered map[string][]string // by effect and device: this order
	loose   map[string]int      // any order, this number
	pure    map[string]int      // any order, at most this number
}

// orderOf sorts calls. It has an error for one that is not in the program.
func (p *program) orderOf(events []event) (order, error) {
	o := order{map[string][]string{}, map[string]int{}, map[string]int{}}
	calls := map[int]*call{}
	effects := map[string]bool{}
	for _, c := range p.calls() {
		calls[c.site] = c
		effects[c.effect] = true
	}
	for _, e := range events {
		text := fmt.Sprintf("run %d: %v", e.run, e)
		c := calls[e.site]
		if c == nil && e.site != 0 {
			return o, fmt.Errorf("a call of site %d, which the program lacks: %s", e.site, text)
		}
		devices := []int{e.device}
		if c != nil && c.policy != "" { // the devices wait for the one that calls
			for d := range p.profile.devices {
				if d != e.device && !strings.HasSuffix(e.name, async) {
					devices = append(devices, d)
				}
			}
			text += fmt.Sprintf(" on device %d", e.device)
		}
		for _, d := range devices {
			on := "" // also if several runs are on several devices, which their effects order
			if p.profile.devices > 0 || strings.HasSuffix(e.name, async) {
				on = fmt.Sprintf("device %d, ", d)
			}
			switch {
			case e.name == inserted:
				o.ordered[on+inserted] = append(o.ordered[on+inserted], text)
			case e.site == 0:
				o.pure[text]++
			case p.profile.old:
				o.ordered[on] = append(o.ordered[on], text)
			default:
				key := keyOf(c.form, e.name, c.effect)
				if key.loose && c.policy == "" {
					o.loose[on+text]++
				} else if key.loose {
					o.loose[text]++
				}
				for effect := range effects {
					if !key.loose && (effect == c.effect || c.effect == allEffects) {
						of := fmt.Sprintf("%seffect %q, queued %t", on, effect, key.async)
						o.ordered[of] = append(o.ordered[of], text)
					}
				}
			}
		}
	}
	return o, nil
}

// compare returns how the calls differ from those that were predicted. After a fault, calls may be missing, but not
// those before it.
func (p *program) compare(want, got []event, after *fault) error {
	w, err := p.orderOf(want)
	if err != nil {
		return err
	}
	g, err := p.orderOf(got)
	if err != nil {
		return err
	}
	for _, of := range sortedKeys(w.ordered, g.ordered) {
		a, b := w.ordered[of], g.ordered[of]
		switch {
		case after == nil:
		case of == fmt.Sprintf("effect %q, queued false", after.effect):
			a = a[:after.at]
		default:
			a = a[:min(len(a), len(b))]
		}
		if !slices.Equal(a, b) {
			return fmt.Errorf("the ordered calls of %s differ:\nwant\n  %s\ngot\n  %s", of, strings.Join(a, "\n  "),
				strings.Join(b, "\n  "))
		}
	}
	for _, text := range sortedKeys(w.loose, g.loose) {
		if a, b := w.loose[text], g.loose[text]; a != b && (after == nil || b > a) {
			return fmt.Errorf("the call without an order %q was made %d times, want %d", text, b, a)
		}
	}
	for _, text := range sortedKeys(w.pure, g.pure) {
		if a, b := w.pure[text], g.pure[text]; b > a && !p.movesPure() {
			return fmt.Errorf("the pure call %q was made %d times, want at most %d", text, b, a)
		}
	}
	return nil
}

// movesPure reports whether the compiler may make pure calls with arguments that the program does not have: those of
// branches and loops may be made before it is known that they run, and those of a mesh on parts.
func (p *program) movesPure() bool {
	moves := p.profile.mesh
	for _, c := range p.calls() {
		moves = moves || c.form == pure && !slices.Contains(p.main().body.steps, step(c))
	}
	return moves
}

func sortedKeys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
