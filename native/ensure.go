package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// EnsureOptions are the options of [Ensure]. The zero value is the usual choice.
type EnsureOptions struct {
	// Progress receives progress messages; nil means [os.Stderr]. If it is a terminal, pip
	// or apt-get shows its own progress there. Otherwise one line says what is fetched, and where to.
	Progress io.Writer
	// Offline forbids downloads. A part that is not found is then a [*NotFoundError].
	Offline bool
}

func (o EnsureOptions) progress() io.Writer {
	if o.Progress == nil {
		return os.Stderr
	}
	return o.Progress
}

const (
	// ensureLimit limits an Ensure whose context has no deadline, including the download
	// and waiting for another process. No usable network is that slow.
	ensureLimit = time.Hour
	lockPoll    = 200 * time.Millisecond
)

// Ensure returns the part like [Find]. If Find finds none, Ensure first fetches the part
// into the cache. If another process is already fetching the same part, Ensure waits for
// it. The error says what to do, and matches [context.Cause] of ctx if ctx ended the work.
// A failed or interrupted fetch leaves no library behind, complete or not. If a library in
// the cache is not as it was fetched, it is fetched again. Nothing is fetched into a cache
// that other users may change: see [UnsafeError].
//
// If the package index does not have the build of [MLIR], Ensure fetches [Jaxlib] instead, and [PJRT81] for
// [PJRTPlugin]. It writes to Progress what that lacks, and asks the index again after an hour. It also uses
// such a part, if it was imported, while the other one cannot be fetched: see [Import].
// [Location.Version] says which one it is.
func Ensure(ctx context.Context, p Part, o EnsureOptions) (Location, error) {
	s := p.spec()
	if at := s.unavailable(); o.Offline || at != nil && time.Since(*at) < askAgain {
		if found, err := Find(p); !errors.As(err, new(*NotFoundError)) {
			return found, err
		}
	}
	found, err := fetched(ctx, p, o)
	if s.instead == "" || !errors.As(err, new(*notInIndexError)) {
		if at := s.unavailable(); err != nil && at != nil && ctx.Err() == nil {
			// The index cannot be asked again: the other part, which was used before or
			// imported, is used for longer.
			if other, otherErr := find(s.instead); otherErr == nil {
				fmt.Fprintf(o.progress(), "%s cannot be fetched: using %s instead, which lacks something: %s\n",
					s.release(), s.instead.Release(), s.lost)
				return other, s.markUnavailable(time.Now())
			}
		}
		return found, err
	}
	if _, ok := s.instead.spec().build(); !ok {
		return found, err
	}
	fmt.Fprintf(o.progress(), "the package index does not have %s: using %s instead, which lacks something: %s\n",
		s.release(), s.instead.Release(), s.lost)
	found, insteadErr := Ensure(ctx, s.instead, o)
	if insteadErr != nil {
		return Location{}, errors.Join(err, insteadErr)
	}
	return found, s.markUnavailable(time.Now())
}

// fetched returns the part itself, and fetches it if it is missing.
func fetched(ctx context.Context, p Part, o EnsureOptions) (Location, error) {
	found, err := find(p)
	var missing *NotFoundError
	if !errors.As(err, &missing) || o.Offline {
		return found, err
	}
	s := p.spec()
	b, ok := s.build()
	if !ok {
		return Location{}, err
	}
	cache, err := CacheDir()
	if errors.As(err, new(*noCacheError)) {
		return Location{}, missing // names the part, and says what the cache needs
	}
	if err != nil {
		return Location{}, err
	}
	sl := s.slot(cache)
	there := func() (bool, error) {
		if _, err := find(p); !errors.As(err, &missing) {
			return true, err
		}
		return false, nil
	}
	err = sl.fill(ctx, s.title, o.progress(), there, func(ctx context.Context) error {
		if missing.Problem != "" {
			fmt.Fprintf(o.progress(), "the %s in the cache is not used: %s\n", s.title, missing.Problem)
		}
		return sl.install(ctx, p, s, b, nil, o.progress())
	})
	if unused := missing.unused(); err != nil && unused != "" {
		return Location{}, fmt.Errorf("%w\nA library is there: %s", err, unused)
	}
	if err != nil {
		return Location{}, err
	}
	return find(p)
}

// install gets the files of a build, from the index or from the given ones, and makes them
// the contents of the slot. It is called in fill.
func (sl slot) install(ctx context.Context, p Part, s spec, b build, from given, progress io.Writer) error {
	r, err := record{}, error(nil)
	if b.debs != nil {
		r, err = assemble(ctx, s, b, sl, from, progress)
	} else {
		r, err = unpackWheel(ctx, p, s, b, sl, from, progress)
	}
	if err != nil {
		return err
	}
	if err := b.matches(r.files(s.library())); err != nil {
		return err
	}
	r.Pin = b.pin()
	if err := sl.commit(r); err != nil {
		return cacheError(filepath.Dir(sl.dir), err)
	}
	return nil
}

