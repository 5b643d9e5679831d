// SPDX-License-Identifier: GPL-2.0-only
/*
 * Variables of all kinds of types, for ksymwatch-types.sh, which has debug info and
 * BTF made of them. Built twice and linked: the second time, with TWIN, it has
 * only another variable, and another type, of a name that the first one has, too.
 */
typedef unsigned int u32;
typedef unsigned char u8;
typedef _Bool bool;

#ifdef TWIN
static long twin[2] = { 1 };

long read_other_twin(void) { return twin[1]++; }
#else

enum colour { RED, GREEN, BLUE = 7 };
enum level { LOW = -1, HIGH = 1 };
enum flags { NONE, READ = 1, WRITE = 2, EXEC = 4 };

struct point {
	short x, y;
};

struct object {
	u32 id;
	u32 ready : 1;
	u32 kind : 3;
	enum colour colour : 4;
	char name[16];
	struct {
		int unnamed;
		union {
			long number;
			void *pointer;
		};
	};
	struct point points[3];
	u8 grid[2][3];
	struct object *next;
	struct hidden *hidden;
};

typedef struct object object_t;

object_t object = { .id = 1 };
struct object *objects = &object;
struct object list[4] = { { .id = 1 } };
const struct object constant = { .id = 1 };
volatile int number = 1;
enum colour colour = GREEN;
enum level level = HIGH;
enum flags flags = READ;
bool boolean = 1;
char letter = 'a';
char text[64] = "text";
const char *string = "string";
const char *strings[2] = { "string" };
int (*function)(int);
int (*table)[4];
u8 matrix[2][3] = { { 1 } };
double real = 1.5;
static struct point twin = { 1, 2 };

int count(int by)
{
	static int counter = 1;

	return counter += by + twin.x++;
}

extern struct defined_elsewhere elsewhere;
const void *use[] = { &elsewhere, count, &constant };
struct twofold { int size, value; } narrow;
struct bits { u32 low : 16, high : 8; } bits;
#endif

#ifdef TWIN
struct defined_elsewhere { int a, b; };
struct defined_elsewhere elsewhere = { 1, 2 };
void *used[] = { &elsewhere, read_other_twin };
struct twofold { long size, value; } wide;
#endif
