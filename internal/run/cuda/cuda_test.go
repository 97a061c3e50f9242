//go:build linux

package cuda_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/run/cuda"
	"github.com/calliope-mlir/calliope/internal/run/cuda/cudatest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func newPool(t *testing.T, limit int64) *cuda.Pool {
	t.Helper()
	p, err := cuda.NewPool(limit)
	check.NoError(t, err)
	t.Cleanup(func() {
		check.NoError(t, p.Close())
		check.Diff(t, "bytes after Close", int64(0), p.Held())
	})
	return p
}

// counted fails the test if the library was misused.
func counted(t *testing.T) (*cudatest.Driver, func() cudatest.Counts) {
	t.Helper()
	d := cudatest.Open(t)
	before := d.Counts()
	t.Cleanup(func() { check.Diff(t, "misuses", 0, d.Counts().Since(before).Misuses) })
	return d, func() cudatest.Counts { return d.Counts().Since(before) }
}

// A call waits once for its operands, and not for its results.
func TestCopies(t *testing.T) {
	d, counts := counted(t)
	p := newPool(t, 1<<20)
	s := d.Stream()
	a, b, out := d.Array(t, make([]byte, 8)), d.Array(t, make([]byte, 8)), d.Array(t, make([]byte, 8))
	s.Sleep(20) // the operands are not computed yet
	s.Fill(a, 1)
	s.Fill(b, 2)
	block := check.Must(p.Take(s.Pointer(), 192))
	check.NoError(t, block.ToHost([]cuda.Copy{{0, a.Pointer(), 8}, {64, b.Pointer(), 8}}))
	view := func(offset int) []byte { return block.Bytes(offset, 8) }
	check.Diff(t, "operands", append(bytes.Repeat([]byte{1}, 8), bytes.Repeat([]byte{2}, 8)...),
		append(bytes.Clone(view(0)), view(64)...))
	s.Hold()
	copy(view(128), "results!")
	check.NoError(t, block.ToDevice([]cuda.Copy{{128, out.Pointer(), 8}}))
	block.Release()
	check.Diff(t, "result before the stream gets to it", make([]byte, 8), out.Bytes())
	// Memory from which a copy is under way is not used again.
	other := check.Must(p.Take(s.Pointer(), 192))
	copy(other.Bytes(128, 8), "another!")
	other.Release()
	s.LetGo()
	s.Drain()
	check.Diff(t, "result", "results!", string(out.Bytes()))
	c := counts()
	check.Diff(t, "counts", cudatest.Counts{Waits: 1, ToHost: 2, ToDevice: 1, Records: 2, Allocated: 2, Pinned: 8192},
		c)
	check.Must(p.Take(s.Pointer(), 192)).Release()
	check.Diff(t, "blocks after the copies", 2, counts().Allocated)
}

// The pool frees what exceeds its limit, except what is in use.
func TestPoolLimit(t *testing.T) {
	d, counts := counted(t)
	p := newPool(t, 16<<10)
	s := d.Stream()
	out := d.Array(t, make([]byte, 8))
	take := func(size int) *cuda.Block { return check.Must(p.Take(s.Pointer(), size)) }
	small := take(1)
	check.Diff(t, "a small block", int64(4<<10), p.Held())
	large := take(40 << 10)
	check.Diff(t, "with one above the limit", int64(44<<10), p.Held())
	large.Release()
	check.Diff(t, "after that", int64(4<<10), p.Held())
	small.Release()
	check.Diff(t, "idle", int64(4<<10), p.Held())
	take(16 << 10).Release()
	check.Diff(t, "the small block made room", int64(16<<10), p.Held())
	// A block with copies under way makes room when they are made.
	b := take(16 << 10)
	s.Sleep(20)
	check.NoError(t, b.ToDevice([]cuda.Copy{{0, out.Pointer(), 8}}))
	b.Release()
	take(8 << 10).Release()
	check.Diff(t, "the copied block made room", int64(8<<10), p.Held())
	check.Diff(t, "bytes", int(p.Held()), counts().Pinned)
}

// Blocks and their events belong to the context of a stream.
func TestContexts(t *testing.T) {
	d, counts := counted(t)
	p := newPool(t, 1<<20)
	one, two := d.Stream(), d.Context().Stream()
	a := d.Array(t, make([]byte, 8))
	for range 3 {
		for _, s := range []*cudatest.Stream{one, two} {
			b := check.Must(p.Take(s.Pointer(), 8))
			check.NoError(t, b.ToHost([]cuda.Copy{{0, a.Pointer(), 8}}))
			b.Release()
		}
	}
	check.Diff(t, "blocks", 2, counts().Allocated)
}

