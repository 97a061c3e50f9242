package lint

// Options are the options of Check.
type Options struct {
	Analyzers []*Analyzer
	// Strict makes rules report as errors what may be intended, such as tokens that order
	// send and recv. Each rule's Details say what it changes.
	Strict bool
	// KnownTargets are the custom call targets of the program that runs the modules, which
	// rules accept beside those of XLA and of the contract.
	KnownTargets []string
	// TargetStableHLO is the version of StableHLO that the program which runs the modules reads, or "".
	TargetStableHLO string
	// AllowUnregistered are the dialects whose operations a module may have although the library
	// does not have them, or AnyDialect. Types and attributes may be of any dialect if it is not empty.
	AllowUnregistered []string
	// Context sets finding.Finding.Context, which recognizes findings after a file has changed.
	Context bool
}
