package rules

import (
	"errors"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// AliasInvalid reports aliases that cannot be.
var AliasInvalid = &lint.Analyzer{
	Name:  "alias-invalid",
	Relax: hideAliases,
	Doc:   "two values share memory and must not: aliases of one operand or result, or of other types or layouts",
	Run:   aliasInvalid,
	Details: `Severity: error.

output_operand_aliases lets a result use the memory of an operand. The rule reports

- two operands that are aliased to one result,
- one operand that is aliased to two results, which would overwrite each other,
- an operand and a result with different layouts,
- different types, and operands and results that do not exist, which the library itself refuses.

One value then overwrites the other, or the module does not compile. There is no safe repair, because it is not known what
was meant. Aliases are optional: without them XLA copies.

    output_operand_aliases = [
      #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>,
      #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]`,
}

func aliasInvalid(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		for _, e := range c.aliasErrors() {
			if !e.WholeTuple {
				p.Report(c.op, finding.Error, "alias %d of the call of @%s (output %v, operand %d %v): %s",
					e.Index, c.Target, e.Alias.OutputTupleIndices, e.Alias.OperandIndex, e.Alias.OperandTupleIndices,
					e.Reason)
			}
		}
	}
	return nil
}

// aliasErrors returns the mistakes in the aliases of a call.
func (c *call) aliasErrors() []*aliasing.Error {
	if len(c.Aliases) == 0 {
		return nil
	}
	return collect(aliasing.CheckCall(c.CustomCallOp))
}

func collect(err error) (list []*aliasing.Error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			list = append(list, collect(e)...)
		}
	} else if e, ok := errors.AsType[*aliasing.Error](err); ok {
		list = append(list, e)
	}
	return list
}
