// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules: a watch on a module's variable follows the module.
 *
 * It is pointed at the variable when the module has been linked and its init
 * has not run yet, or after that if it needs what init does; and is taken off
 * when its exit has run and its memory has not been freed yet. In between, and
 * before, it is pending and keeps its slots.
 *
 * Nothing here can fail the loading of a module.
 */
#define pr_fmt(fmt) "ksym: " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <asm/ksym_access.h>

#include "ksym.h"

static bool is_of_module(const struct ksym_watch *watch, const struct module *mod)
{
	return watch->target.kind == KSYM_AT_SYMBOL &&
	       !strcmp(watch->target.module, mod->name);
}

/**
 * ksym_module_catch_up_locked - arm a pending watch, if its module is there now
 * @watch: a watch
 *
 * A task's events are left to ksym_traps_settle().
 *
 * Process context; sleeps; event_mutex is held.
 */
void ksym_module_catch_up_locked(struct ksym_watch *watch)
{
	struct ksym_found found = {};
	struct ksym_error error = { .code = KSYM_ERR_NONE };
	int ret;

	lockdep_assert_held(&event_mutex);

	/* Kernel code has ended it, and its event is still in use. */
	if (!watch->found.pending || !watch->nr_pieces)
		return;
	ret = ksym_resolve_again(watch, &found, &error);
	if (!ret && found.pending)
		goto out;
	watch->short_of_slots = false;
	if (!ret) {
		ret = ksym_slots_place(watch, &found);
		watch->short_of_slots = ret == -ENOSPC;
	}
	if (!ret && watch->on)
		ret = ksym_watch_start_locked(watch);
	if (ret) {
		pr_warn("%s: module %s is loaded, and the watch stays pending: %s (error %d)\n",
			watch->name, watch->target.module,
			error.code == KSYM_ERR_NONE ? "it could not be armed" :
						      ksym_error_text(error.code), ret);
		ksym_watch_stop_locked(watch);
		ksym_slots_park(watch);
	}
out:
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
	if (!is_of_module(watch, mod) || watch->found.pending)
		return;
	ksym_watch_stop_locked(watch);
	ksym_slots_park(watch);
}

static void tell_watches(const struct module *mod,
			 void (*func)(struct ksym_watch *watch, const struct module *mod))
{
	struct dyn_event *devent;

	mutex_lock(&event_mutex);
	for_each_dyn_event(devent) {
		if (ksym_is_watch(devent))
			func(to_ksym_watch(devent), mod);
	}
	mutex_unlock(&event_mutex);
	ksym_slots_settle_all();
}

static int ksym_module_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	/* Other text may stand where instructions are known from before. */
	if (action == MODULE_STATE_COMING || action == MODULE_STATE_GOING)
		ksym_access_flush();
	/* What init has set up, as a pointer, may be there only when it is live. */
	if (action == MODULE_STATE_COMING || action == MODULE_STATE_LIVE)
		tell_watches(data, module_has_come);
	if (action == MODULE_STATE_GOING) {
		ksym_end_watches_of(data);
		tell_watches(data, module_goes);
	}
	return NOTIFY_DONE;
}

static struct notifier_block ksym_module_nb = {
	.notifier_call	= ksym_module_notify,
	/* After those of BTF, whose types a target may need, and of the events. */
	.priority	= -1,
};

/**
 * ksym_module_init - follow the modules that come and go
 *
 * Called before there is any watch.
 */
void __init ksym_module_init(void)
{
	int ret = register_module_notifier(&ksym_module_nb);

	if (ret)
		pr_warn("modules are not followed: error %d\n", ret);
}
