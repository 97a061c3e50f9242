package mlir

import (
	"fmt"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Context owns everything that is built or parsed in it. It is used by one goroutine
// at a time; contexts are cheap (tens of microseconds) and two of them can be used
// by two goroutines at full speed. Where two use one at once, one of them panics with the
// places of both, unless the context has Threads; that is nearly always found, not always.
type Context struct {
	lib  *Library
	api  *capi.Table // the library's, marked while one of its functions works on this context
	raw  capi.MlirContext
	life *lifetime
	sink capi.Sink
	handles
	tops         map[pointer]*top // by the operation, block or region
	placeholders int              // blocks of the tops, see top.placeholders

	handlers []*handler
	pool     *ThreadPool
	doubled  struct { // see printsTwice
		once sync.Once
		yes  bool
	}

	borrowed   bool   // C code owns it
	defines    bool   // dialects of its own, which other contexts of the library do not know
	maxSplat   int64  // bytes
	composed   uint64 // see sampled
	threads    bool
	translates bool  // the ways to LLVM IR are registered
	calls      calls // of Go passes and patterns by the library

	identifiers map[string]capi.MlirIdentifier
	texts       map[capi.MlirIdentifier]string
	kinds       map[string]*operationKind // by name
	lastKind    *operationKind            // the one asked for last: many operations of one name come in a row
	locations   *locationCache            // made at its first use
	creation    capi.OperationState       // what the next operation is made of
	last        known                     // what was made or visited last
	dialects    map[string]bool           // namespace -> loaded
}

// ContextOptions are the settings of a new context.
type ContextOptions struct {
	// AllowUnregistered accepts operations and attributes of dialects that the
	// library does not know.
	AllowUnregistered bool
	// Threads lets MLIR verify and run passes on threads of its own.
	Threads bool
	// MaxSplatBytes is the most that the elements of a splat, which is stored as one
	// value, may take when they are written out, as DenseElements.Values and
	// Attribute.DenseBytes do: 1 GiB when zero, and no limit when negative.
	MaxSplatBytes int64
}

// NewContext makes a context in which every dialect of the library is registered
// and loaded when it is first needed. The caller closes it.
func (l *Library) NewContext(o ContextOptions) *Context {
	if l == nil || l.api == nil {
		panic("mlir: Library.NewContext called on no library: get one from Open, and look at its error")
	}
	registry := capi.MlirDialectRegistryCreate(l.api)
	l.api.RegisterDialects(registry)
	c := l.newContext(capi.MlirContextCreateWithRegistry(l.api, registry, o.Threads), o)
	capi.MlirDialectRegistryDestroy(l.api, registry)
	if o.AllowUnregistered {
		capi.MlirContextSetAllowUnregisteredDialects(l.api, c.raw, true)
	}
	return c
}

func (l *Library) newContext(raw capi.MlirContext, o ContextOptions) *Context {
	c := &Context{
		lib:         l,
		api:         l.api.ForContext(o.Threads),
		raw:         raw,
		threads:     o.Threads,
		maxSplat:    o.maxSplat(),
		tops:        map[pointer]*top{},
		identifiers: map[string]capi.MlirIdentifier{},
		texts:       map[capi.MlirIdentifier]string{},
		kinds:       map[string]*operationKind{},
		dialects:    map[string]bool{},
	}
	c.life = &lifetime{ctx: c, of: "Context"}
	c.era = &lifetime{ctx: c, parent: c.life}
	c.sink = capi.AttachSink(c.api, c.raw)
	return c
}

// Library is the library that the context belongs to.
func (c *Context) Library() *Library { return c.lib }

// Close destroys the context, the modules in it that are still open, and everything else
// that belongs to it. Closing twice does nothing. The error is always nil.
func (c *Context) Close() error {
	if c.life.ended {
		return nil
	}
	c.calls.closeAll()
	c.destroyAll()
	c.life.ended = true
	if c.borrowed {
		c.sink.Detach(c.raw)
	} else {
		capi.MlirContextDestroy(c.api, c.raw)
	}
	c.sink.Free()
	c.leavePool()
	return nil
}

// LoadDialect makes a registered dialect's operations, types and attributes known.
// Parsing and Create do it by themselves.
func (c *Context) LoadDialect(namespace string) error {
	c.life.check("Context.LoadDialect")
	if c.dialects[namespace] {
		return nil
	}
	load := func() bool { return capi.MlirContextGetOrLoadDialect(c.api, c.raw, namespace).Ptr != nil }
	if !load() && (!c.registerHidden(namespace) || !load()) {
		c.takeDiagnostics("") // says the same, less plainly
		return fmt.Errorf("mlir: %s has no dialect %q", c.lib.path, namespace)
	}
	c.dialects[namespace] = true
	return nil
}

// Registered reports whether the library knows an operation, for example
// "stablehlo.add".
func (c *Context) Registered(operation string) bool {
	c.life.check("Context.Registered")
	return c.kind(operation).registered
}

// identifier interns an attribute's name.
func (c *Context) identifier(name string) capi.MlirIdentifier {
	id, ok := c.identifiers[name]
	if !ok {
		id = capi.MlirIdentifierGet(c.api, c.raw, name)
		c.identifiers[strings.Clone(name)] = id // the caller's may stand on its stack
	}
	return id
}

// text is an identifier's name. A module has few different ones and asks for them
// often: each is copied to Go once.
func (c *Context) text(id capi.MlirIdentifier) string {
	s, ok := c.texts[id]
	if !ok {
		s = capi.MlirIdentifierStr(c.api, id)
		c.texts[id] = s
	}
	return s
}

func namespaceOf(operation string) (string, bool) {
	for i := range len(operation) {
		if operation[i] == '.' {
			return operation[:i], i > 0
		}
	}
	return "", false
}
