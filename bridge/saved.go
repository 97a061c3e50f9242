package bridge

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A saved program is
//
//	8 bytes    savedMagic
//	uint32     savedVersion, little-endian like the other numbers
//	uint32     number of bytes of the header
//	uint64     number of bytes of the payload
//	32 bytes   SHA-256 of the header
//	header     a savedHeader in JSON
//	payload    the optimized program, compressed, and what XLA serialized
//
// XLA checks almost nothing of a payload: it crashes on a damaged one or computes wrong
// numbers, also on one of another version.
const (
	savedMagic   = "\x89CLP\r\n\x1a\n" // damaged by what converts line ends or drops the eighth bit
	savedVersion = 1
	savedPrefix  = 8 + 4 + 4 + 8 + sha256.Size
)

// savedHeader describes a payload, and where it can be loaded.
type savedHeader struct {
	Plugin     string   `json:"plugin_sha256"`
	Version    string   `json:"plugin_version"` // for people: see Plugin.versions
	Platform   string   `json:"platform"`       // of the client
	System     string   `json:"system"`         // see machine
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

// A SavedReason says why a saved program is refused.
type SavedReason string

const (
	NotSaved      SavedReason = "not a saved program"
	SavedFormat   SavedReason = "format"   // of another version
	SavedDamaged  SavedReason = "damaged"  // cut or changed
	SavedPlatform SavedReason = "platform" // compiled for another operating system or architecture
	SavedPlugin   SavedReason = "plugin"   // compiled by another build of the plugin
	SavedCPU      SavedReason = "cpu"      // compiled for a CPU with other features
)

// A SavedError reports a saved program that [Client.Load] refuses before XLA reads it. To
// have a program that can be loaded, compile the module again.
type SavedError struct {
	Reason SavedReason
	// Want is what the saved program needs, and Got what was found. With SavedDamaged, they
	// are sizes or checksums, and with SavedCPU the features that only one of them has.
	Want, Got string
}

func (e *SavedError) Error() string {
	const again = ": compile the module again"
	switch e.Reason {
	case NotSaved:
		return "bridge: Load: the data is not a saved program: give what Executable.Serialize returned"
	case SavedFormat:
		return fmt.Sprintf("bridge: Load: the saved program has format %s, but this release reads format %s%s", e.Want, e.Got, again)
	case SavedDamaged:
		return fmt.Sprintf("bridge: Load: the saved program is damaged: want %s, got %s%s", e.Want, e.Got, again)
	case SavedCPU:
		text := "bridge: Load: the program was compiled for another CPU"
		if e.Want != "" {
			text += fmt.Sprintf(", which has %.400s", e.Want)
		}
		if e.Got != "" {
			text += fmt.Sprintf("; this one has %.400s", e.Got)
		}
		return text + again
	}
	return fmt.Sprintf("bridge: Load: the program was compiled for another %s: %s; this is %s%s", e.Reason, e.Want, e.Got, again)
}

// A savedProgram is what is in a saved program.
type savedProgram struct {
	savedHeader
	program []byte // the optimized program, see pjrt.Plugin.LastProgram
	code    []byte // what XLA serialized
}

// encode returns a saved program. It sets the fields of the header that describe the
// payload.
func (p savedProgram) encode() ([]byte, error) {
	var payload bytes.Buffer
	w, err := flate.NewWriter(&payload, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p.program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p.Compressed, p.Size = payload.Len(), len(p.program)
	payload.Write(p.code)
	return seal(p.savedHeader, payload.Bytes())
}

// seal puts a header and its payload together.
func seal(h savedHeader, payload []byte) ([]byte, error) {
	sum := sha256.Sum256(payload)
	h.Payload = hex.EncodeToString(sum[:])
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	headerSum := sha256.Sum256(header)
	data := make([]byte, 0, savedPrefix+len(header)+len(payload))
	data = append(data, savedMagic...)
	data = binary.LittleEndian.AppendUint32(data, savedVersion)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
	data = binary.LittleEndian.AppendUint64(data, uint64(len(payload)))
	data = append(data, headerSum[:]...)
	return append(append(data, header...), payload...), nil
}

// maxProgram limits the size of an optimized program. It is that of a message of Protocol
// Buffers.
const maxProgram = 1 << 31

// decodeSaved checks that a saved program is complete, and returns its parts. The code is
// part of data. The error is a *SavedError.
func decodeSaved(data []byte) (p savedProgram, err error) {
	h, payload, err := unseal(data)
	if err != nil {
		return p, err
	}
	if h.Compressed < 0 || h.Compressed > len(payload) || h.Size < 0 || h.Size > maxProgram {
		return p, &SavedError{SavedDamaged, fmt.Sprintf("a program of %d bytes in %d", h.Size, h.Compressed), fmt.Sprintf("%d bytes", len(payload))}
	}
	// The size may be wrong, so the memory is not allocated at once.
	program, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(payload[:h.Compressed])), int64(h.Size)+1))
	if err != nil || len(program) != h.Size {
		return p, &SavedError{SavedDamaged, fmt.Sprintf("a program of %d bytes", h.Size), fmt.Sprintf("%d bytes (%v)", len(program), err)}
	}
	return savedProgram{h, program, payload[h.Compressed:]}, nil
}

