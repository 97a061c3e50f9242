package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// locationCache keeps places in files that were asked for lately: a program builds
// its operations from few lines, again and again. It is direct-mapped, so that it is
// bounded (40 KiB a context that asks) and a miss costs next to nothing.
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
