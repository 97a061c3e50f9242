package pjrt

// #include "pjrt_error.h"
// #include "pjrt_program.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// saving are the functions that executables are saved and loaded with, and the sizes of
// their structures.
var saving = []struct {
	name     string
	function C.int
	size     int
}{
	{"Executable_Serialize", C.PJRT_FN_SERIALIZE, C.sizeof_pjrt_serialize_args},
	{"Executable_DeserializeAndLoad", C.PJRT_FN_DESERIALIZE, C.sizeof_pjrt_deserialize_args},
	{"Executable_Destroy", C.PJRT_FN_EXECUTABLE_DESTROY, C.sizeof_pjrt_executable_args},
}

// checkSaving checks the layouts of the functions of saving: a plugin refuses a structure
// that is too small with the size that it expects. The functions accept larger structures.
func checkSaving(api *C.pjrt_api) error {
	for _, f := range saving {
		if C.calliope_has(api, f.function) == 0 {
			return fmt.Errorf("the plugin has no function PJRT_%s: %w", f.name, errors.ErrUnsupported)
		}
		err := takeError(api, C.calliope_call_too_small(api, f.function))
		if err == nil {
			return fmt.Errorf("the plugin's PJRT_%s has an unknown layout: %w", f.name, errors.ErrUnsupported)
		}
		if theirs := expectedSize(err.Error()); theirs == 0 || theirs > f.size {
			return fmt.Errorf("the plugin's PJRT_%s takes %d bytes, but %d are known (%v): %w", f.name, theirs, f.size,
				err, errors.ErrUnsupported)
		}
	}
	return nil
}

// CanSave returns nil if the plugin can serialize executables and load them. Otherwise
// the error matches errors.ErrUnsupported.
func (p *Plugin) CanSave() error { return p.saving }

// Serialize returns the executable as bytes, which a plugin of the same build can load on
// the same kind of machine. The plugin must be one that CanSave.
func (e Executable) Serialize() ([]byte, error) {
	s := C.calliope_serialize(e.api, e.c)
	if s.error != nil {
		return nil, takeError(e.api, s.error)
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
