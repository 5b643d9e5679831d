// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of Protocol Buffers, see https://protobuf.dev/programming-guides/encoding/. There is
 * a library for C++ only.
 */
#include <string.h>

#include "lib/proto.h"
#include "lib/util.h"

/* The kinds of fields, the lowest three bits of a tag. */
enum { VARINT, FIXED64, BYTES };

/* Makes room for some bytes, and returns it. */
static unsigned char *add_room(struct proto *proto, size_t size)
{
	unsigned char *place;

	if (proto->room - proto->size < size) {
		proto->room = 2 * proto->room + size;
		proto->data = xreallocarray(proto->data, proto->room, 1);
	}
	place = proto->data + proto->size;
	proto->size += size;
	return place;
}

/* Seven bits a byte, the lowest first; the highest bit says that more follow. */
static void add_varint(struct proto *proto, uint64_t number)
{
	for (; number >> 7; number >>= 7)
		*add_room(proto, 1) = number | 0x80;
	*add_room(proto, 1) = number;
}

/* A negative number of a signed field is extended to 64 bits. */
void proto_number(struct proto *proto, unsigned int field, uint64_t number)
{
	add_varint(proto, field << 3 | VARINT);
	add_varint(proto, number);
}

void proto_double(struct proto *proto, unsigned int field, double number)
{
	add_varint(proto, field << 3 | FIXED64);
	memcpy(add_room(proto, sizeof(number)), &number, sizeof(number));
}

void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t size)
{
	add_varint(proto, field << 3 | BYTES);
	add_varint(proto, size);
	memcpy(add_room(proto, size), data, size);
}

void proto_text(struct proto *proto, unsigned int field, const char *text)
{
	proto_bytes(proto, field, text, strlen(text));
}

/* Adds a message to another one, and empties it. */
void proto_message(struct proto *proto, unsigned int field, struct proto *message)
{
	proto_bytes(proto, field, message->data, message->size);
	message->size = 0;
}
