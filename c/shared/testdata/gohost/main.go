// Gohost is a program in Go that loads libcalliope, which refuses it.
package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static int32_t load(const char* path, const char** message) {
	void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		*message = dlerror();
		return -1;
	}
	int32_t (*stats)(char**) = (int32_t(*)(char**))dlsym(library, "calliope_stats");
	const char* (*text)(void) = (const char* (*)(void))dlsym(library, "calliope_error_message");
	char* json;
	int32_t status = stats(&json);
	*message = text();
	return status;
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

func main() {
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	var wait sync.WaitGroup
	texts := make([]string, 8)
	for i := range texts {
		wait.Go(func() {
			runtime.LockOSThread()
			var message *C.char
			status := C.load(path, &message)
			texts[i] = fmt.Sprintf("%d: %s", status, C.GoString(message))
		})
	}
	wait.Wait()
	runtime.GC()
	for _, text := range texts {
		if text != texts[0] {
			fmt.Println(text)
		}
	}
	fmt.Println(texts[0])
}
