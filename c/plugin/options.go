package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// compileOptions are those of a compile that the plugin reads: parts of CompileOptionsProto in
// xla/pjrt/proto/compile_options.proto.
type compileOptions struct {
	replicas, partitions int
	devices              []int  // by the numbers of replicas and partitions, first all partitions of the first replica
	tupled               bool   // the parameters are one tuple
	unknown              string // an option that XLA does not have either
}

// The numbers of fields.
const (
	fieldTupled         = 2
	fieldOverrides      = 7 // in it:
	fieldName           = 1
	fieldBuildOptions   = 3 // in it:
	fieldReplicas       = 4
	fieldPartitions     = 5
	fieldAssignment     = 9 // in it, for each partition:
	fieldReplicaCount   = 1
	fieldPartitionCount = 2
	fieldDevices        = 3 // in it, for each replica:
	fieldID             = 1
)

func readCompileOptions(data []byte) (o compileOptions, err error) {
	err = eachField(data, func(field protowire.Number, number uint64, message []byte) error {
		switch field {
		case fieldTupled:
			o.tupled = number != 0
		case fieldOverrides:
			return eachField(message, func(field protowire.Number, _ uint64, name []byte) error {
				if field == fieldName && !strings.HasPrefix(string(name), "xla_") { // those of XLA say nothing here
					o.unknown = string(name)
				}
				return nil
			})
		case fieldBuildOptions:
			return o.readBuildOptions(message)
		}
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("%w: the options of a compile are no CompileOptionsProto: %w", errMistaken, err)
	}
	return o, nil
}

func (o *compileOptions) readBuildOptions(data []byte) error {
	var assigned [][]int // by partition
	err := eachField(data, func(field protowire.Number, number uint64, message []byte) error {
		switch field {
		case fieldReplicas:
			o.replicas = int(number)
		case fieldPartitions:
			o.partitions = int(number)
		case fieldAssignment:
			return eachField(message, func(field protowire.Number, _ uint64, partition []byte) error {
				if field != fieldDevices {
					return nil
				}
				ids, err := numbersOf(partition, fieldID)
				assigned = append(assigned, ids)
				return err
			})
		}
		return nil
	})
	if err != nil || len(assigned) == 0 {
		return err
	}
	for replica := range assigned[0] {
		for _, ids := range assigned {
			if replica < len(ids) {
				o.devices = append(o.devices, ids[replica])
			}
		}
	}
	return nil
}

// numbersOf returns the numbers of a repeated field, which may be packed.
func numbersOf(data []byte, of protowire.Number) (list []int, err error) {
	err = eachField(data, func(field protowire.Number, number uint64, packed []byte) error {
		switch {
		case field != of:
		case packed == nil:
			list = append(list, int(number))
		default:
			for len(packed) > 0 {
				v, n := protowire.ConsumeVarint(packed)
				if n < 0 {
					return protowire.ParseError(n)
				}
				list, packed = append(list, int(v)), packed[n:]
			}
		}
		return nil
	})
	return list, err
}

// eachField calls visit for the fields of a message that are numbers or messages.
func eachField(data []byte, visit func(field protowire.Number, number uint64, message []byte) error) error {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var number uint64
		var message []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			message, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(field, kind, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := visit(field, number, message); err != nil {
			return err
		}
	}
	return nil
}
