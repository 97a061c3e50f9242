package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Recording is what a Recorder wrote.
type Recording struct {
	Start time.Time
	Calls []Call // in the order in which they began

	// Torn is nil if the file is complete. Otherwise it describes the incomplete end: the
	// process that wrote the file died, or the file was changed. Calls holds the calls
	// before it.
	Torn error
}

// A Call is one call of a callback.
type Call struct {
	Config contract.Config
	Device int
	RunID  int64 // run of the recorded process

	Begin, End time.Duration // since the start of the recording
	// Args and IDs are as before the call, Results as after it.
	Args, IDs, Results []tensor.View

	Finished bool   // the recording has the end of the call
	Panicked bool   // the function panicked or called runtime.Goexit
	Err      string // the text of the error that it returned, "" for none
}

// Name returns the callback's name, or "id N".
func (c *Call) Name() string { return c.Config.Name() }

// Open reads a recording. It returns an error if the file is not a recording or has another
// version. For an incomplete file, see Recording.Torn.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return r, nil
}

// Read is like Open but reads from a reader.
func Read(from io.Reader) (*Recording, error) {
	in := bufio.NewReaderSize(from, 1<<16)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(head)-1]) != magic[:len(magic)-1] {
		return nil, errors.New("record: this is not a recording of callbacks")
	}
	if string(head) != magic {
		return nil, fmt.Errorf("record: the recording has version %q, but this program reads version %q: use the release that wrote it", head[len(head)-1], magic[len(magic)-1])
	}
	p := &parser{recording: &Recording{}}
	for at := int64(len(magic)); ; {
		body, err := next(in)
		if err == nil {
			err = p.read(body)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			p.recording.Torn = fmt.Errorf("record: the recording is incomplete from byte %d, after %d calls: %w", at,
				len(p.recording.Calls), err)
			break
		}
		at += prefix + int64(len(body))
	}
	return p.recording, nil
}

// next returns the body of the next record, or io.EOF after the last one.
func next(in io.Reader) ([]byte, error) {
	var head [prefix]byte
	if _, err := io.ReadFull(in, head[:]); err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, errShort
	}
	size := binary.LittleEndian.Uint64(head[:])
	if size > 1<<62 {
		return nil, errors.New("its length is not valid")
	}
	// The memory grows with the data that is present, not with the stated length.
	body, err := io.ReadAll(io.LimitReader(in, int64(size)))
	if err != nil {
		return nil, err
	}
	if uint64(len(body)) != size {
		return nil, errShort
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, errors.New("its CRC does not match")
	}
	return body, nil
}

// parser builds a Recording from records.
type parser struct {
	recording *Recording
	sites     []contract.Config
}

func (p *parser) read(body []byte) error {
	d := &decoder{body: body}
	kind := d.byte()
	r := p.recording
	switch kind {
	case kindStart:
		r.Start = time.Unix(0, int64(d.number()))
	case kindSite:
		if config := d.site(); d.err == nil {
			p.sites = append(p.sites, config)
		}
	case kindBegin:
		var c Call
		site := d.number()
		if site >= uint64(len(p.sites)) {
			return fmt.Errorf("there is no site %d", site)
		}
		c.Config = p.sites[site]
		c.Device = int(d.number())
		c.RunID = d.signed()
		c.Begin = time.Duration(d.number())
		c.Args, c.IDs = d.views(), d.views()
		if err := d.end(); err != nil {
			return err
		}
		r.Calls = append(r.Calls, c)
	case kindEnd:
		return p.end(d)
	default:
		return fmt.Errorf("unknown kind %q of a record", kind)
	}
	return d.end()
}

func (p *parser) end(d *decoder) error {
	n := d.number()
	if n >= uint64(len(p.recording.Calls)) {
		return fmt.Errorf("there is no call %d to end", n)
	}
	at := time.Duration(d.number())
	how := d.number()
	var results []tensor.View
	var text string
	switch how {
	case endedWell:
		results = d.views()
	case endedError:
		text = string(d.bytes())
	case endedPanic:
	default:
		return fmt.Errorf("unknown end %d of a call", how)
	}
	if err := d.end(); err != nil {
		return err
	}
	c := &p.recording.Calls[n]
	c.Finished, c.End, c.Results, c.Err, c.Panicked = true, at, results, text, how == endedPanic
	if how == endedError && text == "" {
		c.Err = "an error without a text"
	}
	return nil
}
