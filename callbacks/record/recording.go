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

// Recording is what a recorder wrote.
type Recording struct {
	Start time.Time
	Calls []Call // in the order in which they began

	// Torn says what is wrong with the end of the file, nil where nothing is: the
	// process that wrote it died, or somebody changed it. Calls is what stands before.
	Torn error
}

// Call is one call of a callback.
type Call struct {
	Config contract.Config
	Device int
	RunID  int64 // of the process that was recorded

	Begin, End time.Duration // since the start of the recording
	// Args and IDs are as they were before the call, Results as they were after it.
	Args, IDs, Results []tensor.View

	Finished bool   // the recording has the end of the call
	Panicked bool   // the function panicked, or ended its goroutine
	Err      string // the text of the error that it returned, "" for none
}

// Name is the callback's name, or "id N".
func (c *Call) Name() string { return c.Config.Name() }

// Open reads a recording. A file that is no recording, or one of another version, is
// an error; for one that was cut off see Recording.Torn.
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

// Read is Open for what is not a file.
func Read(from io.Reader) (*Recording, error) {
	in := bufio.NewReaderSize(from, 1<<16)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(head)-1]) != magic[:len(magic)-1] {
		return nil, errors.New("record: this is no recording of callbacks")
	}
	if string(head) != magic {
		return nil, fmt.Errorf("record: the recording has the version %q, this program reads version %q: use the release that wrote it", head[len(head)-1], magic[len(magic)-1])
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
			p.recording.Torn = fmt.Errorf("record: the recording is torn at byte %d, after %d calls: %w", at, len(p.recording.Calls), err)
			break
		}
		at += prefix + int64(len(body))
	}
	return p.recording, nil
}

// next is the body of the next record, io.EOF at the end of the last one.
func next(in io.Reader) ([]byte, error) {
	var head [prefix]byte
	if _, err := io.ReadFull(in, head[:]); err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, errShort
	}
	size := binary.LittleEndian.Uint64(head[:])
	if size > 1<<62 {
		return nil, errors.New("its length makes no sense")
	}
	// Grows with what is there, not with what is said.
	body, err := io.ReadAll(io.LimitReader(in, int64(size)))
	if err != nil {
		return nil, err
	}
	if uint64(len(body)) != size {
		return nil, errShort
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, errors.New("its CRC is another")
	}
	return body, nil
}

// parser makes a Recording of records.
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
		return fmt.Errorf("there is no kind %q of records", kind)
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
		return fmt.Errorf("there is no end %d of a call", how)
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