// unseal undoes seal.
func unseal(data []byte) (h savedHeader, payload []byte, err error) {
	fail := func(reason SavedReason, want, got string) (savedHeader, []byte, error) {
		return savedHeader{}, nil, &SavedError{reason, want, got}
	}
	rest, ok := bytes.CutPrefix(data, []byte(savedMagic))
	switch {
	case !ok:
		return fail(NotSaved, "", "")
	case len(rest) < 4:
		return fail(SavedDamaged, "a version", fmt.Sprintf("%d bytes", len(data)))
	}
	if version := binary.LittleEndian.Uint32(rest); version != savedVersion {
		return fail(SavedFormat, fmt.Sprint(version), fmt.Sprint(savedVersion))
	}
	if len(data) < savedPrefix {
		return fail(SavedDamaged, fmt.Sprintf("at least %d bytes", savedPrefix), fmt.Sprintf("%d bytes", len(data)))
	}
	headerSize, payloadSize := uint64(binary.LittleEndian.Uint32(rest[4:])), binary.LittleEndian.Uint64(rest[8:])
	sum, rest := rest[16:savedPrefix-8], rest[savedPrefix-8:]
	if size := uint64(len(rest)); headerSize > size || payloadSize != size-headerSize {
		return fail(SavedDamaged, fmt.Sprintf("a header of %d and a payload of %d bytes", headerSize, payloadSize), fmt.Sprintf("%d bytes in all", size))
	}
	header, payload := rest[:headerSize], rest[headerSize:]
	if got := sha256.Sum256(header); !bytes.Equal(got[:], sum) {
		return fail(SavedDamaged, fmt.Sprintf("a header with sha256 %x", sum), hex.EncodeToString(got[:]))
	}
	if err := json.Unmarshal(header, &h); err != nil {
		return fail(SavedDamaged, "a header in JSON", err.Error())
	}
	if got := sha256.Sum256(payload); hex.EncodeToString(got[:]) != h.Payload {
		return fail(SavedDamaged, "a payload with sha256 "+h.Payload, hex.EncodeToString(got[:]))
	}
	return h, payload, nil
}

// fits returns a *SavedError if a program with the header cannot be loaded where a program
// saved now would have the header here.
func (h savedHeader) fits(here savedHeader) error {
	switch {
	case h.Platform != here.Platform || h.System != here.System:
		return &SavedError{SavedPlatform, h.Platform + " on " + h.System, here.Platform + " on " + here.System}
	case h.Plugin != here.Plugin || h.Version != here.Version:
		return &SavedError{SavedPlugin, h.Version + ", sha256 " + h.Plugin, here.Version + ", sha256 " + here.Plugin}
	case !slices.Equal(h.Features, here.Features):
		return &SavedError{SavedCPU, missing(h.Features, here.Features), missing(here.Features, h.Features)}
	case h.CPU != here.CPU:
		return &SavedError{SavedCPU, "the model " + h.CPU, "the model " + here.CPU}
	}
	return nil
}

// missing returns the elements of list that other does not have.
func missing(list, other []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) }), " ")
}

// savedHere returns the header of a program that is saved now. It returns an error if the
// plugin cannot save programs, or if the machine is not known.
func (c *Client) savedHere() (savedHeader, error) {
	if err := c.plugin.pjrt.CanSave(); err != nil {
		return savedHeader{}, err
	}
	if c.pinned != nil {
		return savedHeader{}, fmt.Errorf("programs for GPUs are not saved, because a saved program does not say for which GPU: %w", errors.ErrUnsupported)
	}
	m := thisMachine()
	if len(m.Features) == 0 {
		return savedHeader{}, fmt.Errorf("the features of this machine's CPU are not known (%s): %w", m.System, errors.ErrUnsupported)
	}
	sum, err := c.plugin.sha256()
	if err != nil {
		return savedHeader{}, err
	}
	return savedHeader{
		Plugin: sum, Version: c.plugin.versions(), Platform: c.xla.Platform(),
		System: m.System, CPU: m.CPU, Features: m.Features,
	}, nil
}
