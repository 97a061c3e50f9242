package embed

/*
#include "api.h"

typedef calliope_handler* handler_out;
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
)

// asked are the targets whose handlers the host has got.
var asked = struct {
	sync.Mutex
	targets map[string]bool
}{targets: map[string]bool{}}

//export calliopeGetHandler
func calliopeGetHandler(target *C.char, stage C.calliope_stage, handler *C.calliope_handler) C.calliope_status {
	return protect(func() error {
		if target == nil || handler == nil {
			return invalid("calliope_get_handler: an argument is NULL")
		}
		instantiate, execute, err := serve.Handlers(C.GoString(target))
		if err != nil {
			return err
		}
		asked.Lock()
		asked.targets[C.GoString(target)] = true
		asked.Unlock()
		switch stage {
		case C.CALLIOPE_STAGE_INSTANTIATE:
			store(unsafe.Pointer(handler), instantiate)
		case C.CALLIOPE_STAGE_EXECUTE:
			store(unsafe.Pointer(handler), execute)
		default:
			return invalid("calliope_get_handler: there is no handler for the stage %d: ask for CALLIOPE_STAGE_INSTANTIATE (%d) and CALLIOPE_STAGE_EXECUTE (%d)",
				int32(stage), C.CALLIOPE_STAGE_INSTANTIATE, C.CALLIOPE_STAGE_EXECUTE)
		}
		return nil
	})
}

//export calliopeRegisterPJRT
func calliopeRegisterPJRT(api unsafe.Pointer) C.calliope_status {
	return protect(func() error {
		if api == nil {
			return invalid("calliope_register_pjrt: api is NULL: pass the result of the plugin's GetPjrtApi")
		}
		return serve.RegisterPJRT(api)
	})
}