func TestErrors(t *testing.T) {
	tests := []struct {
		function string
		code     int
		after    int
		want     []string
	}{
		{"cuStreamGetCtx", 400, 0,
			[]string{"cuStreamGetCtx: CUDA_ERROR_INVALID_HANDLE (400): invalid resource handle"}},
		{"cuCtxPushCurrent_v2", 201, 0, []string{"cuCtxPushCurrent: CUDA_ERROR_INVALID_CONTEXT (201)"}},
		{"cuMemHostAlloc", 719, 0,
			[]string{"cuMemHostAlloc: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure"}},
		{"cuEventCreate", 2, 0, nil}, // the second attempt succeeds
		{"cuMemHostAlloc", 2, 0, nil},
		{"cuMemHostAlloc", 12345, 0, []string{"cuMemHostAlloc: an unknown error (12345)"}},
		{"cuMemcpyDtoHAsync_v2", 1, 1, []string{"cuMemcpyDtoHAsync: CUDA_ERROR_INVALID_VALUE (1): invalid argument"}},
		{"cuEventSynchronize", 719, 0, []string{"cuEventSynchronize: CUDA_ERROR_LAUNCH_FAILED (719)"}},
		{"cuEventRecord", 400, 0, []string{"cuEventRecord: CUDA_ERROR_INVALID_HANDLE"}},
		{"cuEventRecord", 400, 1, []string{"cuEventRecord: CUDA_ERROR_INVALID_HANDLE"}},
		{"cuMemcpyHtoDAsync_v2", 1, 0, []string{"cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE"}},
	}
	for _, test := range tests {
		t.Run(test.function, func(t *testing.T) {
			d, _ := counted(t)
			p := check.Must(cuda.NewPool(1 << 20))
			s := d.Stream()
			a, out := d.Array(t, make([]byte, 8)), d.Array(t, make([]byte, 8))
			d.Fail(t, test.function, test.code, test.after)
			err := func() error {
				b, err := p.Take(s.Pointer(), 200)
				if err != nil {
					return err
				}
				defer b.Release()
				if err := b.ToHost([]cuda.Copy{{0, a.Pointer(), 8}, {64, a.Pointer(), 8}}); err != nil {
					return err
				}
				return b.ToDevice([]cuda.Copy{{128, out.Pointer(), 8}})
			}()
			s.Drain()
			if test.want == nil {
				check.NoError(t, err)
				return
			}
			check.Error(t, err, test.want...)
			if failed := new(cuda.Error); !errors.As(err, &failed) || failed.Code != test.code {
				t.Errorf("%#v is no *Error with the code %d", err, test.code)
			}
			if test.code == cudatest.LaunchFailed {
				return // nothing can be freed
			}
			check.NoError(t, p.Close())
			check.Diff(t, "bytes after Close", int64(0), p.Held())
		})
	}
}

// Several streams at once, each with work before its calls.
func TestStreams(t *testing.T) {
	d, counts := counted(t)
	p := newPool(t, 64<<10)
	var all sync.WaitGroup
	for n := range 8 {
		s, in, out := d.Stream(), d.Array(t, make([]byte, 5000)), d.Array(t, make([]byte, 5000))
		all.Go(func() {
			for i := range 50 {
				s.Fill(in, byte(n+i))
				b, err := p.Take(s.Pointer(), 10000)
				if err != nil {
					t.Error(err)
					return
				}
				err = b.ToHost([]cuda.Copy{{0, in.Pointer(), 5000}})
				copy(b.Bytes(5000, 5000), b.Bytes(0, 5000))
				if err = errors.Join(err, b.ToDevice([]cuda.Copy{{5000, out.Pointer(), 5000}})); err != nil {
					t.Error(err)
				}
				b.Release()
			}
			s.Drain()
			if want := bytes.Repeat([]byte{byte(n + 49)}, 5000); !bytes.Equal(want, out.Bytes()) {
				t.Errorf("stream %d has another result", n)
			}
		})
	}
	all.Wait()
	check.Diff(t, "waits at least", true, counts().Waits >= 8*50)
	check.Diff(t, "within the limit", true, p.Held() <= 64<<10)
}

func TestOpenErrors(t *testing.T) {
	_, err := cuda.Load(filepath.Join(t.TempDir(), "absent.so"))
	check.Error(t, err, "absent.so", "install NVIDIA's driver", cuda.Env)
	_, err = cuda.Load("libm.so.6")
	check.Error(t, err, "libm.so.6 has no function cuInit")
	path := check.Must(cudatest.Build(t.TempDir(), "-DNO_DEVICE"))
	_, err = cuda.Load(path)
	check.Error(t, err, "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected")
}
