// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files with symbols and debug info, opened with libdwfl. They are looked for where
 * distributions put them, then by their build ID, which includes debuginfod.
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/util.h"
#include "symbols/debuginfo.h"
#include "symbols/symbols.h"

#define KERNEL_NOTES	"/sys/kernel/notes"
#define MAX_BUILD_ID	64
#define MODULE_NOTES	"/sys/module/%s/notes/.note.gnu.build-id"

struct sources sources;

/* --- Is it of the running kernel? ---------------------------------------------- */

/* Returns bytes in hexadecimal, a new string. */
char *hex_text(const void *data, size_t size)
{
	const unsigned char *byte = data;
	char *hex = xcalloc(2 * size + 1, 1);
	size_t i;

	for (i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", byte[i]);
	return hex;
}

static char *find_build_id(char *notes, size_t size)
{
	Elf_Data data = { .d_type = ELF_T_NHDR, .d_buf = notes, .d_size = size };
	size_t at = 0, name, text;
	GElf_Nhdr note;

	while ((at = gelf_getnote(&data, at, &note, &name, &text)))
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz && note.n_descsz <= MAX_BUILD_ID)
			return hex_text(notes + text, note.n_descsz);
	return NULL;
}

/* The build ID of a running module, or with NULL of the kernel, as a new string; or NULL. */
char *running_build_id(const char *module)
{
	char *path __autofree = module ? xasprintf(MODULE_NOTES, module) : xstrdup(KERNEL_NOTES);
	FILE *file __cleanup(close_file) = fopen(path, "re");
	char notes[4096];

	return file ? find_build_id(notes, fread(notes, 1, sizeof(notes), file)) : NULL;
}

/* The build ID of any file, as a new string; or NULL. */
char *file_build_id(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), size;
	char *id = NULL;
	const void *byte;
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &byte) : 0;
	if (size > 0)
		id = hex_text(byte, size);
	elf_end(elf);
	close(fd);
	return id;
}

/* Is this the build ID of a file? */
bool debuginfo_has_id(const struct debuginfo *info, const char *id)
{
	char *has __autofree = NULL;
	const unsigned char *byte;
	GElf_Addr addr;
	int size = dwfl_module_build_id(info->module, &byte, &addr);

	has = hex_text(byte, size > 0 ? size : 0);
	return id && !strcmp(has, id);
}

/* --- Files ----------------------------------------------------------------------- */

/* A file that is found by its build ID may be a module, which has no addresses. */
static int no_section_address(Dwfl_Module *module, void **data __maybe_unused,
			      const char *name __maybe_unused, Dwarf_Addr base __maybe_unused,
			      const char *section __maybe_unused, GElf_Word nr __maybe_unused,
			      const GElf_Shdr *header, Dwarf_Addr *addr)
{
	(void)module;
	(void)header;
	*addr = 0;
	return DWARF_CB_OK;
}

static Dwfl *begin(bool search)
{
	static const Dwfl_Callbacks open_callbacks = {
		.find_elf	 = dwfl_build_id_find_elf,
		.find_debuginfo	 = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	}, search_callbacks = { .section_address = no_section_address };

	return check_memory(dwfl_begin(search ? &search_callbacks : &open_callbacks));
}

void debuginfo_close(struct debuginfo *info)
{
	if (!info)
		return;
	dwfl_end(info->dwfl);
	free(info->path);
	free(info);
}

/* Opens a file of any kernel. Returns NULL if there is none or it is no ELF file. */
struct debuginfo *debuginfo_open(const char *path)
{
	struct debuginfo *info;
	GElf_Ehdr header;
	GElf_Addr bias;
	Elf *elf = NULL;

	if (access(path, R_OK))
		return NULL;
	info = xcalloc(1, sizeof(*info));
	info->path = xstrdup(path);
	info->dwfl = begin(false);
	info->module = dwfl_report_offline(info->dwfl, "", path, -1);
	dwfl_report_end(info->dwfl, NULL, NULL);
	if (info->module)
		elf = dwfl_module_getelf(info->module, &bias);
	if (elf && gelf_getehdr(elf, &header)) {
		info->linked = header.e_type != ET_REL;
		return info;
	}
	debuginfo_close(info);
	return NULL;
}

/*
 * Finds a file by its build ID in /usr/lib/debug/.build-id, or from debuginfod if
 * DEBUGINFOD_URLS is set. Returns NULL if there is none.
 */
struct debuginfo *debuginfo_of_id(const char *id)
{
	char *path __autofree = NULL, *link __autofree = NULL, *name __autofree = NULL;
	unsigned char byte[MAX_BUILD_ID];
	struct debuginfo *info;
	Dwfl_Module *module;
	Dwfl *dwfl;
	size_t size = id ? MIN(strlen(id) / 2, MAX_BUILD_ID) : 0, i;
	int fd = -1;

	for (i = 0; i < size; i++)
		if (sscanf(id + 2 * i, "%2hhx", &byte[i]) != 1)
			return NULL;
	dwfl = begin(true);
	module = dwfl_report_module(dwfl, "", 0, 1);
	if (size && module && !dwfl_module_report_build_id(module, byte, size, 0))
		fd = dwfl_standard_find_debuginfo(module, NULL, "", 0, "/", NULL, 0, &path);
	dwfl_report_end(dwfl, NULL, NULL);
	dwfl_end(dwfl);
	if (fd < 0)
		return NULL;
	/* What debuginfod sent is in its cache. */
	link = xasprintf("/proc/self/fd/%d", fd);
	name = realpath(link, NULL);
	info = name ? debuginfo_open(name) : NULL;
	close(fd);
	if (info && debuginfo_has_id(info, id))
		return info;
	debuginfo_close(info);
	return NULL;
}

