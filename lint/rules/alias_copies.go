package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// AliasCopies reports aliases in spite of which XLA copies the operand.
var AliasCopies = &lint.Analyzer{
	Name:     "alias-copies",
	Doc:      "XLA copies the operand of an alias, because it must not change: an argument, a constant, or a value that is used again",
	Run:      aliasCopies,
	Severity: finding.Note,
	Details: `Severity: note.

A call may write to the memory that a result shares with an operand. If the operand must not change, XLA copies it
first, and the alias saves nothing: an argument that is not donated, a constant, a value that another operation uses and
that need not run before the call, a value from outside of a loop.

    %1 = stablehlo.custom_call @calliope_io_callback(%0) {…aliased…} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %0, %0 : tensor<4xf32>   // uses %0, and not %1

Each is a note with the reason and what to change: use the result of the call in later operations, donate the argument,
or carry the value through the loop. The copy is correct, so nothing has to change.
Tokens of one byte are not reported, nor JAX's calls of LAPACK, which nobody can edit, nor what XLA overwrites in place of a
copy: see xla-overwrites.`,
}

// isToken reports whether an operand is a token of the contract: a copy of it costs nothing.
func (c *call) isToken(operand int64) bool {
	return c.ours && c.as.Err == nil && operand >= int64(len(c.Operands)-c.as.Config.NumTokens)
}

// maxExplained limits the aliased calls that are explained, because the cause of a copy may be far away.
const maxExplained = 1000

func aliasCopies(p *lint.Pass) error {
	x := aliasing.Explainer{Place: p.Place}
	explained := 0
	for _, c := range callsOf(p) {
		if len(c.Aliases) == 0 || contract.IsLAPACKTarget(c.Target) || len(c.aliasErrors()) > 0 {
			continue
		}
		if explained++; explained > maxExplained {
			p.Report(c.op, finding.Note, "the aliases from here on are not checked for copies: the module has more than %d calls with aliases", maxExplained)
			break
		}
		for _, e := range x.Explain(c.op) {
			if c.isToken(e.Alias.OperandIndex) || overwrites(p, c.op, e.Alias.OperandIndex) {
				continue
			}
			if e.Cause != aliasing.NoCopy && e.Cause != aliasing.Unclear {
				p.Report(c.op, finding.Note, "operand %d of the call of @%s shares memory with a result, but %s",
					e.Alias.OperandIndex, c.Target, e.Text)
			}
		}
	}
	return nil
}

// overwrites reports whether XLA forgets the copy of an operand: see XLAOverwrites.
func overwrites(p *lint.Pass, call mlir.Operation, operand int64) bool {
	return slices.ContainsFunc(deviationsOf(p),
		func(d xlafix.Deviation) bool { return d.Op == call && d.Operand == int(operand) })
}
