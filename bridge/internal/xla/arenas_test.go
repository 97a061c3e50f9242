//go:build cgo && !windows

package xla

import (
	"reflect"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin) }

// TestArenas holds that gopjrt keeps no memory of a compile, where it would be lost.
func TestArenas(t *testing.T) {
	found, err := native.Find(native.PJRTPlugin)
	check.NoError(t, err)
	p, err := Open(t.Name(), check.Must(pjrt.Load(check.Must(dl.Open(found.Path)))))
	check.NoError(t, err)
	c, err := p.NewClient(ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, c)
	pools := reflect.ValueOf(p.gopjrt).Elem().FieldByName("arenaPools").Elem().FieldByName("pools")
	if pools.Type() != reflect.TypeFor[[]sync.Pool]() {
		return // go-xla's pools free what they keep
	}
	for range 20 { // it may be in a pool where Get does not find it
		e, err := c.Compile([]byte("func.func @main() { return }"), CompileOptions{})
		check.NoError(t, err)
		check.NoError(t, e.Close())
		for i := range pools.Len() {
			if kept := (*sync.Pool)(pools.Index(i).Addr().UnsafePointer()).Get(); kept != nil {
				t.Fatalf("a pool has a %T", kept)
			}
		}
	}
}
