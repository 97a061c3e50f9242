//go:build cgo && !windows

package xla

import (
	"reflect"
	"sync"

	gopjrt "github.com/gomlx/gopjrt/pjrt"
)

// keepNoArenas has gopjrt free the C memory of each call after it. gopjrt keeps it in pools that Go's collector
// empties, which frees nothing: each collection lost 2 KiB or more. Memory of a size above the largest of a pool is not
// kept. go-xla, its successor, has other pools, which free what they keep.
func keepNoArenas(p *gopjrt.Plugin) {
	pools := reflect.ValueOf(p).Elem().FieldByName("arenaPools").Elem()
	if pools.FieldByName("pools").Type() == reflect.TypeFor[[]sync.Pool]() {
		*(*int)(pools.FieldByName("maxShift").Addr().UnsafePointer()) = 0
	}
}
