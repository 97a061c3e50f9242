package contract

import (
	"errors"
	"fmt"
	"strings"
)

// Config is what a callback's backend_config says.
type Config struct {
	Form Form

	// Callback is the name that the callback is bound by. Signature is then the
	// SignatureHash of what the module calls it with; empty asks for no check.
	Callback, Signature string
	// ID binds a callback that has no name, for the life of one process.
	ID int64
	// Opaque binds by the bytes of an id that another host made, and Server, which may
	// be empty, by those that name who answers there. See Encoding.
	Opaque, Server string
	// Registry is the name of the registry that holds the callback; "" is the default.
	Registry string

	// NumIDs and NumTokens say how many operands behind the data are ids and tokens.
	NumIDs, NumTokens int

	Effect     string // the effect by which the callback is ordered
	Policy     string // which devices call
	Transforms string // what was done to the operation, for people to read
	Loc        string // Go file and line of the operation: the call frame has no location
	Optional   bool   // with no callback bound it does nothing
	Every      int64  // call every n-th time only, counted over all runs and devices; 0 and 1 are each time

	Encoding Encoding // how all this is written
	Aliased  int      // of EncodingServer: the results that pass operands through
}

// ByName reports whether the callback is bound by its name.
func (c Config) ByName() bool { return c.Callback != "" }

// Name is the callback as errors and logs call it: its name, "id N", or "opaque id" and
// the bytes in hex.
func (c Config) Name() string {
	switch {
	case c.ByName():
		return c.Callback
	case c.Opaque != "" && c.Server != "":
		return fmt.Sprintf("opaque id %x of server %x", c.Opaque, c.Server)
	case c.Opaque != "":
		return fmt.Sprintf("opaque id %x", c.Opaque)
	}
	return fmt.Sprintf("id %d", c.ID)
}

// Validate says what is wrong with a Config.
func (c Config) Validate() error {
	if err := c.Form.check(); err != nil {
		return err
	}
	switch {
	case c.Encoding != EncodingDictionary:
		return c.validateFurther()
	case c.Opaque != "" || c.Server != "" || c.Aliased != 0:
		return errors.New("contract: an opaque id needs an encoding of its own: EncodingWords or EncodingServer")
	case c.Callback != "" && c.ID != 0:
		return fmt.Errorf("contract: callback %q has the id %d too: it is bound by one of them", c.Callback, c.ID)
	case c.Callback == "" && c.ID <= 0:
		return errors.New("contract: a callback needs a name (key \"callback\") or a positive id (key \"callback_id\")")
	case c.Callback == "" && c.Signature != "":
		return errors.New("contract: a signature belongs to a callback that is bound by name")
	case c.NumIDs < 0 || c.NumTokens < 0 || c.Every < 0:
		return fmt.Errorf("contract: n_ids %d, n_tokens %d and every %d cannot be negative", c.NumIDs, c.NumTokens, c.Every)
	}
	if c.Every > 1 && c.Form.Target() == TargetRuntimeCall {
		return fmt.Errorf("contract: callback %q cannot be called every %d-th time only: somebody must make its results each time", c.Name(), c.Every)
	}
	for _, text := range []string{c.Callback, c.Signature, c.Registry, c.Effect, c.Policy, c.Transforms, c.Loc} {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("contract: %q contains a NUL, which does not survive the way through XLA", text)
		}
	}
	return nil
}

// Split divides n operands: data first, then ids, then tokens.
func (c Config) Split(n int) (data, ids, tokens int, err error) {
	if min(c.NumIDs, c.NumTokens) < 0 || c.NumIDs > n || c.NumTokens > n-c.NumIDs {
		return 0, 0, 0, fmt.Errorf("contract: callback %q says that %d ids and %d tokens end its operands, but has only %d operands",
			c.Name(), c.NumIDs, c.NumTokens, n)
	}
	return n - c.NumIDs - c.NumTokens, c.NumIDs, c.NumTokens, nil
}
