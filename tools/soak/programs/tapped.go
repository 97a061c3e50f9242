package programs

import (
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// built builds a program.
func built(c *mlir.Context, p *program, _ *rand.Rand) (*mlir.Module, func() error, error) {
	m, err := p.build(c, registryName, nil)
	return m, nil, err
}

// tapped builds a program and inserts taps after the results of some of its calls, which are expected, and after other
// values. It may strip them again.
func tapped(c *mlir.Context, p *program, r *rand.Rand) (*mlir.Module, func() error, error) {
	m, err := p.build(c, registryName, nil)
	if err != nil {
		return nil, nil, err
	}
	sites := map[string]int{}
	for _, call := range p.tappable() {
		if r.IntN(2) == 0 {
			call.tapped = true
			sites[siteText(call.site)] = len(call.out)
		}
	}
	some := func(v mlir.Value) bool { return r.IntN(3) == 0 }
	results := func(v mlir.Value) bool {
		if !v.IsResult() {
			return false
		}
		call, ok := callop.AsCall(v.Owner())
		return ok && v.Index() < sites[call.Config.Transforms]
	}
	_, err = passes.InsertTap(m, results, passes.TapOptions{
		Config: contract.Config{Callback: inserted, Registry: registryName, Effect: inserted},
	})
	if err == nil && r.IntN(2) == 0 {
		_, err = passes.InsertTap(m, some,
			passes.TapOptions{Config: contract.Config{Callback: watching, Registry: registryName}, Unordered: true})
	}
	if err == nil && r.IntN(4) == 0 {
		_, err = passes.StripTaps(m, func(c callop.Call) bool { return c.Config.Callback == inserted })
		for _, call := range p.calls() {
			call.tapped = false
		}
	}
	if err == nil && p.tokens {
		_, err = passes.AddRuntimeTokens(m)
	}
	if err == nil {
		err = passes.Prepare(m, passes.PrepareOptions{})
	}
	return m, nil, err
}

// tappable returns the calls whose taps have an order: those in conditions have none.
func (p *program) tappable() (list []*call) {
	loose := map[step]bool{}
	invoked := false
	for _, f := range p.functions {
		f.body.each(func(s step) {
			if l, ok := s.(*loop); ok && l.cond != nil {
				l.cond.each(func(s step) {
					_, calls := s.(*invoke)
					loose[s], invoked = true, invoked || calls
				})
			}
		})
	}
	for _, f := range p.functions {
		if invoked && f != p.main() {
			continue
		}
		f.body.each(func(s step) {
			if c, ok := s.(*call); ok && !loose[s] && c.form != pure {
				list = append(list, c)
			}
		})
	}
	return list
}
