package contract

import (
	"encoding/hex"
	"fmt"
)

// A key is one entry that a backend_config may have: get reads it from a Config, and set
// stores it.
type key struct {
	name  string
	kind  string // of its value, in errors
	since int64  // the version of the contract that introduced it
	get   func(*Config) (any, bool)
	set   func(*Config, any) error
}

// keys has all keys but "v", which every dictionary has. A new one is added with the version
// that introduces it. The meaning of a key never changes: another meaning is another key.
var keys = []key{
	text(1, "form", func(c *Config) *Form { return &c.Form }),
	text(1, "callback", func(c *Config) *string { return &c.Callback }),
	text(1, "signature", func(c *Config) *string { return &c.Signature }),
	number(1, "callback_id", func(c *Config) *int64 { return &c.ID }),
	text(1, "registry", func(c *Config) *string { return &c.Registry }),
	length(1, "n_ids", func(c *Config) *int { return &c.NumIDs }),
	length(1, "n_tokens", func(c *Config) *int { return &c.NumTokens }),
	text(1, "effect", func(c *Config) *string { return &c.Effect }),
	text(1, "policy", func(c *Config) *Policy { return &c.Policy }),
	text(1, "transforms", func(c *Config) *string { return &c.Transforms }),
	text(1, "loc", func(c *Config) *string { return &c.Loc }),
	field(1, "optional", "a bool", func(c *Config) *bool { return &c.Optional }, func(b bool) any { return b },
		func(v any) (bool, bool) { b, ok := v.(bool); return b, ok }),
	number(1, "every", func(c *Config) *int64 { return &c.Every }),
	number(2, "legacy", func(c *Config) *int64 { return &c.Legacy.Version }),
	field(2, "legacy_opaque", "a string of hexadecimal digits", func(c *Config) *string { return &c.Legacy.Opaque },
		func(s string) any { return hex.EncodeToString([]byte(s)) },
		func(v any) (string, bool) {
			s, ok := v.(string)
			b, err := hex.DecodeString(s)
			return string(b), ok && err == nil
		}),
	text(2, "legacy_tuples", func(c *Config) *string { return &c.Legacy.Tuples }),
	text(3, "jvp", func(c *Config) *Rule { return &c.Derivative.JVP }),
	text(3, "vjp", func(c *Config) *Rule { return &c.Derivative.VJP }),
	text(3, "transpose", func(c *Config) *Rule { return &c.Derivative.Transpose }),
	text(3, "batch", func(c *Config) *BatchMethod { return &c.Batching.Method }),
	text(4, "parallel", func(c *Config) *string { return &c.Batching.Parallel }),
}

func field[T comparable](
	since int64, name, kind string, at func(*Config) *T, out func(T) any, in func(any) (T, bool),
) key {
	return key{
		name: name, kind: kind, since: since,
		get: func(c *Config) (any, bool) {
			var zero T
			return out(*at(c)), *at(c) != zero
		},
		set: func(c *Config, v any) error {
			value, ok := in(v)
			if !ok {
				return typeError(name, kind, v)
			}
			*at(c) = value
			return nil
		},
	}
}

func text[T ~string](since int64, name string, at func(*Config) *T) key {
	return field(since, name, "a string", at, func(s T) any { return string(s) },
		func(v any) (T, bool) { s, ok := v.(string); return T(s), ok })
}

func number(since int64, name string, at func(*Config) *int64) key {
	return field(since, name, "an i64", at, func(n int64) any { return n },
		func(v any) (int64, bool) { n, ok := v.(int64); return n, ok })
}

func length(since int64, name string, at func(*Config) *int) key {
	return field(since, name, "an i64 that counts operands", at, func(n int) any { return int64(n) },
		func(v any) (int, bool) { n, ok := v.(int64); return int(n), ok && int64(int(n)) == n })
}

func typeError(name, kind string, v any) error {
	return fmt.Errorf("contract: the key %q is %s, not %#v (%T)", name, kind, v, v)
}