// fill calls do, which creates the contents of the slot, for one process at a time and only
// while there reports that they are missing. It removes the remains of an unfinished fill
// before and after. do finds an empty work folder in the slot.
func (sl slot) fill(
	ctx context.Context, title string, progress io.Writer, there func() (bool, error), do func(context.Context) error,
) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, ensureLimit,
		fmt.Errorf("%w: it took longer than %v", context.DeadlineExceeded, ensureLimit))
	defer cancel()

	cache := filepath.Dir(sl.dir)
	if err := sl.trustedFolders(); err != nil {
		return err
	}
	if err := os.MkdirAll(sl.dir, 0o755); err != nil {
		return cacheError(cache, err)
	}
	if _, err := trusted(cache, sl.lock); errors.As(err, new(*UnsafeError)) {
		return err // another user could keep it locked for ever
	}
	unlock, err := acquire(ctx, sl.lock, title, progress)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return cacheError(cache, err)
	}
	defer unlock()

	// The previous holder of the lock may have filled it.
	if found, err := there(); found || err != nil {
		return err
	}
	if err := sl.clean(); err != nil {
		return cacheError(cache, err)
	}
	defer func() {
		if cerr := sl.clean(); err == nil && cerr != nil {
			err = cacheError(cache, cerr)
		}
	}()
	if err := os.MkdirAll(sl.work, 0o755); err != nil {
		return cacheError(cache, err)
	}
	return do(ctx)
}

// EnsureAll calls [Ensure] for each part, or for those of [DefaultParts] if none is given, all at
// the same time. It returns the errors of all. Progress gets lines, and no progress bars.
func EnsureAll(ctx context.Context, o EnsureOptions, parts ...Part) error {
	if err := platformError(); err != nil {
		return err
	}
	if len(parts) == 0 {
		parts = DefaultParts()
		if len(parts) == 0 {
			// The part that everything needs reports what can be done here.
			parts = []Part{MLIR}
		}
	}
	if len(parts) > 1 {
		o.Progress = &lineWriter{to: o.progress()}
	}
	var fetching sync.WaitGroup
	errs := make([]error, len(parts))
	for i, p := range parts {
		fetching.Go(func() { _, errs[i] = Ensure(ctx, p, o) })
	}
	fetching.Wait()
	return errors.Join(errs...)
}

// A lineWriter passes on what several goroutines write. It is not a terminal, so nobody draws progress bars on it.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// acquire takes the lock file at path. It waits for another holder until ctx ends.
func acquire(ctx context.Context, path, title string, progress io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for reported := false; ; reported = true {
		ok, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		if ok {
			return func() { f.Close() }, nil
		}
		if !reported {
			fmt.Fprintf(progress, "another process is fetching the %s: waiting for it\n", title)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("native: gave up waiting for the process that has locked %s to fetch the %s (%w): wait for it or end it, then try again", path, title, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// unpackWheel gets the wheel and unpacks its library to the slot's partial.
func unpackWheel(
	ctx context.Context, p Part, s spec, b build, sl slot, from given, progress io.Writer,
) (record, error) {
	path, err := wheel(ctx, p, s, b, sl, from, progress)
	if err != nil {
		return record{}, err
	}
	return unpack(filepath.Dir(sl.dir), path, s.member, sl.partial)
}

// wheel stores the wheel in the slot's work folder, compares it with the pinned hash, and
// returns its path.
func wheel(
	ctx context.Context, p Part, s spec, b build, sl slot, from given, progress io.Writer,
) (path string, err error) {
	cache := filepath.Dir(sl.dir)
	if from != nil {
		path, err = from.copy(ctx, b.sha256, cache, sl.work)
	} else {
		path, err = download(ctx, p, s, b, sl, progress)
	}
	if err != nil {
		return "", err
	}
	got, err := hashFile(path)
	if err != nil {
		return "", cacheError(cache, err)
	}
	switch {
	case got == b.sha256:
		return path, nil
	case from != nil:
		return "", fmt.Errorf("native: %s changed while it was read: try again", from[b.sha256])
	}
	return "", fmt.Errorf("native: the download of the %s is not the pinned file: %s has sha256 %s and should have %s; it was deleted: try again and, if that does not help, look at pip's settings (`pip config list`) for a package index that alters files", p, filepath.Base(path), got, b.sha256)
}

// matches compares the unpacked files with the pinned hashes. They can only differ if the
// table of parts is wrong, or if a file was changed on the way.
func (b build) matches(files []file) error {
	for _, f := range files {
		if pinned, ok := b.files[f.Name]; ok && f.SHA256 != pinned {
			return fmt.Errorf("native: %s was unpacked with the sha256 %s but should have %s, which is a defect of this program, of the memory or of the disk; it was deleted: try again", f.Name, f.SHA256, pinned)
		}
	}
	return nil
}

// cacheError adds advice to an error of writing into the cache.
func cacheError(cache string, err error) error {
	switch {
	case diskFull(err):
		return diskFullError(cache, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("native: the cache folder %s cannot be written (%w): make it writable, or set %s to a folder that is", cache, err, cacheEnv)
	}
	return fmt.Errorf("native: the cache folder %s cannot be used (%w): fix that, or set %s to another folder", cache,
		err, cacheEnv)
}

func diskFullError(cache string, err error) error {
	return fmt.Errorf("native: the disk of the cache folder %s is full (%w): free about 500 MB there, or set %s to a folder on another disk", cache, err, cacheEnv)
}
