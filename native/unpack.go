package native

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
)

// unpack writes one file of the wheel to a path in the cache. The zip reader checks the
// file's length and CRC.
func unpack(cache, wheel, member, path string) (record, error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return record{},
			fmt.Errorf("native: the wheel %s cannot be read, which is a defect of this program or of the disk: %w", filepath.Base(wheel), err)
	}
	defer z.Close()
	src, err := z.Open(member)
	if err != nil {
		return record{}, fmt.Errorf("native: the wheel %s does not provide %s, which is a defect of this program or of the disk: %w", filepath.Base(wheel), member, err)
	}
	defer src.Close()
	h := sha256.New()
	n := new(counter)
	if err := writeSynced(path, io.TeeReader(src, io.MultiWriter(h, n))); err != nil {
		return record{}, cacheError(cache, err)
	}
	return record{Wheel: filepath.Base(wheel), SHA256: hex.EncodeToString(h.Sum(nil)), Size: int64(*n)}, nil
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
