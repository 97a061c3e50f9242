// Package bounded reads untrusted files and streams up to a size limit, which is a flag of
// the command that reads.
package bounded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// A Size is a number of bytes and a [flag.Value], such as "4096" or "512MiB".
type Size int64

// The units of sizes.
const (
	KiB Size = 1 << (10 * (iota + 1))
	MiB
	GiB
	TiB
)

var units = []struct {
	name string
	size Size
}{{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}}

// String returns the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && s%u.size == 0 {
			return fmt.Sprint(int64(s/u.size), u.name)
		}
	}
	return fmt.Sprint(int64(s), " bytes")
}

// Set parses a size of one byte or more.
func (s *Size) Set(text string) error {
	number, unit := text, Size(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(n), u.size
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || Size(n) > math.MaxInt64/unit {
		return fmt.Errorf("give a size such as 4096 (bytes) or 512MiB (units: KiB, MiB, GiB, TiB)")
	}
	*s = Size(n) * unit
	return nil
}

// MaxRatio is how many bytes a byte that deflate compressed can stand for: two bits repeat 258 bytes.
const MaxRatio = 4 * 258

// A Limit is the maximum size of one input, and the flag that raises it.
type Limit struct {
	Size Size
	Flag string // such as "--max-module"; "" if the limit is fixed
}

// A TooLargeError reports an input that is larger than its limit.
type TooLargeError struct {
	Limit Limit
	Size  Size // of the input, 0 if it is not known
}

func (e *TooLargeError) Error() string {
	what := "it is larger than"
	if e.Size > 0 {
		what = fmt.Sprintf("it takes %s, and the limit is", e.Size)
	}
	text := fmt.Sprintf("%s %s", what, e.Limit.Size)
	if e.Limit.Flag != "" {
		text += ": raise " + e.Limit.Flag + " to read it"
	}
	return text
}

// chunk is the number of bytes read at once. An input that is too large takes no more
// memory than the limit, because nothing is copied before the end is known.
const chunk = 1 << 20

// Read reads a stream to its end. It returns a *TooLargeError if the stream exceeds the
// limit.
func Read(r io.Reader, l Limit) ([]byte, error) {
	// One byte more than the limit shows that the input is too large.
	rest := io.LimitReader(r, int64(min(l.Size, math.MaxInt64-1))+1)
	var chunks [][]byte
	size := Size(0)
	for {
		b := make([]byte, chunk)
		n, err := io.ReadFull(rest, b)
		chunks = append(chunks, b[:n])
		switch size += Size(n); {
		case size > l.Size:
			return nil, &TooLargeError{Limit: l}
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if len(chunks) == 1 {
				return chunks[0], nil
			}
			return bytes.Join(chunks, nil), nil
		case err != nil:
			return nil, err
		}
	}
}

// ReadRegular reads a regular file to its end. It refuses pipes, which may wait for a writer, and
// devices.
func ReadRegular(path string, l Limit) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a regular file")}
	}
	return ReadFile(path, l)
}

// ReadFile reads a file of any kind to its end. It does not read a file whose stated size
// exceeds the limit. It returns a *TooLargeError for a file that is too large.
func ReadFile(path string, l Limit) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := Size(info.Size())
	switch {
	case !info.Mode().IsRegular():
		return Read(f, l)
	case size > l.Size:
		return nil, &TooLargeError{l, size}
	}
	// Read in one piece, unless the file grows meanwhile or does not state its size, as in
	// /proc.
	data := make([]byte, size+1)
	switch n, err := io.ReadFull(f, data); err {
	case nil:
		return Read(io.MultiReader(bytes.NewReader(data), f), l)
	case io.EOF, io.ErrUnexpectedEOF:
		return data[:n], nil
	default:
		return nil, err
	}
}
