# SPDX-License-Identifier: GPL-2.0
#
# nfac: for people. Kbuild next to this file is for kbuild:
#
#   make                 the command line tool; the module too if kernel headers are found
#   make modules         the module alone (KDIR=... picks the kernel)
#   make install         both, with man pages, completion, unit (DESTDIR=, PREFIX=)
#   make check           everything that can be tested
#   make demo            the whole line in a stock Debian kernel, in QEMU
#   make check T=hook [ON=debian]    one selftest
#   make check STEPS="cli style"     some steps of selftests/check -l
#   make kunit SUITE=nfac_flow       one suite, or one case: CASE=
#   make compare         beside Suricata, rule by rule
#   make matrix          every kernel that is supported, built for and booted
#   make kunit fuzz bench soak style packages    each by itself; see selftests/
#
# Kernel headers: KDIR=, else those of the running kernel, else the newest installed.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= /lib/systemd/system
SBINDIR ?= $(PREFIX)/sbin
UNITS := nfac.service nfac-watch.service nfac-update.service nfac-update.timer \
	nfac-metrics.service nfac-metrics.timer

RUNNING := /lib/modules/$(shell uname -r)/build
NEWEST = $(shell ls -d /lib/modules/*/build /usr/src/linux-headers-*[!n] 2>/dev/null | \
	while read -r d; do [ -f "$$d/Module.symvers" ] && echo "$$d"; done | sort -V | tail -1)
ifndef KDIR
KDIR := $(if $(wildcard $(RUNNING)/Module.symvers),$(RUNNING),$(NEWEST))
endif

# the kernel that KDIR is of
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
# where its key is not at hand, to try to sign is an error of SSL for each module
NO_SIGNING = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

all: cli $(if $(KDIR),modules,no-headers)

cli:
	$(MAKE) -C userspace-loader

modules:
	@test -n "$(KDIR)" || { echo "nfac: no kernel headers; give KDIR=, or: apt-get install linux-headers-amd64" >&2; exit 1; }
	@[ "$(RELEASE)" = "$$(uname -r)" ] || \
		echo "nfac: the module is built for kernel $(RELEASE); $$(uname -r) is running"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules
	@kmod/btf $(KDIR)

no-headers:
	@echo "nfac: no kernel headers found, the module is not built"
	@echo "nfac: give KDIR=, or: apt-get install linux-headers-amd64"

install: all install-cli install-system $(if $(KDIR),install-modules)

install-cli: cli
	$(MAKE) -C userspace-loader install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) SBINDIR=$(SBINDIR)

install-modules: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) $(NO_SIGNING) modules_install
	$(if $(DESTDIR),,depmod -a $(RELEASE))

install-system:
	install -d $(DESTDIR)$(SYSCONFDIR)/nfac/update.d $(DESTDIR)$(SYSCONFDIR)/logrotate.d \
		$(DESTDIR)$(UNITDIR) $(DESTDIR)$(SBINDIR)
	[ -e $(DESTDIR)$(SYSCONFDIR)/nfac/watch.conf ] || \
		install -m 644 packaging/watch.conf $(DESTDIR)$(SYSCONFDIR)/nfac/watch.conf
	install -m 644 packaging/nfac.logrotate $(DESTDIR)$(SYSCONFDIR)/logrotate.d/nfac
	install -m 644 packaging/nfac.toml.example $(DESTDIR)$(SYSCONFDIR)/nfac/nfac.toml.example
	install -d $(DESTDIR)$(PREFIX)/share/doc/nfac/examples
	install -m 644 packaging/nft/*.nft $(DESTDIR)$(PREFIX)/share/doc/nfac/examples/
	install -m 644 packaging/update.conf.example $(DESTDIR)$(PREFIX)/share/doc/nfac/examples/
	install -d $(DESTDIR)$(PREFIX)/share/nfac/grafana $(DESTDIR)$(PREFIX)/share/nfac/prometheus
	install -m 644 packaging/grafana/nfac.json $(DESTDIR)$(PREFIX)/share/nfac/grafana/
	install -m 644 packaging/prometheus/nfac.rules.yml $(DESTDIR)$(PREFIX)/share/nfac/prometheus/
	cp -r --no-preserve=ownership packaging/ansible $(DESTDIR)$(PREFIX)/share/nfac/
	sed 's,@SBIN@,$(SBINDIR),g' packaging/nfac-update >$(DESTDIR)$(SBINDIR)/nfac-update
	chmod 755 $(DESTDIR)$(SBINDIR)/nfac-update
	for unit in $(UNITS); do \
		sed 's,@SBIN@,$(SBINDIR),g' packaging/$$unit >$(DESTDIR)$(UNITDIR)/$$unit && \
		chmod 644 $(DESTDIR)$(UNITDIR)/$$unit || exit 1; \
	done

uninstall:
	$(if $(DESTDIR),,-[ ! -d /run/systemd/system ] || systemctl disable --now $(UNITS))
	-$(MAKE) -C userspace-loader uninstall DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) SBINDIR=$(SBINDIR)
	rm -f $(UNITS:%=$(DESTDIR)$(UNITDIR)/%) $(DESTDIR)$(SYSCONFDIR)/nfac/nfac.toml.example \
		$(DESTDIR)$(SBINDIR)/nfac-update $(DESTDIR)$(SYSCONFDIR)/logrotate.d/nfac \
		$(DESTDIR)$(SYSCONFDIR)/systemd/system/multi-user.target.wants/nfac-watch.service \
		$(DESTDIR)$(SYSCONFDIR)/systemd/system/timers.target.wants/nfac-update.timer \
		$(DESTDIR)$(SYSCONFDIR)/systemd/system/timers.target.wants/nfac-metrics.timer \
		$(DESTDIR)$(SYSCONFDIR)/systemd/system/sysinit.target.wants/nfac.service
	rm -rf $(DESTDIR)$(PREFIX)/lib/nfac $(DESTDIR)$(PREFIX)/share/nfac \
		$(DESTDIR)$(PREFIX)/share/doc/nfac
	for d in $(DESTDIR)$(SYSCONFDIR)/nfac/update.d $(DESTDIR)$(SYSCONFDIR)/nfac; do \
		[ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d; done
	[ ! -d $(DESTDIR)/lib/modules ] || find $(DESTDIR)/lib/modules ! -path '*/nfac/*' \
		! -path '*/updates/dkms/*' \( -name nfac.ko\* \
		-o -name ts_nfac.ko\* -o -name xt_nfac.ko\* -o -name nfac_ct.ko\* \
		-o -name nfac_bpf.ko\* \) -print -delete
	$(if $(DESTDIR),,for k in /lib/modules/*/modules.dep; do \
		[ ! -e $$k ] || depmod -a $$(basename $$(dirname $$k)); done)

