"""Reads a trace of Perfetto with the library of Protocol Buffers, as Perfetto's reader does.

The fields are those of protos/perfetto/trace in Perfetto's source, as far as ksymwatch writes
them; any other field is an error.
"""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Message: fields with their numbers and types; "*" is repeated.
MESSAGES = {
    "Trace": {"packet": (1, "*TracePacket")},
    "TracePacket": {
        "clock_snapshot": (6, "ClockSnapshot"), "timestamp": (8, "uint64"),
        "trusted_packet_sequence_id": (10, "uint32"), "track_event": (11, "TrackEvent"),
        "interned_data": (12, "InternedData"), "sequence_flags": (13, "uint32"),
        "timestamp_clock_id": (58, "uint32"),
        "trace_packet_defaults": (59, "TracePacketDefaults"),
        "track_descriptor": (60, "TrackDescriptor")},
    "TracePacketDefaults": {"timestamp_clock_id": (58, "uint32")},
    "ClockSnapshot": {"clocks": (1, "*Clock")},
    "Clock": {"clock_id": (1, "uint32"), "timestamp": (2, "uint64"),
              "is_incremental": (3, "bool")},
    "InternedData": {"event_categories": (1, "*InternedName"),
                     "event_names": (2, "*InternedName"),
                     "debug_annotation_names": (3, "*InternedName"),
                     "debug_annotation_string_values": (29, "*InternedString")},
    "InternedName": {"iid": (1, "uint64"), "name": (2, "string")},
    "InternedString": {"iid": (1, "uint64"), "str": (2, "bytes")},
    "TrackDescriptor": {"uuid": (1, "uint64"), "name": (2, "string"),
                        "process": (3, "ProcessDescriptor"), "thread": (4, "ThreadDescriptor"),
                        "parent_uuid": (5, "uint64"), "counter": (8, "CounterDescriptor")},
    "ProcessDescriptor": {"pid": (1, "int32"), "process_name": (6, "string")},
    "ThreadDescriptor": {"pid": (1, "int32"), "tid": (2, "int32"), "thread_name": (5, "string")},
    "CounterDescriptor": {"type": (1, "int32")},
    "TrackEvent": {"category_iids": (3, "*uint64"), "debug_annotations": (4, "*DebugAnnotation"),
                   "type": (9, "int32"), "name_iid": (10, "uint64"), "track_uuid": (11, "uint64"),
                   "extra_counter_values": (12, "*int64"),
                   "extra_counter_track_uuids": (31, "*uint64"),
                   "extra_double_counter_track_uuids": (45, "*uint64"),
                   "extra_double_counter_values": (46, "*double")},
    "DebugAnnotation": {"name_iid": (1, "uint64"), "bool_value": (2, "bool"),
                        "uint_value": (3, "uint64"), "int_value": (4, "int64"),
                        "string_value": (6, "string"), "pointer_value": (7, "uint64"),
                        "dict_entries": (11, "*DebugAnnotation"),
                        "array_values": (12, "*DebugAnnotation"),
                        "string_value_iid": (17, "uint64")},
}
TYPE_INSTANT = 3


def trace_class():
    """Returns the class of a trace."""
    file = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="perfetto")
    for message, fields in MESSAGES.items():
        made = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            field = made.field.add(name=name, number=number,
                                   label=3 if kind[0] == "*" else 1)
            kind = kind.lstrip("*")
            if kind in MESSAGES:
                field.type = field.TYPE_MESSAGE
                field.type_name = ".perfetto." + kind
            else:
                field.type = getattr(field, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(
        pool.FindMessageTypeByName("perfetto.Trace"))


def value_of(annotation, texts):
    """Returns the value of an argument."""
    if annotation.array_values:
        return [value_of(value, texts) for value in annotation.array_values]
    if annotation.dict_entries:
        return args_of(annotation.dict_entries, texts)
    (field, value), = [f for f in annotation.ListFields() if f[0].name != "name_iid"]
    if field.name == "string_value_iid":
        return texts["debug_annotation_string_values"][value]
    return hex(value) if field.name == "pointer_value" else value


def args_of(annotations, texts):
    return {texts["debug_annotation_names"][a.name_iid]: value_of(a, texts)
            for a in annotations}


def read_trace(path):
    """Returns the events, the counters and the tracks of a trace."""
    trace = trace_class()()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    before = trace.ByteSize()
    trace.DiscardUnknownFields()
    assert trace.ByteSize() == before, "unknown fields"

    texts = {name: {} for name in MESSAGES["InternedData"]}
    events, counters, tracks, clocks, clock = [], [], {}, {}, None
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id, "a packet without a sequence"
        for entry in packet.clock_snapshot.clocks:
            clocks[entry.clock_id] = [entry.timestamp, entry.is_incremental]
        if packet.HasField("trace_packet_defaults"):
            assert packet.sequence_flags == 1, "defaults without a start"
            clock = packet.trace_packet_defaults.timestamp_clock_id
        for field, entries in packet.interned_data.ListFields():
            for entry in entries:
                assert entry.iid and entry.iid not in texts[field.name], "a number stands twice"
                texts[field.name][entry.iid] = (
                    entry.str.decode() if hasattr(entry, "str") else entry.name)
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid and track.uuid not in tracks, "a track stands twice"
            assert not track.parent_uuid or track.parent_uuid in tracks, "a track without parent"
            tracks[track.uuid] = track
        if not packet.HasField("track_event"):
            continue
        assert packet.sequence_flags == 2, "an event that does not need the numbers"
        time = packet.timestamp
        last = clocks[packet.timestamp_clock_id or clock]
        if last[1]:
            time += last[0]
            last[0] = time
        event = packet.track_event
        assert event.type == TYPE_INSTANT
        for uuids, values in ((event.extra_counter_track_uuids, event.extra_counter_values),
                              (event.extra_double_counter_track_uuids,
                               event.extra_double_counter_values)):
            assert len(uuids) == len(values)
            counters += [(tracks[uuid].name, time, value) for uuid, value in zip(uuids, values)]
            assert all(tracks[uuid].HasField("counter") for uuid in uuids)
        events.append({"name": texts["event_names"][event.name_iid], "ts": time,
                       "cat": [texts["event_categories"][iid] for iid in event.category_iids],
                       "thread": tracks[event.track_uuid].thread,
                       "args": args_of(event.debug_annotations, texts)})
    return events, counters, tracks
