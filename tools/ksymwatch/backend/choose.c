// SPDX-License-Identifier: GPL-2.0-only
/* Which backend a session gets. */
#include "backend/perf/stock.h"
#include "backend/support.h"
#include "lib/util.h"

/**
 * backend_choose - the tracer if the kernel has it, unless the environment says otherwise;
 * die without a backend
 */
const struct backend *backend_choose(void)
{
	if (backend_is_perf()) {
		stock_perf_require();
		return &perf_backend;
	}
	if (backend_wanted() && !backend_asked(BACKEND_TRACER))
		die(BACKEND_VARIABLE ": unknown backend '%s'; must be " BACKEND_TRACER ", "
		    BACKEND_PERF " or " BACKEND_PLAIN_PERF, backend_wanted());
	require_tracer();
	return &tracer_backend;
}
