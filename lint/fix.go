package lint

import "github.com/calliope-mlir/calliope/mlir"

// A Fix is the one repair of a finding. It changes the operation of the finding, or, with Migrate, ReplaceLegacy
// and Prepare, the whole module. It is valid without the repairs of other findings, unless the library refuses the
// text. The zero Fix repairs nothing.
type Fix struct {
	Message string // what it does, for example "add has_side_effect = true"
	// Set has attributes to set, by name, in MLIR's text form.
	Set map[string]string `json:",omitempty"`
	// Remove has the names of attributes to remove.
	Remove []string `json:",omitempty"`
	// Erase removes the operation. Its results must have no uses, except by other operations
	// that findings of the same rule erase.
	Erase bool `json:",omitempty"`
	// Migrate rewrites the module with passes.Migrate.
	Migrate bool `json:",omitempty"`
	// ReplaceLegacy rewrites the module with passes.ReplaceLegacy.
	ReplaceLegacy bool `json:",omitempty"`
	// Prepare rewrites the module with passes.Prepare.
	Prepare bool `json:",omitempty"`
	// Unsafe says that the program does something else after it: it makes other calls, or XLA computes other
	// values. Otherwise it computes, calls and sends the same.
	Unsafe bool `json:",omitempty"`
}

// Whole reports whether the repair changes the whole module.
func (f *Fix) Whole() bool { return f.Migrate || f.ReplaceLegacy || f.Prepare }

// ReportFix is Report for a finding that has a repair.
func (p *Pass) ReportFix(at mlir.Operation, severity mlir.Severity, fix Fix, format string, args ...any) {
	p.Report(at, severity, format, args...)
	p.check.found[len(p.check.found)-1].Fix = &fix
}
