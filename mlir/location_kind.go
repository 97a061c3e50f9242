package mlir

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A LocationKind is the kind of a location.
type LocationKind int

const (
	LocationUnknown  LocationKind = iota // nothing is known
	LocationFile                         // a position or range in a file: FileRange
	LocationName                         // a name for another location: Name
	LocationCallSite                     // a callee and its caller: CallSite
	LocationFused                        // several locations: Fused
	LocationOther                        // a dialect's own kind
)

func (k LocationKind) String() string {
	names := []string{"unknown", "file", "name", "call site", "fused", "other"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("location kind %d", int(k))
	}
	return names[k]
}

// A FileRange is a range in a file. Lines and columns start at 1; zero means unknown.
type FileRange struct {
	File                                       string
	StartLine, StartColumn, EndLine, EndColumn int
}

// FileRangeLocation returns a range in a file. It returns an *UnsupportedError if the
// library is older than LLVM 20.
func (c *Context) FileRangeLocation(r FileRange) (Location, error) {
	t := c.life.check("Context.FileRangeLocation")
	if err := c.lib.need("mlirLocationFileLineColRangeGet"); err != nil {
		return Location{}, err
	}
	return c.location(capi.MlirLocationFileLineColRangeGet(t, c.raw, r.File,
		uint32(max(r.StartLine, 0)), uint32(max(r.StartColumn, 0)),
		uint32(max(r.EndLine, 0)), uint32(max(r.EndColumn, 0)))), nil
}

// CallSiteLocation returns the location of callee, called from caller.
func (c *Context) CallSiteLocation(callee, caller Location) Location {
	t := c.life.check("Context.CallSiteLocation")
	from, at := callee.in(c, "Context.CallSiteLocation"), caller.in(c, "Context.CallSiteLocation")
	return c.composedLocation(capi.MlirLocationCallSiteGet(t, from, at), from, at)
}

// FusedLocation returns several locations as one, with optional metadata. The library
// drops duplicate and unknown locations. A single location without metadata is returned as
// it is.
func (c *Context) FusedLocation(metadata Attribute, locations ...Location) Location {
	t := c.life.check("Context.FusedLocation")
	var raw capi.MlirAttribute
	if !metadata.IsNil() {
		raw = metadata.in(c, "Context.FusedLocation")
	}
	list := make([]capi.MlirLocation, len(locations))
	for i, l := range locations {
		list[i] = l.in(c, "Context.FusedLocation")
	}
	fused := capi.MlirLocationFusedGet(t, c.raw, len(list), first(list), raw)
	return c.composedLocation(fused, append(list, capi.MlirLocation(raw))...) // the metadata may be a location, too
}

// ParseLocation parses a location, for example loc("model.py":3:7).
func (c *Context) ParseLocation(text string) (Location, error) {
	a, err := c.ParseAttribute(text)
	if err != nil {
		return Location{}, err
	}
	return c.AttributeLocation(a)
}

// AttributeLocation returns the location in a location attribute. It returns an error if a
// is not one.
func (c *Context) AttributeLocation(a Attribute) (Location, error) {
	t := c.life.check("Context.AttributeLocation")
	raw := a.in(c, "Context.AttributeLocation")
	if !capi.MlirAttributeIsALocation(t, raw) {
		return Location{}, fmt.Errorf("mlir: the attribute %s is not a location", a)
	}
	return c.location(capi.MlirLocationFromAttribute(t, raw)), nil
}

// Attribute returns the location as an attribute.
func (l Location) Attribute() Attribute {
	t := l.life.check("Location.Attribute")
	return l.life.ctx.attribute(capi.MlirLocationGetAttribute(t, l.raw))
}

// Equal reports whether both are the same location. Contexts unique locations.
func (l Location) Equal(other Location) bool { return l.raw == other.raw }

// Context returns the context of the location.
func (l Location) Context() *Context {
	l.life.check("Location.Context")
	return l.life.ctx
}

// Kind returns the kind of the location.
func (l Location) Kind() LocationKind {
	if l.IsNil() {
		return LocationOther
	}
	switch t := l.life.check("Location.Kind"); {
	case !t.Has("mlirLocationIsAFused"):
		return l.printedKind()
	case capi.MlirLocationIsAFileLineColRange(t, l.raw):
		return LocationFile
	case capi.MlirLocationIsAName(t, l.raw):
		return LocationName
	case capi.MlirLocationIsACallSite(t, l.raw):
		return LocationCallSite
	case capi.MlirLocationIsAFused(t, l.raw):
		return LocationFused
	case l.raw == capi.MlirLocationUnknownGet(t, l.life.ctx.raw):
		return LocationUnknown
	}
	return LocationOther
}

// printedKind returns the kind by the text, which has all parts of the location. The C API before LLVM 21 has no
// other way.
func (l Location) printedKind() LocationKind {
	text, ok := strings.CutPrefix(l.String(), "loc(")
	switch {
	case !ok:
		return LocationOther
	case text == "unknown)":
		return LocationUnknown
	case strings.HasPrefix(text, "callsite("):
		return LocationCallSite
	case strings.HasPrefix(text, "fused"):
		return LocationFused
	case strings.HasPrefix(text, `"`):
		if _, rest, ok := quoted(text); ok && strings.HasPrefix(rest, ":") {
			return LocationFile
		}
		return LocationName
	}
	return LocationOther
}

