package finding

// A Fix is the one repair of a finding. It changes the operation of the finding, or, with Migrate, ReplaceLegacy and
// Prepare, the whole module. It is valid without the repairs of other findings, unless the library refuses the text.
// The zero Fix repairs nothing.
type Fix struct {
	Message string `json:"message"` // what it does, for example "add has_side_effect = true"
	// Edits make the repair in the text. The command sets them, if the repair is local to some lines.
	Edits []Edit `json:"edits,omitempty"`
	// Unsafe says that the program does something else after it: it makes other calls, or XLA computes other values.
	// Otherwise it computes, calls and sends the same.
	Unsafe bool `json:"unsafe,omitempty"`

	// What follows is not in reports.

	// Set has attributes to set, by name, in MLIR's text form.
	Set map[string]string `json:"set,omitempty"`
	// Remove has the names of attributes to remove.
	Remove []string `json:"remove,omitempty"`
	// Erase removes the operation. Its results must have no uses, except by other operations that findings of the same
	// rule erase.
	Erase bool `json:"erase,omitempty"`
	// Migrate rewrites the module with passes.Migrate.
	Migrate bool `json:"migrate,omitempty"`
	// ReplaceLegacy rewrites the module with passes.ReplaceLegacy.
	ReplaceLegacy bool `json:"replaceLegacy,omitempty"`
	// Prepare rewrites the module with passes.Prepare.
	Prepare bool `json:"prepare,omitempty"`
}

// Whole reports whether the repair changes the whole module, together with all others of its rule.
func (f *Fix) Whole() bool { return f.Migrate || f.ReplaceLegacy || f.Prepare }

// Title returns the message, and says so if the repair is not safe.
func (f *Fix) Title() string {
	if f.Unsafe {
		return f.Message + " (changes what the program does)"
	}
	return f.Message
}

// An Edit replaces a range of a text file. Lines and columns count from 1, columns in bytes, and the end is exclusive.
type Edit struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text"`
	// Characters are the two columns in characters, which SARIF counts. They are not in JSON reports.
	Characters [2]int `json:"characters,omitzero"`
}
