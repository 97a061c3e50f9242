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
	// Compile calls Artifact, or ArtifactWithoutPlacement of a [PlacedProgram], once, on the
	// goroutine of its caller. It does not write to the result.
	Artifact(version string) ([]byte, error)
}

// An OrderedProgram is a Program that knows which values of its module are runtime tokens: see
// [Sequence]. stablehlo.Program returns one. Compile cannot see the marks in the bytes of a
// [Source], so it takes the tokens of a Source for ordinary parameters and results.
type OrderedProgram interface {
	Program
	// RuntimeTokens returns the effects whose runtime tokens are the last parameters and the
	// last results of the module, in their order. It returns nil if there are none. Compile
	// calls it once, after Artifact.
	RuntimeTokens() ([]string, error)
}

// A PlacedProgram is a Program that can leave out hints about the memory in which a value is.
// stablehlo.Program returns one.
type PlacedProgram interface {
	Program
	// ArtifactWithoutPlacement is Artifact without the custom calls that only place a value in
	// a memory, such as JAX's annotate_device_placement. On CPU, which has one memory, they do
	// nothing, but some plugins have no implementation of them. Compile calls it instead of
	// Artifact, except for a client for GPUs. It cannot do this for a [Source].
	ArtifactWithoutPlacement(version string) ([]byte, error)
}

// artifactOf returns the form of a program for the client's platform. A GPU has more than one
// memory.
func (c *Client) artifactOf(p Program) ([]byte, error) {
	if placed, ok := p.(PlacedProgram); ok && c.pinned == nil {
		return placed.ArtifactWithoutPlacement(c.plugin.stablehlo)
	}
	return p.Artifact(c.plugin.stablehlo)
}

// A Source is the text, the bytecode or the portable artifact of a module.
type Source []byte

// Artifact returns s itself, for every version.
func (s Source) Artifact(version string) ([]byte, error) { return s, nil }
