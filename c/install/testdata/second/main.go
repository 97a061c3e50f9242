// Command second is an archive in Go beside libcalliope's, with a runtime of its own.
package main

import "C"

import (
	"runtime"
	"strings"
)

//export secondSum
func secondSum(n C.int) C.int {
	parts := make(chan int)
	for i := range int(n) {
		go func() { parts <- len(strings.Repeat("x", i)) }()
	}
	sum := 0
	for range int(n) {
		sum += <-parts
		runtime.GC()
	}
	return C.int(sum)
}

//export secondPanic
func secondPanic() (text *C.char) {
	defer func() {
		if p := recover(); p != nil {
			text = C.CString(p.(error).Error())
		}
	}()
	var none *[4]int
	return C.CString(strings.Repeat("x", none[1]))
}

func main() {}
