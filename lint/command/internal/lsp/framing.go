package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// A framing is the base protocol: each message has a header with its length. Unlike channel.LSP,
// it accepts every spelling of the content type, and allocates no more than what was sent, whatever
// the header says.
type framing struct {
	r *bufio.Reader
	w io.Writer
}

// Recv returns the next message, or io.EOF.
func (f framing) Recv() ([]byte, error) {
	header, err := textproto.NewReader(f.r).ReadMIMEHeader()
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return nil, errors.New("the input is not the Language Server Protocol, which editors speak: a line of a header is malformed")
	}
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("the input is not the Language Server Protocol, which editors speak: the Content-Length of a message is %.40q", header.Get("Content-Length"))
	}
	var message bytes.Buffer
	if n, err := io.CopyN(&message, f.r, size); err != nil {
		return nil, fmt.Errorf("the input ended after %d of the %d bytes of a message: %w", n, size, err)
	}
	return message.Bytes(), nil
}

// Send writes a message.
func (f framing) Send(message []byte) error {
	_, err := f.w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(message)), message...))
	return err
}

// Close does nothing: the connection belongs to the caller of Serve.
func (f framing) Close() error { return nil }
