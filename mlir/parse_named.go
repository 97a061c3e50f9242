package mlir

import (
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// The library's function that parses a module calls every text "-". The one that parses an
// operation takes a name, but accepts only a text with one operation. So a text that has a
// module around it is parsed by the second one. In any other text, the name is put into the
// locations afterwards.

// mayHaveModule matches a text that may have a module around its operations.
var mayHaveModule = lazyregexp.New(`(?m)^\s*"?(builtin\.)?module\b`)

const notSingle = "source must contain a single top-level operation"

// parseText parses a text, which ends with a NUL, and returns the nil module if it cannot be
// parsed. Positions in the text have the given file name.
func (c *Context) parseText(name, source string) capi.MlirModule {
	t, text := c.api, source[:len(source)-1]
	named := name != "" && !strings.Contains(name, "\x00")
	if named && len(text) <= math.MaxInt32 && mayHaveModule().MatchString(text) {
		op := capi.MlirOperationCreateParse(t, c.raw, text, name)
		if op.Ptr != nil {
			return c.moduleAround(name, op)
		}
		reported := c.sink.Take()
		if !slices.ContainsFunc(reported,
			func(d capi.Diagnostic) bool { return strings.HasPrefix(d.Message, notSingle) }) {
			c.reported = reported
			return capi.MlirModule{}
		}
	}
	raw := capi.MlirModuleCreateParse(t, c.raw, text)
	if raw.Ptr != nil && named && c.lib.Has("mlirOperationSetLocation") {
		namer{c: c, from: unnamed, to: name}.module(raw)
	}
	return raw
}

// moduleAround returns the module that an operation is, or a new one that contains it.
func (c *Context) moduleAround(name string, op capi.MlirOperation) capi.MlirModule {
	t := c.api
	if m := capi.MlirModuleFromOperation(t, op); m.Ptr != nil {
		return m
	}
	m := capi.MlirModuleCreateEmpty(t, c.fileLocation(name, 0, 0))
	capi.MlirBlockAppendOwnedOperation(t, capi.MlirModuleGetBody(t, m), op)
	return m
}

// A namer puts a file name into the locations of a text that was parsed with another one.
type namer struct {
	c        *Context
	from, to string
	column   func(line, column int) int // in the text, if it was rewritten
	renamed  map[pointer]capi.MlirLocation
}

func (n namer) module(m capi.MlirModule) {
	n.renamed = map[pointer]capi.MlirLocation{}
	n.operation(capi.MlirModuleGetOperation(n.c.api, m))
}

func (n namer) operation(op capi.MlirOperation) {
	t := n.c.api
	was := capi.MlirOperationGetLocation(t, op)
	if now := n.location(was); now != was {
		capi.MlirOperationSetLocation(t, op, now)
	}
	for i := range capi.MlirOperationGetNumRegions(t, op) {
		region := capi.MlirOperationGetRegion(t, op, i)
		for b := capi.MlirRegionGetFirstBlock(t, region); b.Ptr != nil; b = capi.MlirBlockGetNextInRegion(t, b) {
			n.block(b)
		}
	}
}

func (n namer) block(b capi.MlirBlock) {
	t := n.c.api
	if t.Has("mlirValueGetLocation") && t.Has("mlirBlockArgumentSetLocation") {
		for i := range capi.MlirBlockGetNumArguments(t, b) {
			v := capi.MlirBlockGetArgument(t, b, i)
			was := capi.MlirValueGetLocation(t, v)
			if now := n.location(was); now != was {
				capi.MlirBlockArgumentSetLocation(t, v, now)
			}
		}
	}
	for op := capi.MlirBlockGetFirstOperation(t, b); op.Ptr != nil; op = capi.MlirOperationGetNextInBlock(t, op) {
		n.operation(op)
	}
}

// location returns the location with the name. One that was written in the text stays as it
// is.
func (n namer) location(was capi.MlirLocation) capi.MlirLocation {
	now, ok := n.renamed[was.Ptr]
	if !ok {
		now = was
		if r, ok := n.c.location(was).FileRange(); ok && r.File == n.from {
			if n.column != nil {
				r.StartColumn = n.column(r.StartLine, r.StartColumn)
			}
			now = n.c.fileLocation(n.to, uint32(r.StartLine), uint32(r.StartColumn))
		}
		n.renamed[was.Ptr] = now
	}
	return now
}
