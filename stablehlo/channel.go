package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// ChannelHandle names the channel that communicating operations use.
type ChannelHandle struct {
	Handle int64
	Type   int64 // 0 invalid, 1 device to device, 2 device to host, 3 host to device
}

// Attribute is #stablehlo.channel_handle<…>.
func (h ChannelHandle) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return structured(c, "stablehloChannelHandleGet", h.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloChannelHandleGet(t, c.Raw(), h.Handle, h.Type)
	})
}

// String is the attribute's text.
func (h ChannelHandle) String() string {
	return fmt.Sprintf("#stablehlo.channel_handle<handle = %d, type = %d>", h.Handle, h.Type)
}

// AsChannelHandle reads the attribute; false where it is another one.
func AsChannelHandle(attr mlir.Attribute) (ChannelHandle, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsChannelHandle")
	if !ok {
		return parseChannelHandle(text(attr))
	}
	if !capi.StablehloAttributeIsChannelHandle(t, a) {
		return ChannelHandle{}, false
	}
	return ChannelHandle{capi.StablehloChannelHandleGetHandle(t, a), capi.StablehloChannelHandleGetType(t, a)}, true
}

func parseChannelHandle(text string) (h ChannelHandle, ok bool) {
	f, ok := ods.Fields(text, "#stablehlo.channel_handle")
	h.Handle = ods.Number(f["handle"], &ok)
	h.Type = ods.Number(f["type"], &ok)
	return h, ok
}
