// Package saved reads and writes compiled programs, and keeps them in folders.
package saved

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
)

// A saved program is
//
//	8 bytes    magic
//	uint32     Version, little-endian like the other numbers
//	uint32     number of bytes of the header
//	uint64     number of bytes of the payload
//	32 bytes   SHA-256 of the header
//	header     a Header in JSON
//	payload    the optimized program, compressed, and what XLA serialized
//
// XLA checks almost nothing of a payload: it crashes on a damaged one or computes wrong
// numbers, also on one of another version.
const (
	magic   = "\x89CLP\r\n\x1a\n" // damaged by what converts line ends or drops the eighth bit
	Version = 1
	Prefix  = 8 + 4 + 4 + 8 + sha256.Size
)

// A Header describes a payload, and where it can be loaded.
type Header struct {
	Plugin     string   `json:"plugin_sha256"`
	Version    string   `json:"plugin_version"` // for people: see Plugin.versions
	Platform   string   `json:"platform"`       // of the client
	System     string   `json:"system"`         // see Machine
	CPU        string   `json:"cpu"`
	Features   []string `json:"cpu_features"`
	Payload    string   `json:"payload_sha256"`
	Compressed int      `json:"program_compressed"` // bytes of the program in the payload
	Size       int      `json:"program_size"`       // bytes of the program
	Replicas   int      `json:"replicas,omitempty"`
	Partitions int      `json:"partitions,omitempty"`
	Key        string   `json:"key,omitempty"`     // of an entry of a Cache
	Effects    []string `json:"effects,omitempty"` // of the runtime tokens
	JAX        []string `json:"jax,omitempty"`     // CompileOptions.JAXCallbacks
}

// The reasons of an Error.
const (
	NotSaved = "not a saved program"
	Format   = "format"   // of another version
	Damaged  = "damaged"  // cut or changed
	Platform = "platform" // compiled for another operating system or architecture
	Plugin   = "plugin"   // compiled by another build of the plugin
	CPU      = "cpu"      // compiled for a CPU with other features
)

// An Error says why a saved program is refused: what it needs and what was found, as bridge.SavedError says.
type Error struct{ Reason, Want, Got string }

func (e *Error) Error() string { return e.Reason + ": want " + e.Want + ", got " + e.Got }

// A Program is what is in a saved program.
type File struct {
	Header
	Optimized []byte // the optimized program, see pjrt.Plugin.LastProgram
	Code      []byte // what XLA serialized
}

// Encode returns a saved program. It sets the fields of the header that describe the
// payload.
func (p File) Encode() ([]byte, error) {
	var payload bytes.Buffer
	w, err := flate.NewWriter(&payload, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p.Optimized); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p.Compressed, p.Size = payload.Len(), len(p.Optimized)
	payload.Write(p.Code)
	return Seal(p.Header, payload.Bytes())
}

// Seal puts a header and its payload together.
func Seal(h Header, payload []byte) ([]byte, error) {
	sum := sha256.Sum256(payload)
	h.Payload = hex.EncodeToString(sum[:])
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	headerSum := sha256.Sum256(header)
	data := make([]byte, 0, Prefix+len(header)+len(payload))
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, Version)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
	data = binary.LittleEndian.AppendUint64(data, uint64(len(payload)))
	data = append(data, headerSum[:]...)
	return append(append(data, header...), payload...), nil
}

// maxProgram limits the size of an optimized program. It is that of a message of Protocol
// Buffers.
const maxProgram = 1 << 31

// Decode checks that a saved program is complete, and returns its parts. The code is
// part of data. The error is a *Error.
func Decode(data []byte) (p File, err error) {
	h, payload, err := Unseal(data)
	if err != nil {
		return p, err
	}
	if h.Compressed < 0 || h.Compressed > len(payload) || h.Size < 0 || h.Size > maxProgram ||
		h.Size/bounded.MaxRatio > h.Compressed {
		want := fmt.Sprintf("a program of %d bytes in %d", h.Size, h.Compressed)
		return p, &Error{Damaged, want, fmt.Sprintf("%d bytes", len(payload))}
	}
	// The size may be wrong, so the memory is not allocated at once.
	program, err := io.ReadAll(
		io.LimitReader(flate.NewReader(bytes.NewReader(payload[:h.Compressed])), int64(h.Size)+1))
	if err != nil || len(program) != h.Size {
		want := fmt.Sprintf("a program of %d bytes", h.Size)
		return p, &Error{Damaged, want, fmt.Sprintf("%d bytes (%v)", len(program), err)}
	}
	return File{h, program, payload[h.Compressed:]}, nil
}

// Unseal undoes Seal.
func Unseal(data []byte) (h Header, payload []byte, err error) {
	fail := func(reason, want, got string) (Header, []byte, error) {
		return Header{}, nil, &Error{reason, want, got}
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	switch {
	case !ok:
		return fail(NotSaved, "", "")
	case len(rest) < 4:
		return fail(Damaged, "a version", fmt.Sprintf("%d bytes", len(data)))
	}
	if version := binary.LittleEndian.Uint32(rest); version != Version {
		return fail(Format, fmt.Sprint(version), fmt.Sprint(Version))
	}
	if len(data) < Prefix {
		return fail(Damaged, fmt.Sprintf("at least %d bytes", Prefix), fmt.Sprintf("%d bytes", len(data)))
	}
	headerSize, payloadSize := uint64(binary.LittleEndian.Uint32(rest[4:])), binary.LittleEndian.Uint64(rest[8:])
	sum, rest := rest[16:Prefix-8], rest[Prefix-8:]
	if size := uint64(len(rest)); headerSize > size || payloadSize != size-headerSize {
		want := fmt.Sprintf("a header of %d and a payload of %d bytes", headerSize, payloadSize)
		return fail(Damaged, want, fmt.Sprintf("%d bytes in all", size))
	}
	header, payload := rest[:headerSize], rest[headerSize:]
	if got := sha256.Sum256(header); !bytes.Equal(got[:], sum) {
		return fail(Damaged, fmt.Sprintf("a header with sha256 %x", sum), hex.EncodeToString(got[:]))
	}
	if err := json.Unmarshal(header, &h); err != nil {
		return fail(Damaged, "a header in JSON", err.Error())
	}
	if got := sha256.Sum256(payload); hex.EncodeToString(got[:]) != h.Payload {
		return fail(Damaged, "a payload with sha256 "+h.Payload, hex.EncodeToString(got[:]))
	}
	return h, payload, nil
}

// Fits returns a *Error if a program with the header cannot be loaded where a program
// saved now would have the header here.
func (h Header) Fits(here Header) error {
	switch {
	case h.Platform != here.Platform || h.System != here.System:
		return &Error{Platform, h.Platform + " on " + h.System, here.Platform + " on " + here.System}
	case h.Plugin != here.Plugin || h.Version != here.Version:
		return &Error{Plugin, h.Version + ", sha256 " + h.Plugin, here.Version + ", sha256 " + here.Plugin}
	case !slices.Equal(h.Features, here.Features):
		return &Error{CPU, missing(h.Features, here.Features), missing(here.Features, h.Features)}
	case h.CPU != here.CPU:
		return &Error{CPU, "the model " + h.CPU, "the model " + here.CPU}
	}
	return nil
}

// missing returns the elements of list that other does not have.
func missing(list, other []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) }),
		" ")
}
