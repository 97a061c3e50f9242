package passes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// MigrateOptions are the options of Migrate. The zero value is useful.
type MigrateOptions struct {
	Effect   string // effect of the callbacks: all of them share it
	Registry string // registry of the callbacks that Migrate makes
	// Callback returns the name of the callback that replaces a stablehlo.custom_call with
	// side effects. A call for which it returns "" stays, and is in MigrateResult.Skipped. It is
	// not called for callbacks of the contract and for targets of XLA itself. Nil means the target of the call, or ""
	// if the call has attributes for the handler of its target, which a callback does not get.
	Callback func(mlir.Operation) string
	// Keep returns why an operation must stay, or "" if it may go. What is connected with its tokens
	// stays, too. It is called before the module changes. Nil keeps nothing.
	Keep func(mlir.Operation) string
}

// A MigrateResult states what Migrate did.
type MigrateResult struct {
	// Callbacks has the calls that are ordered now, in the order of the text.
	Callbacks []Migrated
	// Skipped has the operations that were not recognised, or are kept, in the order of the text. The
	// module still has them.
	Skipped []Skipped
	// Tokens is the number of removed operations that created or joined tokens.
	Tokens int
}

// A Migrated is a callback that Migrate made or ordered.
type Migrated struct {
	Name string // the callback's name, or "id N"
	// From is the name of the operation that it was: stablehlo.outfeed, stablehlo.infeed or
	// stablehlo.custom_call.
	From     string
	Location mlir.Location
}

// A Skipped is an operation that Migrate left as it was.
type Skipped struct {
	Operation string // its name
	Location  mlir.Location
	Reason    string
}

// String returns the place, the name and the reason.
func (l Skipped) String() string {
	if p := l.Location.Position(); !p.IsZero() {
		return fmt.Sprintf("%s: %s: %s", p, l.Operation, l.Reason)
	}
	return l.Operation + ": " + l.Reason
}

// Migrate replaces the host calls of older programs by callbacks that are bound by name, and
// orders all callbacks of the module in one effect. A one-byte token passes through them, as in
// InsertTap, in the order of the text.
//
//   - An outfeed becomes a callback of the observe form. A scalar constant of type ui16 is a flag
//     of EXLA: the outfeeds that follow it on its token, in its block, are the operands of one
//     callback hook_<flag>. The flag 0, which ends a program, becomes nothing. The outfeed
//     directly after another flag is a value, even if it is such a constant. In JAX's
//     host_callback, the constant [271828, id] of type ui32 precedes one outfeed, the operands
//     of hook_<id>. Flags are not operands.
//   - An infeed becomes a call with its results. Directly after a flag it is infeed_<flag>.
//   - Without a flag they are outfeed_<n> and infeed_<n>. Each of the two is counted from 0 in
//     the order of the text, without the numbers of flags of infeeds.
//   - A callback of the contract without a token gets one. Those with a token keep their own
//     order, which is not that of the others. Other custom calls with side effects
//     become callbacks: see MigrateOptions.Callback. Their results are new values of the callback
//     unless they are aliased to the operands.
//
// A condition of a while with callbacks is evaluated before the loop and at the end of its body,
// so that its callbacks are ordered, too.
//
// The old tokens and the operations that create them are removed, also from loops, branches,
// tuples and functions. @main and other functions lose the parameters and results that were
// tokens, with their attributes. If @main changes, its parameters and results that are tuples
// become their elements. Other parameters stay, also unused ones: those of EXLA's callback
// server, for example.
//
// What is not recognised stays, and so do all operations on tokens that are connected with its
// own. If MigrateResult.Skipped is empty, the module has no token type. A module without anything
// to migrate does not change. After an error, it may be changed in part: to keep it, migrate a
// Clone.
func Migrate(m *mlir.Module, o MigrateOptions) (MigrateResult, error) {
	if o.Callback == nil {
		o.Callback = callTarget
	}
	g := &migration{module: m, options: o}
	g.scan()
	result := g.result()
	if err := g.rewrite(); err != nil {
		return result, fmt.Errorf("passes: Migrate: %w", err)
	}
	result.Tokens = g.erased
	return result, m.Verify()
}

// A migration is one run of Migrate.
type migration struct {
	module  *mlir.Module
	options MigrateOptions
	callers callers
	tokens  tokenGraph
	ops     []mlir.Operation // of the module, in the order of the text
	sites   []*site          // in the order of the text
	flags   []*packet        // of the outfeeds that send flags, in the order of the text
	feeds   []*site          // of outfeeds and infeeds, also of those in left
	left    []mlir.Operation
	reasons map[mlir.Operation]string // why an operation is in left
	erased  int
}

// leave records that an operation stays. The first reason counts.
func (g *migration) leave(op mlir.Operation, format string, args ...any) {
	if g.stays(op) {
		return
	}
	if g.reasons == nil {
		g.reasons = map[mlir.Operation]string{}
	}
	g.reasons[op] = fmt.Sprintf(format, args...)
	g.left = append(g.left, op)
}

func (g *migration) stays(op mlir.Operation) bool { return g.reasons[op] != "" }

func (g *migration) result() MigrateResult {
	var r MigrateResult
	for _, op := range g.left {
		r.Skipped = append(r.Skipped, Skipped{op.Name(), op.Location(), g.reasons[op]})
	}
	for _, s := range g.sites {
		if !s.ends {
			r.Callbacks = append(r.Callbacks, Migrated{s.config.Name(), s.op.Name(), s.op.Location()})
		}
	}
	return r
}

// scan finds what can be migrated. It does not change the module.
func (g *migration) scan() {
	g.callers = callersOf(g.module)
	g.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		g.ops = append(g.ops, op)
		return mlir.WalkContinue
	})
	g.tokens.connect(g)
	g.keep()
	g.findFeeds()
	g.findCalls()
	index := map[mlir.Operation]int{}
	for i, op := range g.ops {
		index[op] = i
	}
	slices.SortFunc(g.left, func(a, b mlir.Operation) int { return cmp.Compare(index[a], index[b]) })
	slices.SortFunc(g.sites, func(a, b *site) int { return cmp.Compare(index[a.op], index[b.op]) })
}

// keep leaves what the options keep.
func (g *migration) keep() {
	if g.options.Keep == nil {
		return
	}
	for _, op := range g.ops {
		if reason := g.options.Keep(op); reason != "" {
			g.leave(op, "%s", reason)
			g.tokens.keepAll(op,
				fmt.Sprintf("its token is also that of %s%s, which stays: %s", op.Name(), atPlace(op), reason))
		}
	}
}

// atPlace returns the place of an operation after the word at, if it is known.
func atPlace(op mlir.Operation) string {
	if p := op.Location().Position(); !p.IsZero() {
		return " at " + p.String()
	}
	return ""
}

// rewrite changes the module.
func (g *migration) rewrite() error {
	dead := g.tokens.dead(g)
	if len(g.sites) == 0 && !dead {
		return nil
	}
	for _, s := range g.sites {
		if err := g.replace(s); err != nil {
			return err
		}
	}
	if err := g.removeTokens(); err != nil {
		return err
	}
	if err := flattenMain(g.module); err != nil {
		return err
	}
	if len(g.sites) == 0 {
		return nil
	}
	return threadCalls(g.module, g.options.Effect)
}
