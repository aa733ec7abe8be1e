// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail, and the module's parameters.
 */

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include "fault.h"
#include "help.h"

/* Whose allocations are counted; one test runs at a time. */
static struct task_struct *help_fault_task;
static unsigned int help_fault_left;

bool kunit_fault(void)
{
	if (READ_ONCE(help_fault_task) != current || !help_fault_left)
		return false;
	return --help_fault_left == 0;
}

void help_fault_at(unsigned int nth)
{
	help_fault_left = nth;
	WRITE_ONCE(help_fault_task, current);
}

bool help_fault_end(void)
{
	bool hit = !help_fault_left;

	WRITE_ONCE(help_fault_task, NULL);
	help_fault_left = 0;
	return hit;
}

static const struct kernel_param *help_param(const char *name)
{
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_kp; i++)
		if (!strcmp(THIS_MODULE->kp[i].name, name))
			return &THIS_MODULE->kp[i];
	return NULL;
}

int help_param_set(const char *name, const char *value)
{
	const struct kernel_param *kp = help_param(name);
	int err;

	if (!kp)
		return -ENOENT;
	kernel_param_lock(THIS_MODULE);
	err = kp->ops->set(value, kp);
	kernel_param_unlock(THIS_MODULE);
	return err;
}

int help_param_get(const char *name, char *buffer)
{
	const struct kernel_param *kp = help_param(name);
	char *page;
	int got;

	if (!kp)
		return -ENOENT;
	/* what sysfs gives: a page, and nothing less */
	page = (char *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	got = kp->ops->get(page, kp);
	strscpy(buffer, page, 32);
	free_page((unsigned long)page);
	return got;
}