// FileRange returns the range of a file location, and whether l is one. A position without
// an end ends where it starts.
func (l Location) FileRange() (FileRange, bool) {
	if l.Kind() != LocationFile {
		return FileRange{}, false
	}
	// The forms are "file":1:2, "file":1:2 to :5 and "file":1:2 to 3:5.
	file, rest, _ := quoted(l.inner())
	r := FileRange{File: file}
	r.StartLine, rest, _ = number(rest)
	r.StartColumn, rest, _ = number(rest)
	r.EndLine, r.EndColumn = r.StartLine, r.StartColumn
	if end, ok := strings.CutPrefix(rest, " to "); ok {
		if !strings.HasPrefix(end, ":") {
			r.EndLine, end, _ = number(":" + end)
		}
		r.EndColumn, _, _ = number(end)
	}
	return r, true
}

// Name returns the name of a name location and the location that it names, which is
// unknown if there is none. ok is false for any other location.
func (l Location) Name() (name string, child Location, ok bool) {
	if l.Kind() != LocationName {
		return "", Location{}, false
	}
	c := l.Context()
	if t := c.api; t.Has("mlirLocationNameGetName") {
		return c.text(capi.MlirLocationNameGetName(t, l.raw)), c.location(capi.MlirLocationNameGetChildLoc(t, l.raw)),
			true
	}
	name, rest, _ := quoted(l.inner())
	if rest == "" {
		return name, c.UnknownLocation(), true
	}
	child, ok = c.part(rest[1 : len(rest)-1])
	return name, child, ok
}

// CallSite returns the callee and the caller of a call site. ok is false for any other
// location.
func (l Location) CallSite() (callee, caller Location, ok bool) {
	if l.Kind() != LocationCallSite {
		return Location{}, Location{}, false
	}
	c := l.Context()
	if t := c.api; t.Has("mlirLocationCallSiteGetCallee") {
		return c.location(capi.MlirLocationCallSiteGetCallee(t, l.raw)),
			c.location(capi.MlirLocationCallSiteGetCaller(t, l.raw)), true
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(l.inner(), "callsite("), ")")
	parts := split(inner, " at ")
	if len(parts) < 2 {
		return Location{}, Location{}, false
	}
	// A callee or caller that is itself a call site is in brackets, so there is one " at "
	// outside of brackets.
	callee, ok = c.part(parts[0])
	if !ok {
		return Location{}, Location{}, false
	}
	caller, ok = c.part(strings.Join(parts[1:], " at "))
	return callee, caller, ok
}

// Fused returns the parts of a fused location and its metadata, which is the zero
// Attribute if there is none. ok is false for any other location.
func (l Location) Fused() (locations []Location, metadata Attribute, ok bool) {
	if l.Kind() != LocationFused {
		return nil, Attribute{}, false
	}
	c := l.Context()
	if t := c.api; t.Has("mlirLocationFusedGetLocations") {
		raw := make([]capi.MlirLocation, capi.MlirLocationFusedGetNumLocations(t, l.raw))
		if len(raw) > 0 {
			capi.MlirLocationFusedGetLocations(t, l.raw, first(raw))
		}
		for _, r := range raw {
			locations = append(locations, c.location(r))
		}
		if m := capi.MlirLocationFusedGetMetadata(t, l.raw); m.Ptr != nil {
			metadata = c.attribute(m)
		}
		return locations, metadata, true
	}
	inner := strings.TrimPrefix(l.inner(), "fused")
	if strings.HasPrefix(inner, "<") {
		end := matching(inner)
		if end < 0 {
			return nil, Attribute{}, false
		}
		var err error
		if metadata, err = c.ParseAttribute(inner[1:end]); err != nil {
			return nil, Attribute{}, false
		}
		inner = inner[end+1:]
	}
	inner = strings.TrimSuffix(strings.TrimPrefix(inner, "["), "]")
	for _, text := range split(inner, ", ") {
		part, ok := c.part(text)
		if !ok {
			return nil, Attribute{}, false
		}
		locations = append(locations, part)
	}
	return locations, metadata, true
}

// inner returns the text between loc( and ). The C API before LLVM 21 cannot read the
// parts of a location.
func (l Location) inner() string {
	return strings.TrimSuffix(strings.TrimPrefix(l.String(), "loc("), ")")
}

// part parses a part of another location's text.
func (c *Context) part(text string) (Location, bool) {
	l, err := c.ParseLocation("loc(" + text + ")")
	return l, err == nil
}

// quoted parses a string at the start of text.
func quoted(text string) (s, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return unescape(text[1:i]), text[i+1:], true
		}
	}
	return "", text, false
}

// split splits text at each separator outside of strings and brackets.
func split(text, separator string) []string {
	if text == "" {
		return nil
	}
	var parts []string
	start := 0
	scan(text, func(i, depth int) bool {
		if depth == 0 && strings.HasPrefix(text[i:], separator) && i >= start {
			parts = append(parts, text[start:i])
			start = i + len(separator)
		}
		return true
	})
	return append(parts, text[start:])
}

// matching returns the index of the bracket that closes the first one of text, or -1.
func matching(text string) int {
	at := -1
	scan(text, func(i, depth int) bool {
		if i > 0 && depth == 1 && strings.IndexByte(")]}>", text[i]) >= 0 {
			at = i
		}
		return at < 0
	})
	return at
}

// scan calls visit for the bytes of text outside of strings, with the number of open
// brackets before each, until visit returns false.
func scan(text string, visit func(i, depth int) bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		if !visit(i, depth) {
			return
		}
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '(', '[', '{', '<':
			depth++
		case '>':
			if i > 0 && text[i-1] == '-' { // the arrow ->
				continue
			}
			depth--
		case ')', ']', '}':
			depth--
		}
	}
}
