package mlir

import (
	"fmt"
	"strconv"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// unnamed is the file name under which MLIR parses text that it was given without one.
const unnamed = "-"

// Position is a place in a file. Lines and columns start at 1; zero is unknown.
type Position struct {
	File         string
	Line, Column int
}

// IsZero reports whether nothing is known.
func (p Position) IsZero() bool { return p == Position{} }

func (p Position) String() string {
	if p.IsZero() {
		return "unknown location"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Location is where an operation comes from: a place in a file, a name, a call
// site, or several of them fused.
type Location struct {
	life *lifetime
	raw  capi.MlirLocation
}

func (c *Context) location(raw capi.MlirLocation) Location { return Location{c.life, raw} }

// UnknownLocation is the location that says nothing.
func (c *Context) UnknownLocation() Location {
	c.life.check("Context.UnknownLocation")
	return c.location(capi.MlirLocationUnknownGet(c.api, c.raw))
}

// FileLocation is a place in a file; line and column start at 1, and 0 is unknown.
func (c *Context) FileLocation(file string, line, column int) Location {
	c.life.check("Context.FileLocation")
	return c.location(c.fileLocation(file, uint32(max(line, 0)), uint32(max(column, 0))))
}

// NameLocation gives a location a name.
func (c *Context) NameLocation(name string, child Location) Location {
	c.life.check("Context.NameLocation")
	return c.location(capi.MlirLocationNameGet(c.api, c.raw, name, child.in(c, "Context.NameLocation")))
}

// IsNil reports whether l is the zero Location.
func (l Location) IsNil() bool { return l.raw.Ptr == nil }

// String is the location as MLIR prints it, for example loc("model.py":3:7).
func (l Location) String() string {
	if l.IsNil() {
		return "<nil location>"
	}
	t := l.life.check("Location.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirLocationPrint(t, l.raw, cb, ud)
	}))
}

// Position is the first place in a file that the location names, and zero where it
// names none.
func (l Location) Position() Position {
	if l.IsNil() {
		return Position{}
	}
	return parsePosition(l.String())
}

// parsePosition finds the first "file":line:column in a printed location. The C API
// of LLVM 19 to 21 can make locations but has no function that takes one apart.
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

// number reads ":123" off the front of text.
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

// unescape undoes MLIR's escapes in strings: \\ and two hexadecimal digits.
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
