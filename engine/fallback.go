package engine

import "fmt"

// A Fallback is what becomes of a module, or of a part of one, that its engine refuses with a *[RefusedError].
type Fallback uint8

const (
	// FallbackWarn has StableHLO's interpreter run it, hundreds of times slower, and logs the reason.
	FallbackWarn Fallback = iota
	// FallbackOff makes it an error.
	FallbackOff
	// FallbackOn has the interpreter run it, and logs nothing.
	FallbackOn
)

var fallbacks = []string{FallbackWarn: "warn", FallbackOff: "off", FallbackOn: "on"}

// String returns the word for it: warn, off or on.
func (f Fallback) String() string {
	if int(f) < len(fallbacks) {
		return fallbacks[f]
	}
	return fmt.Sprintf("Fallback(%d)", uint8(f))
}

// ParseFallback returns the Fallback that a word stands for.
func ParseFallback(word string) (Fallback, error) {
	for f, w := range fallbacks {
		if w == word {
			return Fallback(f), nil
		}
	}
	return 0, fmt.Errorf("engine: %q is no fallback: use off, warn or on", word)
}
