package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// namedKey is a line, and what Named has called its operations.
type namedKey struct {
	at    *position
	names string
}

// Named calls f, and gives the operations that f builds a name beside their Go line, as jax.named_scope. A call in f
// joins its name, as "layer1/attention". The location of an operation is then an MLIR NameLoc around its line: an Error
// and a module that is printed with debug information show it.
func (b *Builder) Named(name string, f func()) {
	if name == "" || f == nil {
		b.fail(b.here(), "named", nil, fmt.Errorf("it needs a name and a function"))
		return
	}
	outer := b.names
	defer func() { b.names = outer }()
	if outer != "" {
		name = outer + "/" + name
	}
	b.names = name
	f()
}

// Named returns f whose operations have a name: see Builder.Named.
func Named[T, R any](name string, f func(T) R) func(T) R {
	return func(x T) (y R) {
		s, _ := argument("named", x, f == nil)
		if s.ok && name == "" {
			s.fail("it needs a name")
		}
		if y = structure(&s, f, x); s.ok {
			s.f.b.Named(name, func() { y = f(x) })
		}
		return y
	}
}

// withNames returns a line with names.
func (b *Builder) withNames(at place, names string) place {
	if names == "" {
		return at
	}
	key := namedKey{at.position, names}
	named, ok := b.named[key]
	if !ok {
		named = place{&position{at.file, at.line, b.ctx.NameLocation(names, at.location), names}}
		if b.named == nil {
			b.named = map[namedKey]place{}
		}
		b.named[key] = named
	}
	return named
}

// namesOf returns the names in a location of this builder, or "".
func (b *Builder) namesOf(l mlir.Location) string {
	for _, named := range b.named {
		if named.location == l {
			return named.names
		}
	}
	return ""
}