/* --- Where debug info is ---------------------------------------------------------- */

/* The release of the running kernel, or NULL. */
const char *running_release(void)
{
	static struct utsname name;

	return *name.release || !uname(&name) ? name.release : NULL;
}

/* Adds files whose names contain the release of the running kernel. */
void add_release_files(struct strings *files, const char * const *formats)
{
	const char *release = running_release();

	for (; release && *formats; formats++)
		strings_add_owned(files, xasprintf(*formats, release));
}

/* Opens the config of the running kernel, compressed or not, and sets its path. */
gzFile open_running_config(char path[PATH_MAX])
{
	static const char * const places[] = {
		"/proc/config.gz", "/boot/config-%s", "/lib/modules/%s/config",
	};
	const char *release = running_release();
	gzFile file = NULL;
	size_t i;

	for (i = 0; release && !file && i < ARRAY_SIZE(places); i++) {
		snprintf(path, PATH_MAX, places[i], release);
		file = gzopen(path, "re");
	}
	return file;
}

/* A module's file may have a '-' where the kernel has a '_'. */
static bool is_file_of(const char *module, const char *name)
{
	for (; *module && (*name == *module || (*name == '-' && *module == '_')); name++)
		module++;
	return !*module && !strncmp(name, ".ko", 3) && (!name[3] || name[3] == '.');
}

/* Lists the files that a kernel's or module's debug info may be in. */
static void list_files(struct strings *files, const char *module)
{
	static const char * const kernels[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s", NULL
	};
	static const char * const folders[] = {
		"/usr/lib/debug/lib/modules/%s", "/lib/modules/%s", NULL
	};
	struct strings roots __cleanup(strings_free) = {};
	FTSENT *entry;
	FTS *tree;

	add_release_files(module ? &roots : files, module ? folders : kernels);
	if (!roots.nr)
		return;
	roots.text = xreallocarray(roots.text, roots.nr + 1, sizeof(*roots.text));
	roots.text[roots.nr] = NULL;
	tree = fts_open(roots.text, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (tree && (entry = fts_read(tree)))
		if ((entry->fts_info == FTS_F || entry->fts_info == FTS_SL) &&
		    is_file_of(module, entry->fts_name))
			strings_add(files, entry->fts_path);
	if (tree)
		fts_close(tree);
}

static struct debuginfo *open_vmlinux(void)
{
	char *id __autofree = running_build_id(NULL);
	struct debuginfo *info = debuginfo_open(sources.vmlinux);

	if (access(sources.vmlinux, R_OK))
		die("%s: %s", sources.vmlinux, strerror(errno));
	if (info && !sources.foreign && !debuginfo_has_id(info, id))
		die("%s is of another kernel than the one that runs, by its build ID",
		    sources.vmlinux);
	return info;
}

/*
 * Finds the file of the running kernel, or of a module; NULL if there is none. Its build ID is
 * that of what runs, unless any kernel's is asked for: a file of another build is refused with
 * a message.
 */
struct debuginfo *debuginfo_find(const char *module)
{
	struct debuginfo *info = NULL;
	struct strings files __cleanup(strings_free) = {};
	char *id __autofree = NULL;
	size_t i;

	if (!module && sources.vmlinux)
		return open_vmlinux();
	/* A foreign kernel's modules are nowhere. */
	if (module && sources.foreign)
		return NULL;
	id = running_build_id(module);
	list_files(&files, module);
	for (i = 0; !info && i < files.nr; i++) {
		info = debuginfo_open(files.text[i]);
		if (!info || sources.foreign || debuginfo_has_id(info, id))
			continue;
		err("%s is of another %s than the one that runs, by its build ID: it is not used",
		    files.text[i], module ? "module" : "kernel");
		debuginfo_close(info);
		info = NULL;
	}
	if (!info && !sources.foreign)
		info = debuginfo_of_id(id);
	return info;
}

/* A section by its name, or NULL. */
Elf_Scn *debuginfo_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !strcmp(elf_strptr(elf, names, header.sh_name) ?: "", name))
			break;
	return section;
}

/* Finds where the text of a module begins, which is not linked: libdwfl places its sections. */
static bool find_text_section(const struct debuginfo *info, GElf_Addr *addr)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(info->module, &bias);
	GElf_Shdr header;

	if (!gelf_getshdr(debuginfo_section(elf, ".text"), &header))
		return false;
	*addr = header.sh_addr + bias;
	return true;
}

/*
 * Gets how far a file's text is from where it was linked; false if that is unknown. @text is
 * the symbol where the kernel's text begins (a module has the section .text), and @at where
 * that is in memory.
 */
bool debuginfo_slide_of(const struct debuginfo *info, const char *text, uint64_t at,
			uint64_t *slide)
{
	int nr = info->linked ? dwfl_module_getsymtab(info->module) : 0, i;
	bool found = !info->linked && find_text_section(info, slide);
	GElf_Sym sym;

	for (i = 0; !found && i < nr; i++) {
		const char *name = dwfl_module_getsym_info(info->module, i, &sym, slide, NULL,
							   NULL, NULL);

		found = name && !strcmp(name, text);
	}
	*slide = at - *slide;
	return found;
}

/* The same for the running kernel. */
bool debuginfo_slide(const struct debuginfo *info, const struct symbols *symbols,
		     uint64_t *slide)
{
	const struct symbol *text = symbols_text(symbols);

	*slide = 0;
	return text && info->linked && debuginfo_slide_of(info, text->name, text->addr, slide);
}
