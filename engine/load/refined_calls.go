package load

import (
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// openSignatures returns the hashes of the signatures of callbacks with open dimensions. A call whose hash is another
// one is not among them: that stays a mistake.
func openSignatures(m *mlir.Module) map[string]bool {
	open := map[string]bool{}
	for call := range callop.Calls(m) {
		if text, isOpen := signatureOf(call); isOpen && contract.SignatureHash(text) == call.Config.Signature {
			open[call.Config.Signature] = true
		}
	}
	return open
}

// stateSignatures gives callbacks whose dimensions were open the signatures that they have now.
func stateSignatures(m *mlir.Module, open map[string]bool) error {
	for call := range callop.Calls(m) {
		text, isOpen := signatureOf(call)
		if text == "" || isOpen || !open[call.Config.Signature] {
			continue
		}
		call.Config.Signature = contract.SignatureHash(text)
		config, err := callop.ConfigAttribute(m.Context(), call.Config)
		if err != nil {
			return err
		}
		name := "backend_config"
		if _, ok := call.Op.Attribute("mhlo." + name); ok {
			name = "mhlo." + name
		}
		call.Op.SetAttribute(name, config)
	}
	return nil
}

// signatureOf returns the signature of a callback that names it, and whether it has open dimensions, or "".
func signatureOf(call callop.Call) (text string, isOpen bool) {
	if call.Err != nil || call.Config.Signature == "" {
		return "", false
	}
	in, out, arrays, err := callop.DataShapes(call.Config, mlir.TypesOf(call.Op.OperandValues()),
		mlir.TypesOf(call.Op.ResultValues()))
	if err != nil || !arrays {
		return "", false
	}
	if text, err = call.Config.SignatureOf(in, out); err != nil {
		return "", false
	}
	return text, strings.Contains(text, "?")
}
