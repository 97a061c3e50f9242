package contract

import (
	"errors"
	"fmt"
	"strings"
)

// A Config is the content of a callback's backend_config. Its fields are what most callbacks have. What few have is in
// structs, which are zero for the others.
type Config struct {
	Form Form

	// Callback is the name by which the callback is bound. Signature is then the
	// SignatureHash of the call's operands and results, or empty for no check.
	Callback, Signature string
	// ID binds a callback without a name, in one process.
	ID int64
	// Registry is the name of the callback's registry. "" is the default one.
	Registry string

	// NumIDs and NumTokens are the numbers of ids and tokens among the operands, after the data.
	NumIDs, NumTokens int

	Effect   string // the effect that orders the callback
	Policy   Policy // which devices call
	Every    int64  // call only every n-th time, counted over all runs and devices; 0 and 1 are each time
	Optional bool   // does nothing if no callback is bound

	Transforms string // what was done to the operation: see EncodeTransforms, or any text for users to read
	Loc        string // Go file and line of the operation: the call frame has no location

	Derivative Derivative // what computes the derivative
	Batching   Batching   // how the callback is called for a batch
	Legacy     Legacy     // the custom call of XLA's old conventions that the call stands for
	Host       Host       // how another host names the callback, in place of a name and of all else but the Form
}

// ByName reports whether the callback is bound by its name.
func (c Config) ByName() bool { return c.Callback != "" }

// Name returns the name of the callback in errors and logs: its name, "id N", or "opaque id"
// and the bytes in hex.
func (c Config) Name() string {
	switch {
	case c.ByName():
		return c.Callback
	case c.Host.Opaque != "" && c.Host.Server != "":
		return fmt.Sprintf("opaque id %x of server %x", c.Host.Opaque, c.Host.Server)
	case c.Host.Opaque != "":
		return fmt.Sprintf("opaque id %x", c.Host.Opaque)
	}
	return fmt.Sprintf("id %d", c.ID)
}

// Validate returns an error if a Config is not valid.
func (c Config) Validate() error {
	if err := c.Form.check(); err != nil {
		return err
	}
	switch {
	case c.Host.Encoding != EncodingDictionary:
		return c.validateFurther()
	case c.Host != (Host{}):
		return errors.New("contract: an opaque id needs another encoding: EncodingWords or EncodingServer")
	case c.Callback != "" && c.ID != 0:
		return fmt.Errorf("contract: callback %q has the id %d too: it is bound by one of them", c.Callback, c.ID)
	case c.Callback == "" && c.ID <= 0:
		return errors.New("contract: a callback needs a name (key \"callback\") or a positive id (key \"callback_id\")")
	case c.Callback == "" && c.Signature != "":
		return errors.New("contract: a signature belongs to a callback that is bound by name")
	case c.NumIDs < 0:
		return fmt.Errorf("contract: n_ids %d cannot be negative", c.NumIDs)
	case c.NumTokens < 0:
		return fmt.Errorf("contract: n_tokens %d cannot be negative", c.NumTokens)
	case c.Every < 0:
		return fmt.Errorf("contract: every %d cannot be negative: 3 is every third call, 0 is each", c.Every)
	}
	if c.Every > 1 && c.Form.Target() == TargetRuntimeCall {
		return fmt.Errorf("contract: callback %q cannot be called every %d-th time only: its results are needed each time", c.Name(), c.Every)
	}
	if err := c.validateLegacy(); err != nil {
		return err
	}
	if err := c.validateDerivative(); err != nil {
		return err
	}
	if err := c.validateBatching(); err != nil {
		return err
	}
	d := c.Derivative
	for _, text := range []string{
		c.Callback, c.Signature, c.Registry, c.Effect, string(c.Policy), c.Transforms, c.Loc,
		string(d.JVP), string(d.VJP), string(d.Transpose), string(c.Batching.Method),
	} {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("contract: %q contains a NUL, which XLA does not pass on", text)
		}
	}
	return nil
}
