package pjrt

// #include "pjrt_error.h"
// #include "pjrt_program.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// saving are the functions that executables are saved and loaded with.
var saving = []struct {
	name     string
	function C.int
}{
	{"Executable_Serialize", C.PJRT_FN_SERIALIZE},
	{"Executable_DeserializeAndLoad", C.PJRT_FN_DESERIALIZE},
	{"Executable_Destroy", C.PJRT_FN_EXECUTABLE_DESTROY},
}

// checkSaving looks for the functions of saving. It calls none of them: a plugin need not look at the size of a
// structure before it follows its pointers.
func checkSaving(api *C.pjrt_api) error {
	for _, f := range saving {
		if C.calliope_has(api, f.function) == 0 {
			return fmt.Errorf("the plugin has no function PJRT_%s: %w", f.name, errors.ErrUnsupported)
		}
	}
	return nil
}

// CanSave returns nil if the plugin has the functions that serialize executables and load them. Otherwise the error
// matches errors.ErrUnsupported.
func (p *Plugin) CanSave() error { return p.saving }

// Serialize returns the executable as bytes, which a plugin of the same build can load on
// the same kind of machine. The plugin must be one that CanSave. The error of one that wants a larger structure than
// is known matches errors.ErrUnsupported.
func (e Executable) Serialize() ([]byte, error) {
	s := C.calliope_serialize(e.api, e.c)
	if s.error != nil {
		err := takeError(e.api, s.error)
		if theirs := expectedSize(err.Error()); theirs > C.sizeof_pjrt_serialize_args {
			return nil, fmt.Errorf("the plugin's PJRT_Executable_Serialize takes %d bytes, but %d are known (%v): %w", theirs,
				C.sizeof_pjrt_serialize_args, err, errors.ErrUnsupported)
		}
		return nil, err
	}
	defer C.calliope_serialized_free(s)
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(s.data)), int(s.size))...), nil
}

// LoadInstead calls compile, which must compile at most once and on this thread, and loads
// that program, which must be what Serialize returned, instead of compiling it. The options
// are ignored: the serialized executable has its own.
func LoadInstead(compile func()) {
	C.calliope_load_next(1)
	defer C.calliope_load_next(0)
	compile()
}
