package contract

import (
	"fmt"
	"slices"
	"strings"
)

// key is one entry that a backend_config may have: how it is taken out of a Config,
// and how it is put in.
type key struct {
	name string
	get  func(*Config) (any, bool)
	set  func(*Config, any) error
}

var keys = []key{
	field("form", "a string", func(c *Config) *Form { return &c.Form }, func(f Form) any { return string(f) },
		func(v any) (Form, bool) { s, ok := v.(string); return Form(s), ok }),
	text("callback", func(c *Config) *string { return &c.Callback }),
	text("signature", func(c *Config) *string { return &c.Signature }),
	number("callback_id", func(c *Config) *int64 { return &c.ID }),
	text("registry", func(c *Config) *string { return &c.Registry }),
	length("n_ids", func(c *Config) *int { return &c.NumIDs }),
	length("n_tokens", func(c *Config) *int { return &c.NumTokens }),
	text("effect", func(c *Config) *string { return &c.Effect }),
	text("policy", func(c *Config) *string { return &c.Policy }),
	text("transforms", func(c *Config) *string { return &c.Transforms }),
	text("loc", func(c *Config) *string { return &c.Loc }),
	field("optional", "a bool", func(c *Config) *bool { return &c.Optional }, func(b bool) any { return b },
		func(v any) (bool, bool) { b, ok := v.(bool); return b, ok }),
	number("every", func(c *Config) *int64 { return &c.Every }),
}

func field[T comparable](name, kind string, at func(*Config) *T, out func(T) any, in func(any) (T, bool)) key {
	return key{
		name: name,
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

func text(name string, at func(*Config) *string) key {
	return field(name, "a string", at, func(s string) any { return s },
		func(v any) (string, bool) { s, ok := v.(string); return s, ok })
}

func number(name string, at func(*Config) *int64) key {
	return field(name, "an i64", at, func(n int64) any { return n },
		func(v any) (int64, bool) { n, ok := v.(int64); return n, ok })
}

func length(name string, at func(*Config) *int) key {
	return field(name, "an i64 that counts operands", at, func(n int) any { return int64(n) },
		func(v any) (int, bool) { n, ok := v.(int64); return int(n), ok && int64(int(n)) == n })
}

func typeError(name, kind string, v any) error {
	return fmt.Errorf("contract: the key %q is %s, not %#v (%T)", name, kind, v, v)
}

func known() string {
	names := []string{"v"}
	for _, k := range keys {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
