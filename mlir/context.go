package mlir

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
)

// A Context owns everything that is built or parsed in it. Creating one takes tens of
// microseconds. A Context must be used by one goroutine at a time; different contexts can
// be used concurrently. If two goroutines use one context at once, one of them panics with
// the places of both. The package nearly always detects this, but never if the context has
// Threads. From then on every use of the context panics, and Close leaves what it has in memory.
//
// The garbage collector closes a Context that is garbage without having been closed, much later: that is, if nothing
// leads to the Context, to its modules, or to an operation, type, attribute or other object of it. A Context that C
// code works on must be kept (runtime.KeepAlive).
type Context struct {
	lib  *Library
	api  *capi.Table // the library's table, marked while one of its functions works on this context
	raw  capi.MlirContext
	life *lifetime
	sink capi.Sink
	// reported has diagnostics that were taken from the sink and not returned yet.
	reported []capi.Diagnostic
	handles
	tops         map[pointer]*top // by the operation, block or region
	users        map[*top]bool    // the detached ones that may use others
	placeholders int              // blocks of the tops, see top.placeholders
	held         *heldByContext
	guard        *forgotten.Guard[*heldByContext]

	handlers []*handler
	after    func()      // called after the library may have reported something, or nil
	beside   map[any]any // what packages that import this one keep, by its type
	doubled  struct {    // see printsTwice
		once sync.Once
		yes  bool
	}

	packed struct { // see packsBooleans
		once sync.Once
		yes  bool
	}

	borrowed    bool                      // C code owns it
	bare        bool                      // it has hardly a dialect, see genericGuard
	allows      bool                      // unregistered dialects
	shardy      bool                      // this package reads Shardy's dialect
	readsTables bool                      // it may have operations for which guard.ReadsTable is true
	defined     map[string]definitions    // by the dialect of LoadIRDL, which other contexts of the library do not know
	maxSplat    int64                     // bytes
	composed    uint64                    // see sampled
	depths      map[capi.MlirLocation]int // see composedLocation
	threads     bool
	translates  bool  // the translations to LLVM IR are registered
	calls       calls // of Go passes and patterns by the library

	identifiers map[string]capi.MlirIdentifier
	texts       map[capi.MlirIdentifier]string
	kinds       map[string]*operationKind // by name
	lastKind    *operationKind            // looked up last: many successive operations have one name
	locations   *locationCache            // created at its first use
	creation    capi.OperationState       // the parts of the next operation
	last        known                     // the operation created or visited last
	dialects    map[string]bool           // namespace -> loaded
}

// ContextOptions are the settings of a new context.
type ContextOptions struct {
	// AllowUnregistered accepts operations and attributes of dialects that the
	// library does not know.
	AllowUnregistered bool
	// Threads lets MLIR verify and run passes on its own threads.
	Threads bool
	// MaxSplatBytes limits the size of a splat when DenseElements.Values and
	// Attribute.DenseBytes write out its elements. (A splat is stored as one value.) Zero
	// means 1 GiB, a negative number means no limit.
	MaxSplatBytes int64
	// Debug gets a warning with the line that made it for a context that was garbage without having been closed, and
	// for such modules that are freed before their context. nil means none.
	Debug *slog.Logger
}

// NewContext creates a context. All dialects of the library are registered in it, and
// loaded when they are first needed. The caller must close it.
func (l *Library) NewContext(o ContextOptions) *Context {
	if l == nil || l.api == nil {
		panic("mlir: Library.NewContext called on a nil Library: check the error that Open returned")
	}
	registry := capi.MlirDialectRegistryCreate(l.api)
	l.api.RegisterDialects(registry)
	c := l.newContext(capi.MlirContextCreateWithRegistry(l.api, registry, o.Threads), o)
	c.watch()
	capi.MlirDialectRegistryDestroy(l.api, registry)
	c.SetAllowUnregistered(o.AllowUnregistered)
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
		users:       map[*top]bool{},
		identifiers: map[string]capi.MlirIdentifier{},
		texts:       map[capi.MlirIdentifier]string{},
		kinds:       map[string]*operationKind{},
		dialects:    map[string]bool{},
	}
	c.life = &lifetime{ctx: c, of: "Context"}
	c.era = &lifetime{ctx: c, parent: c.life}
	c.sink = capi.AttachSink(c.api, c.raw)
	c.api.OnPoison(c.poison)
	c.held = &heldByContext{api: l.api, raw: raw, sink: c.sink, tops: c.tops, debug: o.Debug}
	return c
}

// Library returns the library that the context belongs to.
func (c *Context) Library() *Library { return c.lib }

// Close destroys the context, with its open modules and everything else that belongs to it.
// Closing a closed context does nothing. The error is always nil.
func (c *Context) Close() error {
	if c.life.ended {
		return nil
	}
	c.calls.closeAll()
	forgottenContexts.Drop(&c.guard)
	c.era.how = "after Context.Close"
	destroyAll(c.api, c.tops)
	c.tops, c.users, c.handles = nil, nil, handles{era: &lifetime{ctx: c, parent: c.life}}
	c.life.ended = true
	if c.borrowed {
		c.sink.Detach(c.raw)
	} else {
		capi.MlirContextDestroy(c.api, c.raw)
	}
	c.sink.Free()
	c.held.leavePool()
	return nil
}

// poison ends the use of the context and of all that belongs to it. Nothing of it is destroyed: the
// library may have been left in the middle of a call.
func (c *Context) poison(how string) {
	c.life.how, c.life.ended = how, true
	forgottenContexts.Drop(&c.guard)
	c.handles = handles{era: &lifetime{ctx: c, parent: c.life}}
}

// LoadDialect loads a registered dialect: its operations, types and attributes. Parsing and
// Create load dialects as needed.
func (c *Context) LoadDialect(namespace string) error {
	c.life.check("Context.LoadDialect")
	if c.dialects[namespace] {
		return nil
	}
	load := func() bool { return capi.MlirContextGetOrLoadDialect(c.api, c.raw, namespace).Ptr != nil }
	if !load() && (!c.registerHidden(namespace) || !load()) && !c.readShardy(namespace) {
		c.takeDiagnostics("") // the error below is clearer
		return fmt.Errorf("mlir: %s has no dialect %q", c.lib.path, namespace)
	}
	c.dialects[namespace] = true
	return nil
}

// Registered reports whether the library knows the operation with the given name, for
// example "stablehlo.add".
func (c *Context) Registered(operation string) bool {
	c.life.check("Context.Registered")
	k := c.kind(operation)
	return k.registered || k.shardy && shardyform.Known(operation)
}

// identifier interns an attribute's name.
func (c *Context) identifier(name string) capi.MlirIdentifier {
	id, ok := c.identifiers[name]
	if !ok {
		id = capi.MlirIdentifierGet(c.api, c.raw, name)
		c.identifiers[strings.Clone(name)] = id // the caller's string may be on its stack
	}
	return id
}

// text returns an identifier as a Go string. Each is copied once, because a module has few
// different identifiers and they are read often.
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
