package legacy

// #include "legacy.h"
import "C"

// XlaCustomCallStatusSetFailure and XlaCustomCallStatusSetSuccess are for libraries that were built with
// XLA's own header. The linker finds the functions of C by these names when it loads such a library.

//export XlaCustomCallStatusSetFailure
func XlaCustomCallStatusSetFailure(status *C.XlaCustomCallStatus, message *C.calliope_const_char, length C.size_t) {
	C.calliope_legacy_set_failure(status, message, length)
}

//export XlaCustomCallStatusSetSuccess
func XlaCustomCallStatusSetSuccess(status *C.XlaCustomCallStatus) {
	C.calliope_legacy_set_success(status)
}
