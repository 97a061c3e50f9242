package main

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// bindings has the lines of generated bindings that are read.
const bindings = `
class PourOp(_ods_ir.OpView):
  OPERATION_NAME = "tea.pour"

  _ODS_OPERAND_SEGMENTS = [1,0,-1,]

  def __init__(self, result: _ods_ir.Type, pot: _ods_ir.Value[_ods_ir.IndexType], in_: _ods_ir.Value, cups: _Sequence[_ods_ir.Value], color: _Union[_Any, _ods_ir.Attribute], *, hot: _Optional[bool] = None, loc=None, ip=None):
    operands.append(pot)
    operands.append(in_)
    operands.append(_get_op_results_or_values(cups))
    if bool(hot): attributes["hot"] = _ods_ir.UnitAttr.get(
    attributes["color"] = (color if (
    not _ods_ir.AttrBuilder.contains('Tea_Color')) else
      _ods_ir.AttrBuilder.get('Tea_Color')(color, context=_ods_context))
    results.append(result)
    _ods_successors.append(done)

  @builtins.property
  def color(self) -> _ods_ir.IntegerAttr:
    return self.operation.attributes["color"]

  @builtins.property
  def body(self) -> _ods_ir.Region:
    return self.regions[0]

class PourOpAdaptor(_ods_ir.OpAdaptor):
  OPERATION_NAME = "tea.pour"
class ToastOp(_ods_ir.OpView):
  OPERATION_NAME = "tea.toast"
  def __init__(self, bread, *, loc=None, ip=None):
    operands.extend(_get_op_results_or_values(bread))

def toast(bread, *, loc=None, ip=None) -> _ods_ir.Value:
  return ToastOp(bread=bread, loc=loc, ip=ip).result
class SliceOp(_ods_ir.OpView):
  OPERATION_NAME = "tea.slice"
def slice(*, loc=None, ip=None) -> _ods_ir.Value:
  return _get_op_result_or_op_results(SliceOp(loc=loc, ip=ip))
`

// TestReadBindings checks what is read from bindings with each form of lines.
func TestReadBindings(t *testing.T) {
	list := check.Must(readBindings(bindings))
	table := table{operations: []operation{list[0].operation, list[1].operation, list[2].operation}}
	check.Diff(t, "table", `
operation tea.pour Pour
	operand pot IndexType
	operand in any optional
	operand cups any variadic
	attribute hot unit optional
	attribute color Tea_Color
	result result any
	successor done
	region body
	properties operand-segments

operation tea.toast Toast
	operand bread any variadic
	result result any

operation tea.slice Slice
	result result any variadic
`, string(table.format()))
	check.Diff(t, "class", "IntegerAttr", list[0].storages["color"])
	_, err := readBindings(bindings + "    operands = operands + [\"x\"]\n    operands.insert(0, bread)\n")
	check.Error(t, err, "tea.slice: the line", "has an unknown form")
}

func TestReadEnums(t *testing.T) {
	enums := readEnums(`
class Color(IntEnum):
    GREEN = 0
    BLACK = 3
    def __str__(self):
        if self is Color.GREEN:
            return "green"
        if self is Color.BLACK:
            return "black"
@register_attribute_builder("Tea_Color", allow_existing=True)
    return _ods_ir.IntegerAttr.get(_ods_ir.IntegerType.get_signless(32, context=context), int(x))
@register_attribute_builder("tea.Tea_ColorAttr")
    return _ods_ir.Attribute.parse(f'#tea<color {str(x)}>', context=context)
`)
	table := table{enums: []enum{enums["Tea_Color"], enums["tea.Tea_ColorAttr"]}}
	check.Diff(t, "table", `
enum Color int:32
	case GREEN "green" 0
	case BLACK "black" 3

enum Color text "#tea<color %>" ""
	case GREEN "green" 0
	case BLACK "black" 3
`, string(table.format()))
}

// TestMerge checks how a newer library's operation changes that of LLVM 22.
func TestMerge(t *testing.T) {
	old := check.Must(parse("old", []byte(`operation tea.pour Pour
	attribute color i32
	operand pot any
	operand cup any optional
	operand guests any variadic
	attribute strong unit optional
	result result any
`)))
	next := check.Must(parse("new", []byte(`operation tea.pour Pour
	attribute color i32
	operand tray any optional
	operand pot any
	operand cup_vars any variadic
	operand host any
	attribute milk bool optional
	result result any
`)))
	old.operations[0].merge(&next.operations[0])
	check.Diff(t, "merged", `
operation tea.pour Pour
	attribute color i32
	operand tray any optional newer
	operand pot any
	operand cup_vars any variadic
	operand guests any variadic older
	attribute strong unit optional older
	operand host any newer
	attribute milk bool optional newer
	result result any
`, string(old.format()))
}

func TestBindingClass(t *testing.T) {
	for name, want := range map[string]string{
		"AddFOp": "AddF", "AtenAdd_TensorOp": "AtenAddInPlaceTensor", "AtenZero_Op": "AtenZeroInPlace",
		"Aten_ToCopyOp": "AtenInternalToCopy",
		"Aten__Is__Op":  "AtenIs", "Aten__And__BoolOp": "AtenAndBool",
		"Aten_IndexPutImpl_Op": "AtenInternalIndexPutImplInPlace",
	} {
		check.Diff(t, name, want, bindingClass(name))
	}
}
