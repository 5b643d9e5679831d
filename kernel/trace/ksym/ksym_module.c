// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules: a watch on a module's variable follows the module.
 *
 *   insmod: linked --> COMING --> init() --> LIVE      rmmod: exit() --> GOING --> freed
 *                        |                    |                           |
 *                      placed         placed, if it was                 parked
 *                                     not possible before
 *
 * So a watch records what init() and exit() do. While the module is away, the watch is
 * pending and keeps its slots. An error here never fails the loading of a module.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <asm/ksym.h>

#include "ksym_fetch.h"
#include "ksym_module.h"
#include "ksym_trap.h"
#include "ksym_watch.h"

static bool is_of_module(const struct ksym_watch *watch, const struct module *mod)
{
	return watch->target.kind == KSYM_AT_SYMBOL &&
	       !strcmp(watch->target.module, mod->name);
}

/* Resolves the target of a pending watch again. */
static int resolve_again(const struct ksym_watch *watch, struct ksym_found *found,
			 struct ksym_error *error)
{
	struct {
		struct ksym_spec	spec;
		char			more[KSYM_MORE_LEN];
	} *again;
	int ret;

	again = kzalloc_obj(*again);
	if (!again)
		return -ENOMEM;
	found->loading = true;
	again->spec.target = watch->target;
	again->spec.access = watch->access;
	again->spec.len = watch->asked_len;
	again->spec.opt = watch->opt;
	ret = ksym_resolve(&again->spec, found, error, again->more);
	kfree(again);
	return ret;
}

static int place_watch(struct ksym_watch *watch, const struct ksym_found *found)
{
	int ret = ksym_trap_place(watch, found);

	if (!ret && ksym_watch_is_wanted(watch))
		ret = ksym_trap_start_locked(watch);
	return ret;
}

/**
 * ksym_module_catch_up_locked - place a pending watch if its module is loaded
 * @watch: a watch in any state
 *
 * The events of tasks are left to ksym_traps_sync().
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_module_catch_up_locked(struct ksym_watch *watch)
{
	struct ksym_found found = {};
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	int ret;

	lockdep_assert_held(&event_mutex);

	if (!ksym_watch_is_pending(watch))
		return;
	ret = resolve_again(watch, &found, &error);
	if (!ret && !found.pending)
		ret = place_watch(watch, &found);
	if (ret) {
		pr_warn("%s: module %s is loaded, and the watch stays pending: %s (error %d)\n",
			watch->name, watch->target.module,
			error.code == KSYM_ERR_NONE ? "it could not be armed" :
						      ksym_error_text(error.code), ret);
		ksym_trap_stop_locked(watch);
		ksym_trap_park(watch);
		if (ret == -ENOSPC)
			watch->state = KSYM_NO_SLOTS;
	}
	ksym_found_put(&found);
}

static void module_has_come(struct ksym_watch *watch, const struct module *mod)
{
	if (is_of_module(watch, mod))
		ksym_module_catch_up_locked(watch);
	ksym_fetch_update(watch->fetch);
}

static void module_goes(struct ksym_watch *watch, const struct module *mod)
{
	ksym_fetch_forget(watch->fetch, mod);
	if (!is_of_module(watch, mod) || watch->state == KSYM_ENDED)
		return;
	ksym_trap_stop_locked(watch);
	ksym_trap_park(watch);
}

static void update_watches(const struct module *mod,
			   void (*func)(struct ksym_watch *watch, const struct module *mod))
{
	struct dyn_event *devent;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		if (ksym_is_watch(devent))
			func(to_ksym_watch(devent), mod);
	}
	mutex_unlock(&event_mutex);
	ksym_traps_sync();
}

static int ksym_module_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	/* Other code may be loaded at the address of a cached instruction. */
	if (action == MODULE_STATE_COMING || action == MODULE_STATE_GOING)
		arch_ksym_flush();
	/* A pointer that init sets up leads somewhere only when the module is live. */
	if (action == MODULE_STATE_COMING || action == MODULE_STATE_LIVE)
		update_watches(data, module_has_come);
	if (action == MODULE_STATE_GOING) {
		ksym_watch_end_all_of(data);
		update_watches(data, module_goes);
	}
	return NOTIFY_DONE;
}

static struct notifier_block ksym_module_nb = {
	.notifier_call	= ksym_module_notify,
	/* After the notifiers of BTF, whose types a target may need, and of events. */
	.priority	= -1,
};

/**
 * ksym_module_init - follow modules that are loaded and unloaded
 *
 * Called before the first watch is made.
 */
void __init ksym_module_init(void)
{
	int ret = register_module_notifier(&ksym_module_nb);

	if (ret)
		pr_warn("modules are not followed: error %d\n", ret);
}
