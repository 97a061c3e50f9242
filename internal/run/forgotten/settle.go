package forgotten

import "runtime"

// Settle frees what is forgotten now. It is for tests that count.
func Settle() {
	for range 2 { // what is freed may have kept something
		over := make(chan struct{})
		runtime.AddCleanup(&struct{ any }{}, func(over chan struct{}) { close(over) }, over)
		runtime.GC()
		<-over
	}
}
