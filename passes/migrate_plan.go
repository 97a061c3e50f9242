package passes

import "github.com/calliope-mlir/calliope/mlir"

// A MigratePlan is what Migrate would do with a module. It is valid until the module changes.
type MigratePlan struct{ g *migration }

// PlanMigrate returns what Migrate would do with a module. It does not change the module.
func PlanMigrate(m *mlir.Module, o MigrateOptions) *MigratePlan {
	if o.Callback == nil {
		o.Callback = callTarget
	}
	g := &migration{module: m, options: o}
	g.scan()
	return &MigratePlan{g}
}

// Leaves returns the reason why Migrate leaves an operation with a token as it is. It returns
// "" if Migrate replaces or removes the operation.
func (p *MigratePlan) Leaves(op mlir.Operation) string {
	if reason := p.g.reasons[op]; reason != "" {
		return reason
	}
	for _, values := range [][]mlir.Value{op.ResultValues(), op.OperandValues()} {
		for _, v := range values {
			if p.g.tokens.Holds(v.Type()) {
				if reason := p.g.tokens.keeps(v); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

// A Hook is a flag that an outfeed sends, and the outfeeds or the infeed that belong to it, or
// an outfeed or infeed without a flag.
type Hook struct {
	Flag   int  // or -1; 0 ends the program
	Header bool // the flag is the id in a header of JAX's host_callback
	// Feeds has the outfeed with the flag, if there is one, and then those of the values.
	Feeds []mlir.Operation
}

// Hooks returns the hooks of a module in the order of the text, as Migrate recognises them.
func (p *MigratePlan) Hooks() []Hook {
	of := map[*site]*packet{}
	for _, flag := range p.g.flags {
		of[flag.site] = flag
	}
	var hooks []Hook
	for _, s := range p.g.feeds {
		h := Hook{Flag: -1, Feeds: s.feeds}
		if flag := of[s]; flag != nil {
			h.Flag, h.Header = flag.flag, flag.once
		}
		hooks = append(hooks, h)
	}
	return hooks
}