clean:
	-$(MAKE) -C userspace-loader clean
	$(if $(KDIR),-$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	for d in selftests/engine selftests/fuzz selftests/bench; do \
		[ ! -f $$d/Makefile ] || $(MAKE) -C $$d clean; \
	done
	rm -rf packaging/out

# T=NAME: one selftest, on UML, or ON=debian in QEMU; STEPS="NAME...": some steps
check:
	@selftests/vm/deps
	@$(if $(T),selftests/run --$(or $(ON),uml) -k '^$(T)$$',selftests/check $(STEPS))

# SUITE=NAME: one suite, CASE=NAME: one case of it, both on plain UML
kunit:
	@$(if $(SUITE)$(CASE),kunit-tests/run $(if $(SUITE),-s $(SUITE)) $(if $(CASE),-c $(CASE)) uml,$(MAKE) -s -C kunit-tests)

demo:
	@selftests/vm/deps build demo
	@selftests/demo

# Suricata and nfac over the captures of the tests
compare: cli
	@selftests/compare/run $(foreach f,$(wildcard selftests/data/et/*.rules),--rules $(f)) \
		selftests/data/benign-http.pcap.gz selftests/data/crs-attacks.pcap.gz
	@selftests/compare/run --rules selftests/compare/keywords.rules --keywords

matrix: cli
	@selftests/vm/deps
	@selftests/matrix

style:
	@selftests/style

fuzz bench:
	$(MAKE) -C selftests/$@ $@

MINUTES ?= 10
soak:
	@selftests/soak $(MINUTES)

packages:
	packaging/build

.PHONY: all cli modules no-headers install install-cli install-modules install-system uninstall \
	clean check kunit demo compare matrix style fuzz bench soak packages
