package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// UnknownTarget reports custom calls of targets that are not in the list of the known ones.
var UnknownTarget = &lint.Analyzer{
	Name:     "unknown-target",
	Doc:      "a custom call has a target that is not in the list of known targets",
	Run:      unknownTarget,
	Severity: finding.Note,
	Details: `Severity: note.

A module with a custom call whose target nobody registers does not compile. The rule needs the list of the targets that
the program registers. Without a list it reports nothing. The targets of the contract, those of JAX's callbacks on
CPU and of its calls of LAPACK, which Calliope serves, and those that XLA serves itself, are known.

Each is a note, with the most similar known name.`,
}

func unknownTarget(p *lint.Pass) error {
	if len(p.KnownTargets) == 0 {
		return nil
	}
	for _, c := range callsOf(p) {
		if c.ours || c.ofXLA() || contract.IsJAXTarget(c.Target) || contract.IsLAPACKTarget(c.Target) ||
			slices.Contains(p.KnownTargets, c.Target) {
			continue
		}
		meant := ""
		if name := nearest.Name(c.Target,
			slices.Values(slices.Concat(p.KnownTargets, contract.Targets(), contract.JAXTargets()))); name != "" {
			meant = " (is it " + quote(name) + "?)"
		}
		p.Report(c.op, finding.Note,
			"the target %q is not known%s: add it to the list of known targets if the program registers it", c.Target, meant)
	}
	return nil
}
