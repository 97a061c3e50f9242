package mlir

import "github.com/calliope-mlir/calliope/experimental/capi"

// locationCache holds recently used file positions: a program creates its operations from
// few lines, repeatedly. It is direct-mapped, so its size is fixed (40 KiB for each
// context that uses it) and a miss costs almost nothing.
type locationCache [1024]struct {
	file         string
	line, column uint32
	raw          capi.MlirLocation
}

func (c *Context) fileLocation(file string, line, column uint32) capi.MlirLocation {
	if c.locations == nil {
		c.locations = new(locationCache)
	}
	e := &c.locations[(line^column<<3)%uint32(len(c.locations))]
	if e.raw.Ptr == nil || e.line != line || e.column != column || e.file != file {
		e.raw = capi.MlirLocationFileLineColGet(c.api, c.raw, file, line, column)
		e.file, e.line, e.column = file, line, column
	}
	return e.raw
}
