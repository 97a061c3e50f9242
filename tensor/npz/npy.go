package npz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

const magic = "\x93NUMPY"

var hostIsBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// The header is a Python dictionary with three known entries, in any order.
var (
	descrEntry   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	fortranEntry = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	shapeEntry   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^()]*)\)`)
)

// maxHeader is far more than any header that NumPy writes needs. A longer one is not read
// into memory.
const maxHeader = 1 << 20

// Decode reads one array in the .npy format, to the end of r. The view is in row-major
// order and in the machine's byte order, whatever the file has. If wanted is not nil, it is
// called first with the header. If it fails, nothing else is read.
func Decode(r io.Reader, wanted func(tensor.Shape) error) (tensor.View, error) {
	return decode(r, math.MaxUint64, wanted)
}

// decode is Decode for data of a size, or of one that is not known if it is the largest.
func decode(r io.Reader, total uint64, wanted func(tensor.Shape) error) (tensor.View, error) {
	header, start, err := readHeader(r)
	if err != nil {
		return tensor.View{}, err
	}
	descr, twice1 := entry(descrEntry, header)
	fortran, twice2 := entry(fortranEntry, header)
	shape, twice3 := entry(shapeEntry, header)
	switch {
	case fortran == nil || shape == nil || twice1 || twice2 || twice3:
		return tensor.View{}, fmt.Errorf("its header is damaged: %.100q", header)
	case descr == nil:
		return tensor.View{}, errors.New("its elements are records: use one array for each field")
	}
	s, bigEndian, err := ofDescr(descr[1])
	if err != nil {
		return tensor.View{}, err
	}
	dims, err := parseDims(shape[1])
	if err != nil {
		return tensor.View{}, err
	}
	v := tensor.View{Shape: tensor.ShapeOf(s.dtype, dims...)}
	if err := v.Shape.Check(); err != nil {
		return tensor.View{}, err
	}
	if wanted != nil {
		if err := wanted(v.Shape); err != nil {
			return tensor.View{}, err
		}
	}
	size := v.Shape.NumBytes()
	if there := total - start; total >= start && uint64(size) > there {
		return tensor.View{}, truncated(v.Shape, there)
	}
	// Allocate only for the data that exist: the header may claim any size.
	if v.Data, err = io.ReadAll(io.LimitReader(r, int64(size))); err != nil {
		return tensor.View{}, fmt.Errorf("it is damaged: %w", err)
	}
	if len(v.Data) != size {
		return tensor.View{}, truncated(v.Shape, uint64(len(v.Data)))
	}
	// A zip archive compares its checksum only at the end.
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return tensor.View{}, fmt.Errorf("it is damaged: %s needs %d bytes and there are more", v.Shape, size)
	case err != io.EOF:
		return tensor.View{}, fmt.Errorf("it is damaged: %w", err)
	}
	if bigEndian != hostIsBigEndian {
		swapBytes(v)
	}
	if s.dtype == tensor.Pred {
		for i, b := range v.Data {
			v.Data[i] = min(b, 1)
		}
	}
	if fortran[1] == "True" {
		v = rowMajor(v)
	}
	return v, nil
}

func truncated(s tensor.Shape, there uint64) error {
	return fmt.Errorf("it is truncated: %.200s needs %d bytes and there are %d", s, s.NumBytes(), there)
}

// entry finds one entry of a header. It fails if the entry occurs twice, because it is
// unknown which one counts.
func entry(e *regexp.Regexp, header string) (found []string, twice bool) {
	all := e.FindAllStringSubmatch(header, 2)
	if len(all) == 0 {
		return nil, false
	}
	return all[0], len(all) > 1
}

// readHeader returns the header, and the number of bytes up to its end.
func readHeader(r io.Reader) (text string, end uint64, err error) {
	start := make([]byte, len(magic)+2)
	const none, short = "it is not a .npy array: write it with numpy.save", "its header is truncated"
	if err := fill(start, r, none); err != nil {
		return "", 0, err
	}
	if string(start[:len(magic)]) != magic {
		return "", 0, errors.New(none)
	}
	var length [4]byte // version 1 has the first two bytes only
	width := len(length)
	switch major := start[len(magic)]; major {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", 0, fmt.Errorf("it has version %d of the .npy format: 1 to 3 are supported", major)
	}
	if err := fill(length[:width], r, short); err != nil {
		return "", 0, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return "", 0, fmt.Errorf("its header is damaged: it claims %d bytes", n)
	}
	header := make([]byte, n)
	if err := fill(header, r, short); err != nil {
		return "", 0, err
	}
	return string(header), uint64(len(start)+width) + uint64(n), nil
}

// fill reads as many bytes of a header as there is place for. short says what the data are if they end before.
func fill(b []byte, r io.Reader, short string) error {
	switch _, err := io.ReadFull(r, b); err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF:
		return errors.New(short)
	default:
		return fmt.Errorf("its header cannot be read: %w", err)
	}
}

// parseDims reads the text between the parentheses of a shape: "", "3," or "2, 3".
func parseDims(text string) ([]int, error) {
	var dims []int
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSuffix(strings.TrimSpace(field), "L") // Python 2 wrote long integers
		if field == "" {
			continue
		}
		d, err := strconv.Atoi(field)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("its header is damaged: it has the shape (%.100s)", text)
		}
		dims = append(dims, d)
	}
	return dims, nil
}

func swapBytes(v tensor.View) {
	size := v.Shape.DType.Size()
	if v.Shape.DType == tensor.C64 || v.Shape.DType == tensor.C128 {
		size /= 2
	}
	if size < 2 {
		return
	}
	for part := range slices.Chunk(v.Data, size) {
		slices.Reverse(part)
	}
}

// rowMajor copies a column-major array.
func rowMajor(v tensor.View) tensor.View {
	dims, size := v.Shape.Dims, v.Shape.DType.Size()
	data := make([]byte, len(v.Data))
	index := make([]int, len(dims))
	for i := 0; i < len(data); i += size {
		from, stride := 0, size
		for k, d := range dims {
			from += index[k] * stride
			stride *= d
		}
		copy(data[i:i+size], v.Data[from:])
		for k := len(dims) - 1; k >= 0; k-- {
			if index[k]++; index[k] < dims[k] {
				break
			}
			index[k] = 0
		}
	}
	return tensor.View{Shape: v.Shape, Data: data}
}

// Encode writes one array in the .npy format, version 1.0.
func Encode(w io.Writer, v tensor.View) error {
	if err := v.Check(); err != nil {
		return err
	}
	s, ok := ofDType(v.Shape.DType)
	if !ok {
		return fmt.Errorf("%s cannot be stored in a .npy file", v.Shape)
	}
	order := "<"
	switch {
	case strings.HasSuffix(s.code, "1"):
		order = "|"
	case hostIsBigEndian:
		order = ">"
	}
	var dims strings.Builder
	for _, d := range v.Shape.Dims {
		fmt.Fprintf(&dims, "%d, ", d)
	}
	shape := strings.TrimSuffix(dims.String(), " ")
	if v.Shape.Rank() > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, s.code, shape)
	// The data start at a multiple of 64, as in numpy.save.
	const before = len(magic) + 4
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	if len(header) > 0xffff {
		return fmt.Errorf("an array of %d dimensions cannot be stored in a .npy file", v.Shape.Rank())
	}
	var b bytes.Buffer
	b.WriteString(magic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	if _, err := b.WriteTo(w); err != nil {
		return err
	}
	_, err := w.Write(v.Data)
	return err
}
