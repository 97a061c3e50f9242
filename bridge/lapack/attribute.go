package lapack

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
)

// An attribute is one that each call of a routine has.
type attribute struct {
	name string
	// chars are the characters that the value may be. JAX writes LAPACK's options as the
	// codes of characters, in a ui8.
	chars string
	// refused are the characters of chars that jaxlib does not serve either.
	refused string
	// kind is a value of the attribute's type, if it is not a character.
	kind any
}

// check compares the attributes of a call with those of its routine.
func (r *routine) check(attributes callbacks.Attributes) error {
	for _, a := range r.attributes {
		value, ok := attributes.Get(a.name)
		if !ok {
			return fmt.Errorf("lapack: the call lacks the attribute %q: %s", a.name, r.wants())
		}
		if err := a.check(value); err != nil {
			return err
		}
	}
	for _, got := range attributes {
		known := false
		for _, a := range r.attributes {
			known = known || a.name == got.Name
		}
		if !known {
			return fmt.Errorf("lapack: the call has the attribute %q, which its target does not have: %s", got.Name,
				r.wants())
		}
	}
	return nil
}

func (a attribute) check(value any) error {
	if a.chars == "" {
		if fmt.Sprintf("%T", value) != fmt.Sprintf("%T", a.kind) {
			return fmt.Errorf("lapack: the attribute %q is a %T, and must be a %T", a.name, value, a.kind)
		}
		return nil
	}
	code, ok := value.(uint8)
	switch {
	case !ok || code == 0 || !strings.ContainsRune(a.chars, rune(code)):
		return fmt.Errorf("lapack: the attribute %q is %v (%[2]T), and must be the code of one of the characters %s, a ui8", a.name, value, strings.Join(strings.Split(a.chars, ""), ", "))
	case strings.ContainsRune(a.refused, rune(code)):
		return fmt.Errorf("lapack: the attribute %q is %q, which is not implemented, as in jaxlib", a.name, code)
	}
	return nil
}

// wants says which attributes the routine has.
func (r *routine) wants() string {
	if len(r.attributes) == 0 {
		return "it has none"
	}
	var names []string
	for _, a := range r.attributes {
		names = append(names, a.name)
	}
	return "it has " + strings.Join(names, ", ")
}

// char returns an attribute of the call, which check has seen.
func (c *call) char(name string) byte {
	value, _ := c.frame.Attributes.Get(name)
	return value.(uint8)
}

func (c *call) flag(name string) bool {
	value, _ := c.frame.Attributes.Get(name)
	return value.(bool)
}

func (c *call) number(name string) int {
	value, _ := c.frame.Attributes.Get(name)
	return int(value.(int32))
}
