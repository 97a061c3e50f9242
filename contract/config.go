package contract

import (
	"errors"
	"fmt"
	"strings"
)

// A Config is the content of a callback's backend_config.
type Config struct {
	Form Form

	// Callback is the name by which the callback is bound. Signature is then the
	// SignatureHash of the call's operands and results, or empty for no check.
	Callback, Signature string
	// ID binds a callback without a name, in one process.
	ID int64
	// Opaque binds by the bytes of an id of another host. Server, which may be empty, has
	// the bytes that name the server there. See Encoding.
	Opaque, Server string
	// Registry is the name of the callback's registry. "" is the default one.
	Registry string

	// NumIDs and NumTokens are the numbers of ids and tokens among the operands, after the data.
	NumIDs, NumTokens int

	Effect     string // the effect that orders the callback
	Policy     string // which devices call
	Transforms string // what was done to the operation: see EncodeTransforms, or any text for users to read
	Loc        string // Go file and line of the operation: the call frame has no location
	Optional   bool   // does nothing if no callback is bound
	Every      int64  // call only every n-th time, counted over all runs and devices; 0 and 1 are each time

	// Legacy is the api_version, 1 to 3, of a custom call of XLA's old conventions that the call
	// stands for. 0 is none. LegacyOpaque has the bytes of its opaque string, and LegacyTuples the
	// tuples of its operands and its result, such as "(.,(.,.),.)->(.,.)", in which each point is an array.
	Legacy                     int64
	LegacyOpaque, LegacyTuples string

	// JVP, VJP and Transpose say what computes the derivative of the call, for package autodiff: the name of a callback
	// of the registry or, after "@", of a function of the module. "" is none.
	JVP, VJP, Transpose string
	// Batch says how package vmap calls the callback for a batch: a method such as "sequential" or, after "@", a
	// function of the module that computes the batch. "" leaves it to vmap.Options.
	Batch string
	// Parallel says that the call is a batch whose elements are calls of the function, in any order and at the same
	// time. It has, for each dimension of the batch, the outermost first and separated by commas, a character for each
	// data operand: "*" if its first dimension is that of the batch, and "." if all elements have it. See Divide.
	Parallel string

	Encoding Encoding // how the rest is written
	Aliased  int      // with EncodingServer: the number of results that pass operands through
}

// ByName reports whether the callback is bound by its name.
func (c Config) ByName() bool { return c.Callback != "" }

// Name returns the name of the callback in errors and logs: its name, "id N", or "opaque id"
// and the bytes in hex.
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

// Validate returns an error if a Config is not valid.
func (c Config) Validate() error {
	if err := c.Form.check(); err != nil {
		return err
	}
	switch {
	case c.Encoding != EncodingDictionary:
		return c.validateFurther()
	case c.Opaque != "" || c.Server != "" || c.Aliased != 0:
		return errors.New("contract: an opaque id needs another encoding: EncodingWords or EncodingServer")
	case c.Callback != "" && c.ID != 0:
		return fmt.Errorf("contract: callback %q has the id %d too: it is bound by one of them", c.Callback, c.ID)
	case c.Callback == "" && c.ID <= 0:
		return errors.New("contract: a callback needs a name (key \"callback\") or a positive id (key \"callback_id\")")
	case c.Callback == "" && c.Signature != "":
		return errors.New("contract: a signature belongs to a callback that is bound by name")
	case c.NumIDs < 0 || c.NumTokens < 0 || c.Every < 0:
		return fmt.Errorf("contract: n_ids %d, n_tokens %d and every %d cannot be negative", c.NumIDs, c.NumTokens,
			c.Every)
	}
	if c.Every > 1 && c.Form.Target() == TargetRuntimeCall {
		return fmt.Errorf("contract: callback %q cannot be called every %d-th time only: its results are needed each time", c.Name(), c.Every)
	}
	if err := c.validateLegacy(); err != nil {
		return err
	}
	if derived := c.JVP + c.VJP + c.Transpose; derived != "" && c.Form != Call && c.Form != Pure {
		return fmt.Errorf("contract: callback %q of the form %s cannot have a derivative: "+
			"only the forms call and pure have results of their own", c.Name(), c.Form)
	}
	if err := c.validateParallel(); err != nil {
		return err
	}
	for _, text := range []string{
		c.Callback, c.Signature, c.Registry, c.Effect, c.Policy, c.Transforms, c.Loc, c.JVP, c.VJP, c.Transpose,
		c.Batch,
	} {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("contract: %q contains a NUL, which XLA does not pass on", text)
		}
	}
	return nil
}
