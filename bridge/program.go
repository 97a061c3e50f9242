package bridge

// A Program is a module that [Client.Compile] can compile: a [Source], or a module in
// memory (see stablehlo.Program). In later versions Compile may use further methods of a
// Program, by optional interfaces.
type Program interface {
	// Artifact returns the module in a form that XLA reads: text, bytecode or a portable
	// artifact. version is the StableHLO version of the plugin, such as "1.13.3": XLA reads
	// portable artifacts of that version and of older ones. It is empty if the plugin does
	// not report a version; then the program chooses one.
	//
	// Compile calls Artifact once, on the goroutine of its caller. It does not write to the
	// result.
	Artifact(version string) ([]byte, error)
}

// A Source is the text, the bytecode or the portable artifact of a module.
type Source []byte

// Artifact returns s itself, for every version.
func (s Source) Artifact(version string) ([]byte, error) { return s, nil }
