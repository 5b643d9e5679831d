/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of Protocol Buffers: a sequence of fields, each a tag and a value. */
#ifndef PROTO_H
#define PROTO_H

#include <stddef.h>
#include <stdint.h>

/* A message that is being written. */
struct proto {
	unsigned char	*data;
	size_t		size;
	size_t		room;
};

void proto_number(struct proto *proto, unsigned int field, uint64_t number);
void proto_double(struct proto *proto, unsigned int field, double number);
void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t size);
void proto_text(struct proto *proto, unsigned int field, const char *text);
void proto_message(struct proto *proto, unsigned int field, struct proto *message);

#endif /* PROTO_H */
