package contract

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/text/words"
)

// A Host says how another host names the callback. The zero value is the contract's own dictionary.
type Host struct {
	Encoding Encoding // how the call is written
	// Opaque binds by the bytes of an id of the host. Server, which may be empty, has the bytes that name the server
	// there.
	Opaque, Server string
	Aliased        int // with EncodingServer: the number of results that pass operands through
}

// An Encoding is the form in which a call names its callback. The zero value is the contract's
// own dictionary. The others are those of hosts whose ids are opaque terms. They have only the
// id, and none of the other fields of a Config. A handler distinguishes them by their keys.
type Encoding uint8

const (
	// EncodingDictionary is a dictionary with the keys of the contract.
	EncodingDictionary Encoding = iota
	// EncodingWords is a dictionary with an opaque id and, optionally, its server:
	// callback_id = array<i64: …> and callback_id_size : ui64, callback_server_pid and
	// callback_server_pid_size. The words have the bytes in little-endian order. There is no form: a
	// call whose results are all aliased to operands passes them through.
	EncodingWords
	// EncodingOperand has no backend_config. The id is the last operand, a tensor<i64>, and
	// the form is Call.
	EncodingOperand
	// EncodingServer is the encoding of EXLA 0.13: the first operand, a tensor<Nxui8>, names
	// the server, and the dictionary has callback_id and callback_id_size as above, and
	// num_aliased_data_outputs : ui64, the number of results that pass operands through.
	EncodingServer
)

// Target returns the custom call target for a form in this encoding.
func (e Encoding) Target(f Form) string {
	switch e {
	case EncodingWords:
		if f == Passthrough {
			return TargetEXLAIOCallback
		}
		return TargetEXLARuntimeCallback
	case EncodingOperand:
		return TargetEXLAElixirCallback
	case EncodingServer:
		return TargetEXLARuntimeCallback
	}
	return f.Target()
}

func (e Encoding) String() string {
	switch e {
	case EncodingDictionary:
		return "dictionary"
	case EncodingWords:
		return "words"
	case EncodingOperand:
		return "operand"
	case EncodingServer:
		return "server"
	}
	return fmt.Sprintf("Encoding(%d)", uint8(e))
}

// The keys of the further encodings.
const (
	keyID         = "callback_id"
	keyIDSize     = "callback_id_size"
	keyServer     = "callback_server_pid"
	keyServerSize = "callback_server_pid_size"
	keyAliased    = "num_aliased_data_outputs"
)

// validateFurther returns an error if a Config of a further encoding is not valid.
func (c Config) validateFurther() error {
	switch e := c.Host.Encoding; {
	case e > EncodingServer:
		return fmt.Errorf("contract: there is no encoding %d", e)
	case c != (Config{Form: c.Form, ID: c.ID, Host: c.Host}):
		return fmt.Errorf("contract: the encoding %q of callback %s holds an id and nothing else: leave out the name, registry, effect, ids, tokens and options", e, c.Name())
	case c.Form == Observe:
		return fmt.Errorf("contract: the encoding %q has no observe form: pass the operands through, or call", e)
	case e == EncodingOperand && (c.Form == Passthrough || c.Host.Opaque != "" || c.Host.Server != ""):
		return errors.New("contract: the encoding \"operand\" is for calls, and its id is a number")
	case e == EncodingOperand:
		if c.ID < 0 { // 0 if only the operand has the id
			return fmt.Errorf("contract: the id %d is not positive", c.ID)
		}
	case c.Host.Opaque == "" || c.ID != 0:
		return fmt.Errorf("contract: the encoding %q is for opaque ids: give the bytes of one", e)
	}
	if c.Host.Aliased < 0 || c.Host.Aliased > 0 && (c.Host.Encoding != EncodingServer || c.Form != Passthrough) ||
		c.Host.Aliased == 0 && c.Host.Encoding == EncodingServer && c.Form == Passthrough {
		return fmt.Errorf("contract: %d results that pass operands through do not go with the form %q in the encoding %q", c.Host.Aliased, c.Form, c.Host.Encoding)
	}
	return nil
}

// furtherAttrs returns the backend_config of a further encoding, sorted by key.
func (c Config) furtherAttrs() []Attr {
	if c.Host.Encoding == EncodingOperand {
		return nil
	}
	out := []Attr{{keyID, words.Pack(c.Host.Opaque)}, {keyIDSize, uint64(len(c.Host.Opaque))}}
	switch {
	case c.Host.Encoding == EncodingServer:
		out = append(out, Attr{keyAliased, uint64(c.Host.Aliased)})
	case c.Host.Server != "":
		out = append(out, Attr{keyServer, words.Pack(c.Host.Server)}, Attr{keyServerSize, uint64(len(c.Host.Server))})
	}
	return out
}

// decodeFurther reads a dictionary of a further encoding. ok is false for the contract's own
// dictionary.
func decodeFurther(attrs []Attr) (c Config, ok bool, err error) {
	if len(attrs) == 0 {
		return Config{Host: Host{Encoding: EncodingOperand}, Form: Call}, true, nil
	}
	values := map[string]any{}
	for _, a := range attrs {
		if _, twice := values[a.Key]; twice {
			return Config{}, false, nil // Decode reports it
		}
		values[a.Key] = a.Value
	}
	_, packed := values[keyID].([]int64)
	if _, sized := values[keyIDSize]; !packed || !sized {
		return Config{}, false, nil
	}
	c = Config{Host: Host{Encoding: EncodingWords}, Form: Call}
	text := func(key, keySize string) (string, error) {
		packed, ok := values[key].([]int64)
		if !ok {
			return "", typeError(key, "an array of i64", values[key])
		}
		size, ok := values[keySize].(uint64)
		if !ok {
			return "", typeError(keySize, "a ui64", values[keySize])
		}
		delete(values, key)
		delete(values, keySize)
		return words.Unpack(packed, size)
	}
	if c.Host.Opaque, err = text(keyID, keyIDSize); err != nil {
		return Config{}, true, err
	}
	if _, has := values[keyServer]; has {
		if c.Host.Server, err = text(keyServer, keyServerSize); err != nil {
			return Config{}, true, err
		}
	} else if v, has := values[keyAliased]; has {
		n, ok := v.(uint64)
		if !ok || n > maxAliased {
			return Config{}, true, typeError(keyAliased, "a ui64 that counts results", v)
		}
		delete(values, keyAliased)
		c.Host.Encoding, c.Host.Aliased = EncodingServer, int(n)
		if n > 0 {
			c.Form = Passthrough
		}
	}
	for key := range values {
		return Config{}, true,
			fmt.Errorf("contract: unknown key %q in backend_config beside an opaque callback_id", key)
	}
	if err := c.Validate(); err != nil {
		return Config{}, true, err
	}
	return c, true, nil
}

// maxAliased is greater than the number of results of any call.
const maxAliased = 1 << 20
