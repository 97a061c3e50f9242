package pjrt

// #include "pjrt_error.h"
import "C"

// Error is an error of a plugin.
type Error struct {
	Code    int // absl status code, not 0
	Message string
}

func (e *Error) Error() string { return e.Message }

// takeError makes a Go error of a plugin's error, which it destroys. It returns nil for NULL.
func takeError(api *C.pjrt_api, err *C.pjrt_error) error {
	if err == nil {
		return nil
	}
	defer C.calliope_error_destroy(api, err)
	message := C.calliope_error_message(api, err)
	return &Error{int(C.calliope_error_code(api, err)), C.GoStringN(message.message, C.int(message.message_size))}
}
