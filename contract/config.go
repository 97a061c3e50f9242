package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Version is the version of the contract, written as the key "v".
const Version = 1

// The custom call targets.
const (
	TargetIOCallback  = "calliope_io_callback"
	TargetRuntimeCall = "calliope_runtime_call"
)

// Form is the kind of a callback.
type Form string

const (
	Passthrough Form = "passthrough" // results are the operands, in the same memory
	Observe     Form = "observe"     // operands in, a one-byte token out
	Call        Form = "call"        // results by a template; kept when unused
	Pure        Form = "pure"        // as Call, but may be dropped, merged and moved
)

// Target is the custom call target that serves the form.
func (f Form) Target() string {
	if f == Call || f == Pure {
		return TargetRuntimeCall
	}
	return TargetIOCallback
}

// HasSideEffect is what the custom call's attribute of that name says.
func (f Form) HasSideEffect() bool { return f != Pure }

func (f Form) valid() bool { return f == Passthrough || f == Observe || f == Call || f == Pure }

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

// Attr is one entry of a backend_config. Value is a string, a bool or an int64; in the
// further encodings a uint64 or a []int64.
type Attr struct {
	Key   string
	Value any
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
	switch {
	case !c.Form.valid():
		return fmt.Errorf("contract: there is no form %q: it is passthrough, observe, call or pure", c.Form)
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

// Attrs is the backend_config, sorted by key. What has its zero value is left out.
func (c Config) Attrs() ([]Attr, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Encoding != EncodingDictionary {
		return c.furtherAttrs(), nil
	}
	out := []Attr{{"v", int64(Version)}}
	for _, k := range keys {
		if v, ok := k.get(&c); ok {
			out = append(out, Attr{k.name, v})
		}
	}
	slices.SortFunc(out, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// Decode reads a backend_config in any order. An unknown key, a value of the wrong
// type, a missing key and another version of the contract are errors that name it.
// The further encodings are told by their keys, and EncodingOperand by there being none.
func Decode(attrs []Attr) (Config, error) {
	if c, ok, err := decodeFurther(attrs); err != nil || ok {
		return c, err
	}
	// The version goes first: another one may well have keys that are unknown here.
	for _, a := range attrs {
		if a.Key != "v" {
			continue
		}
		if err := checkVersion(a.Value); err != nil {
			return Config{}, err
		}
	}
	var c Config
	seen := map[string]bool{}
	for _, a := range attrs {
		if seen[a.Key] {
			return Config{}, fmt.Errorf("contract: the key %q stands twice in backend_config", a.Key)
		}
		seen[a.Key] = true
		if a.Key == "v" {
			continue
		}
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == a.Key })
		if i < 0 {
			return Config{}, fmt.Errorf("contract: unknown key %q in backend_config; known are %s", a.Key, known())
		}
		if err := keys[i].set(&c, a.Value); err != nil {
			return Config{}, err
		}
	}
	for _, required := range []string{"v", "form"} {
		if !seen[required] {
			return Config{}, fmt.Errorf("contract: backend_config lacks the key %q", required)
		}
	}
	if err := c.Validate(); err != nil {
		return Config{}, err
	}
	return c, nil
}

func checkVersion(v any) error {
	n, ok := v.(int64)
	if !ok {
		return typeError("v", "an i64", v)
	}
	if n != Version {
		return fmt.Errorf("contract: the module speaks version %d of the callback contract, this program version %d: build the module with the same release as the program", n, Version)
	}
	return nil
}
