package mlir

import (
	"fmt"
	"strconv"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// unnamed is the file name that MLIR uses for parsed text without a file name.
const unnamed = "-"

// A Position is a position in a file. Lines and columns start at 1; zero means unknown.
type Position struct {
	File         string
	Line, Column int
}

// IsZero reports whether p is the zero Position, which means unknown.
func (p Position) IsZero() bool { return p == Position{} }

// String returns file:line:column, without what is 0: the line of a Go program has no column.
func (p Position) String() string {
	switch {
	case p.IsZero():
		return "unknown location"
	case p.Line == 0 && p.Column == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// A Location is the source location of an operation: a position in a file, a name, a call
// site, or several fused locations.
type Location struct {
	life *lifetime
	raw  capi.MlirLocation
}

func (c *Context) location(raw capi.MlirLocation) Location { return Location{c.life, raw} }

// UnknownLocation returns the unknown location.
func (c *Context) UnknownLocation() Location {
	c.life.check("Context.UnknownLocation")
	return c.location(capi.MlirLocationUnknownGet(c.api, c.raw))
}

// FileLocation returns a position in a file. Lines and columns start at 1; zero means
// unknown.
func (c *Context) FileLocation(file string, line, column int) Location {
	c.life.check("Context.FileLocation")
	return c.location(c.fileLocation(file, uint32(max(line, 0)), uint32(max(column, 0))))
}

// NameLocation returns child with a name.
func (c *Context) NameLocation(name string, child Location) Location {
	c.life.check("Context.NameLocation")
	raw := child.in(c, "Context.NameLocation")
	return c.composedLocation(capi.MlirLocationNameGet(c.api, c.raw, name, raw), raw)
}

// IsNil reports whether l is the zero Location.
func (l Location) IsNil() bool { return l.raw.Ptr == nil }

// String returns the location as MLIR prints it, for example loc("model.py":3:7).
func (l Location) String() string {
	if l.IsNil() {
		return "<nil location>"
	}
	t := l.life.check("Location.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirLocationPrint(t, l.raw, cb, ud)
	}))
}

// Position returns the first file position in the location, or the zero Position if it has
// none.
func (l Location) Position() Position {
	if l.IsNil() {
		return Position{}
	}
	return parsePosition(l.String())
}

// parsePosition returns the first "file":line:column in a printed location. The C API of
// LLVM 19 to 21 cannot read the parts of a location.
func parsePosition(text string) Position {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return Position{}
		}
		line, rest, ok := number(text[end+1:])
		if column, _, ok2 := number(rest); ok && ok2 {
			return Position{File: unescape(text[i+1 : end]), Line: line, Column: column}
		}
		i = end
	}
	return Position{}
}

// number parses ":123" at the start of text.
func number(text string) (n int, rest string, ok bool) {
	if len(text) == 0 || text[0] != ':' {
		return 0, text, false
	}
	end := 1
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[1:end])
	return n, text[end:], err == nil
}

// unescape replaces MLIR's escapes in strings: \\ and two hexadecimal digits.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out = append(out, s[i])
	}
	return string(out)
}
