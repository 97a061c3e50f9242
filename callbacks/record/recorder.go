package record

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// A Recorder writes every call of the functions that it wraps. It is safe for concurrent
// use. Overlapping calls wait for each other while their records are written.
type Recorder struct {
	start time.Time

	mu    sync.Mutex
	out   io.Writer
	close func() error
	sites map[contract.Config]uint64
	calls uint64
	spare encoder // memory of the last record
	err   error   // the first write error; nothing is written after it
}

// keep is the maximum amount of memory kept from one record for the next.
const keep = 1 << 20

var errClosed = errors.New("record: the recorder is closed")

// Create starts a recording in a file. It overwrites an existing regular file.
func Create(path string) (*Recorder, error) {
	f, err := replace.Create(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r, err := NewRecorder(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.close = f.Close
	return r, nil
}

// NewRecorder starts a recording in w. It writes each record with one Write and does not
// close w.
func NewRecorder(w io.Writer) (*Recorder, error) {
	if w == nil {
		return nil, errors.New("record: the writer is nil: give one, or use Create")
	}
	r := &Recorder{start: time.Now(), out: w, sites: map[contract.Config]uint64{}}
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r.write(newRecord(kindStart, nil).number(uint64(r.start.UnixNano())))
	return r, r.err
}

// Wrap is a callbacks.Middleware. The function that it returns calls next and records the
// call. If the call is stopped by a timeout, the end of the function is still recorded as
// the end of the call.
//
// If writing fails, the functions go on without being recorded, and Close returns the
// error.
func (r *Recorder) Wrap(next callbacks.Func) callbacks.Func {
	return func(f *callbacks.Frame) error {
		// Record the begin first: the function may change its arguments or end the process.
		n, recorded := r.begin(f)
		if !recorded {
			return next(f)
		}
		finished := false
		defer func() {
			if !finished {
				r.end(n, f, endedPanic, "") // not recovered here: the caller needs the stack
			}
		}()
		err := next(f)
		finished = true
		if err != nil {
			r.end(n, f, endedError, errtext.Of(err))
		} else {
			r.end(n, f, endedWell, "")
		}
		return err
	}
}

// Close ends the recording. It returns the first error of writing. Later calls are made but
// not recorded.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == errClosed {
		return nil
	}
	err := r.err
	if r.close != nil {
		if closing := r.close(); err == nil && closing != nil {
			err = fmt.Errorf("record: %w", closing)
		}
	}
	r.err = errClosed
	return err
}

func (r *Recorder) begin(f *callbacks.Frame) (call uint64, recorded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	site, known := r.sites[f.Config]
	if !known {
		record, err := newRecord(kindSite, r.spare).site(f.Config)
		if err != nil {
			return 0, false // no module has such a call; it was made by hand
		}
		site = uint64(len(r.sites))
		r.sites[f.Config] = site
		r.write(record)
	}
	r.write(newRecord(kindBegin, r.spare).number(site).number(uint64(f.Device)).signed(f.RunID).
		number(r.now()).views(f.Args).views(f.IDs))
	call = r.calls
	r.calls++
	return call, r.err == nil
}

func (r *Recorder) end(call uint64, f *callbacks.Frame, how uint64, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := newRecord(kindEnd, r.spare).number(call).number(r.now()).number(how)
	switch how {
	case endedWell:
		e = e.views(f.Results)
	case endedError:
		e = e.text(text)
	}
	r.write(e)
}

func (r *Recorder) now() uint64 { return uint64(time.Since(r.start)) }

// write writes one record. The caller holds the lock.
func (r *Recorder) write(e encoder) {
	if r.err == nil {
		if _, err := r.out.Write(e.seal()); err != nil {
			r.err = fmt.Errorf("record: %w", err)
		}
	}
	if cap(e) <= keep {
		r.spare = e
	}
}
