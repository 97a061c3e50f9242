package bridge

import (
	"bytes"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
)

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

// A JAXProgram is a Program that knows the calls of JAX's callbacks in its module, against which Compile
// checks [CompileOptions].JAXCallbacks. stablehlo.Program returns one, and a [Source] is one.
type JAXProgram interface {
	Program
	// Indices returns the values of the attribute index of the module's custom calls of these
	// targets. It returns nil if they are not known.
	Indices(targets []string) ([]uint64, error)
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

// A SimplifiedProgram is a Program that knows which of its operations XLA's simplification takes for others with
// a different value. stablehlo.Program returns one.
type SimplifiedProgram interface {
	Program
	// Simplified describes these operations, with their places. Compile calls it once, after Artifact, unless
	// CompileOptions.Exact is set, and logs the first one.
	Simplified() []string
}

// warnSimplified logs that XLA computes something else than a program says.
func warnSimplified(p Program, flags map[string]string) {
	simplified, ok := p.(SimplifiedProgram)
	if !ok || strings.Contains(flags[disabledPasses], "algsimp") {
		return
	}
	if list := simplified.Simplified(); len(list) > 0 {
		slog.Warn("bridge: Compile: XLA simplifies a part of the module that has another value then; CompileOptions.Exact prevents it",
			"operation", list[0], "operations", len(list))
	}
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

var indexAttribute = regexp.MustCompile(`\bindex = (\d+) : ui64`)

// Indices implements [JAXProgram] for a text. Those of bytecode are not known.
func (s Source) Indices([]string) ([]uint64, error) {
	if bytes.HasPrefix(s, []byte("ML\xefR")) {
		return nil, nil
	}
	list := []uint64{}
	for _, match := range indexAttribute.FindAllSubmatch(s, -1) {
		if index, err := strconv.ParseUint(string(match[1]), 10, 64); err == nil {
			list = append(list, index)
		}
	}
	return list, nil
}
