package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// magic is at the beginning of a file. Its last letter is the version.
const magic = "CALLREC1"

// prefix is the length of what precedes a body.
const prefix = 12

// The kinds of records.
const (
	kindStart = 'S'
	kindSite  = 'C'
	kindBegin = 'B'
	kindEnd   = 'E'
)

// How a call ended.
const (
	endedWell = iota
	endedError
	endedPanic
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encoder builds one record, including its prefix.
type encoder []byte

func newRecord(kind byte, into encoder) encoder {
	return append(append(into[:0], make([]byte, prefix)...), kind)
}

// seal fills in the prefix.
func (e encoder) seal() []byte {
	body := e[prefix:]
	binary.LittleEndian.PutUint64(e, uint64(len(body)))
	binary.LittleEndian.PutUint32(e[8:], crc32.Checksum(body, castagnoli))
	return e
}

func (e encoder) number(n uint64) encoder { return binary.AppendUvarint(e, n) }
func (e encoder) signed(n int64) encoder  { return binary.AppendVarint(e, n) }
func (e encoder) text(s string) encoder   { return append(e.number(uint64(len(s))), s...) }

func (e encoder) views(list []tensor.View) encoder {
	e = e.number(uint64(len(list)))
	for _, v := range list {
		e = e.text(v.Shape.String()).number(uint64(len(v.Data)))
		e = append(e, v.Data...)
	}
	return e
}

// site appends a backend_config. With an encoding of another host, the attributes do not
// hold all of it.
func (e encoder) site(c contract.Config) (encoder, error) {
	e = e.number(uint64(c.Host.Encoding))
	if h := c.Host; h.Encoding != contract.EncodingDictionary {
		return e.text(string(c.Form)).signed(c.ID).text(h.Opaque).text(h.Server).number(uint64(h.Aliased)), c.Validate()
	}
	list, err := c.Attrs()
	e = e.number(uint64(len(list)))
	for _, a := range list {
		e = e.text(a.Key)
		switch v := a.Value.(type) {
		case string:
			e = append(e, 's').text(v)
		case bool:
			e = append(e, 'b', 0)
			if v {
				e[len(e)-1] = 1
			}
		case int64:
			e = append(e, 'i').signed(v)
		}
	}
	return e, err
}

// decoder reads a body. It keeps the first error; everything that is read after it is zero.
type decoder struct {
	body []byte
	err  error
}

var errShort = errors.New("it ends too early")

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err, d.body = err, nil
	}
}

func (d *decoder) byte() byte {
	if len(d.body) == 0 {
		d.fail(errShort)
		return 0
	}
	b := d.body[0]
	d.body = d.body[1:]
	return b
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.body)
	if size <= 0 {
		d.fail(errShort)
		return 0
	}
	d.body = d.body[size:]
	return n
}

func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.body)
	if size <= 0 {
		d.fail(errShort)
		return 0
	}
	d.body = d.body[size:]
	return n
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if n > uint64(len(d.body)) {
		d.fail(errShort)
		return nil
	}
	b := d.body[:n:n]
	d.body = d.body[n:]
	return b
}

// count reads the number of items that follow, each of at least one byte.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.body)) {
		d.fail(errShort)
		return 0
	}
	return int(n)
}

func (d *decoder) views() []tensor.View {
	var list []tensor.View
	for range d.count() {
		shape, err := tensor.ParseShape(string(d.bytes()))
		v := tensor.View{Shape: shape, Data: d.bytes()}
		if err == nil {
			err = v.Check()
		}
		if err != nil {
			d.fail(err)
			return nil
		}
		list = append(list, v.Clone()) // the memory of a body is not aligned
	}
	return list
}

func (d *decoder) site() contract.Config {
	config, err := d.config()
	if err == nil {
		err = config.Validate()
	}
	if err != nil {
		d.fail(err)
	}
	return config
}

func (d *decoder) config() (contract.Config, error) {
	if encoding := d.number(); encoding != uint64(contract.EncodingDictionary) {
		return contract.Config{
			Form: contract.Form(d.bytes()), ID: d.signed(),
			Host: contract.Host{Encoding: contract.Encoding(min(encoding, 255)), Opaque: string(d.bytes()),
				Server: string(d.bytes()), Aliased: int(d.number())},
		}, d.err
	}
	var list []contract.Attr
	for range d.count() {
		a := contract.Attr{Key: string(d.bytes())}
		switch kind := d.byte(); kind {
		case 's':
			a.Value = string(d.bytes())
		case 'b':
			a.Value = d.byte() != 0
		case 'i':
			a.Value = d.signed()
		default:
			d.fail(fmt.Errorf("unknown kind %q of a value", kind))
		}
		list = append(list, a)
	}
	if d.err != nil {
		return contract.Config{}, d.err
	}
	return contract.Decode(list)
}

// end checks that nothing is left.
func (d *decoder) end() error {
	if d.err == nil && len(d.body) > 0 {
		d.err = fmt.Errorf("it is %d bytes longer than it should be", len(d.body))
	}
	return d.err
}
