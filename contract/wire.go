package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Version is the newest version of the contract. The key "v" of a module has the version that
// it needs: that of the newest key or form that it uses, so that older programs can read as
// many modules as possible.
const Version = 4

// An Attr is one entry of a backend_config. Value is a string, a bool or an int64 or, in the
// further encodings, a uint64 or a []int64. Calls of other hosts also have the other numbers, slices of any of them,
// and a []Attr for a dictionary; it is nil for what a handler cannot get.
type Attr struct {
	Key   string
	Value any
}

// Attrs returns the backend_config, sorted by key, without zero values. "v" is the lowest
// version that has all other keys.
func (c Config) Attrs() ([]Attr, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Host.Encoding != EncodingDictionary {
		return c.furtherAttrs(), nil
	}
	return newest.attrs(c), nil
}

// Decode reads a backend_config of this version of the contract or an older one, in any order.
// An unknown key, a key that is newer than the module's version, a value of the wrong type, a
// missing key and a newer version are errors that name it. Decode recognizes the further
// encodings by their keys, and EncodingOperand by an empty dictionary.
func Decode(attrs []Attr) (Config, error) {
	if c, ok, err := decodeFurther(attrs); err != nil || ok {
		return c, err
	}
	return newest.decode(attrs)
}

// A format is the dictionary of one version of the contract. Tests have later ones.
type format struct {
	version int64
	keys    []key
	forms   map[Form]int64 // the version of each
}

var newest = format{Version, keys, formSince}

// attrs writes a valid Config.
func (f format) attrs(c Config) []Attr {
	version := max(1, f.forms[c.Form])
	out := []Attr{{Key: "v"}}
	for _, k := range f.keys {
		if v, ok := k.get(&c); ok {
			out = append(out, Attr{k.name, v})
			version = max(version, k.since)
		}
	}
	out[0].Value = version
	slices.SortFunc(out, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func (f format) decode(attrs []Attr) (Config, error) {
	// The version is read first, because a newer one may have unknown keys.
	version := f.version
	for _, a := range attrs {
		if a.Key == "v" {
			var err error
			if version, err = f.checkVersion(a.Value); err != nil {
				return Config{}, err
			}
		}
	}
	var c Config
	seen := map[string]bool{}
	for _, a := range attrs {
		if seen[a.Key] {
			return Config{}, fmt.Errorf("contract: the key %q occurs twice in backend_config", a.Key)
		}
		seen[a.Key] = true
		if a.Key == "v" {
			continue
		}
		i := slices.IndexFunc(f.keys, func(k key) bool { return k.name == a.Key })
		if i < 0 {
			return Config{}, fmt.Errorf("contract: unknown key %q in backend_config; known are %s", a.Key, f.known())
		}
		if k := f.keys[i]; k.since > version {
			return Config{}, newerThanModule(fmt.Sprintf("key %q", a.Key), k.since, version)
		}
		if err := f.keys[i].set(&c, a.Value); err != nil {
			return Config{}, err
		}
	}
	for _, required := range []string{"v", "form"} {
		if !seen[required] {
			return Config{}, fmt.Errorf("contract: backend_config lacks the key %q", required)
		}
	}
	if since := f.forms[c.Form]; since > version {
		return Config{}, newerThanModule(fmt.Sprintf("form %q", c.Form), since, version)
	}
	if err := c.Validate(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// checkVersion reads the key "v".
func (f format) checkVersion(v any) (int64, error) {
	n, ok := v.(int64)
	switch {
	case !ok:
		return 0, typeError("v", "an i64", v)
	case n < 1:
		return 0, fmt.Errorf("contract: the module states version %d of the callback contract, and the first version is 1", n)
	case n > f.version:
		return 0, fmt.Errorf("contract: the module needs version %d of the callback contract, and this release of Calliope reads versions 1 to %d: use a newer release", n, f.version)
	}
	return n, nil
}

func newerThanModule(what string, since, version int64) error {
	return fmt.Errorf("contract: the %s was added in version %d of the callback contract, and the module states version %d: write v = %d", what, since, version, since)
}

func (f format) known() string {
	names := []string{"v"}
	for _, k := range f.keys {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
