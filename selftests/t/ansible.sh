#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 500
#
# Proves of the Ansible role, on a connection of its own machine into a namespace: that it pushes
# pattern files and a configuration and applies them, that a second run changes nothing, that a
# changed file swaps the set and a removed one goes, that a configuration whose patterns do not
# compile never comes to its place; that it loads the module on a host where that is installed and
# not loaded; that ansible-lint finds nothing, by its strictest profile.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool ansible-playbook ansible-lint
load_module
ns_new server
SERVER=server
export HOME=$T ANSIBLE_NOCOLOR=1 ANSIBLE_LOCALHOST_WARNING=0 ANSIBLE_HOME=$T/.ansible
export LC_ALL=C.UTF-8
cp -r "$TREE/packaging/ansible" "$T/ansible"
cd "$T/ansible" || exit 1
mkdir -p files/sets/local
printf 'attack\n' >files/sets/one.txt
printf 'evil\n' >files/sets/local/two.txt
cat >files/nfac.toml <<END
[set.s]
files = ["$T/etc/sets/one.txt", "$T/etc/sets/local/*.txt"]
[[attach]]
set = "s"
drop = true
END
cat >play.yml <<END
- name: Test
  hosts: all
  gather_facts: false
  roles:
    - role: nfac
      vars:
        nfac_files: "{{ playbook_dir }}/files/sets/"
        nfac_files_dest: $T/etc/sets
        nfac_config: "{{ playbook_dir }}/files/nfac.toml"
        nfac_config_dest: $T/etc/nfac.toml
        nfac_tool: $NFAC
        nfac_netns: server
END

play()
{
	ansible-playbook -i localhost, -c local -e ansible_python_interpreter=/usr/bin/python3 play.yml "$@"
}

# number of tasks that changed something in the last play
changed()
{
	sed -n 's/^localhost.* changed=\([0-9]*\) .*/\1/p' "$T/.out"
}

# number of patterns of the set, and its attachments
state()
{
	"$NFAC" -n server list | sed -n 's/^s: \([0-9]*\) patterns.*/\1/p; s/^ *[0-9]*: \(.*\)/\1/p' | xargs
}

ok "the role is applied" play
is "the set is in force" "2 prerouting -190 --drop" "$(state)"
is "files are not for everyone" 640 "$(stat -c %a "$T/etc/sets/one.txt")"
ok "again" play
is "changes nothing" 0 "$(changed)"
printf 'attack\nwicked\n' >files/sets/one.txt
rm files/sets/local/two.txt
printf 'mean\n' >files/sets/local/three.txt
ok "files that changed, went and came" play
is "the set is swapped" "3 prerouting -190 --drop" "$(state)"
is "what went is gone" "three.txt" "$(ls "$T/etc/sets/local")"
is "one set, loaded twice" 2 "$(server cat /sys/class/misc/nfac/sets/s/generation)"
cp "$T/etc/nfac.toml" "$T/before"
sed -i 's/drop = true/dorp = true/' files/nfac.toml
fails_with "a configuration with a mistake is refused" "did you mean 'drop'" play
ok "and does not come to its place" cmp "$T/before" "$T/etc/nfac.toml"
is "what was in force stays" "3 prerouting -190 --drop" "$(state)"

say "a new host: the module is installed, and not loaded"
sed -i 's/dorp = true/drop = true/' files/nfac.toml
run "$NFAC" -n server apply --empty
ok "the module is removed" unload_module
modules=/lib/modules/$(uname -r)
run mkdir -p "$modules/extra"
run cp "$NFAC_KO" "$modules/extra/"
: >"$modules/modules.order"
: >"$modules/modules.builtin"
run depmod "$(uname -r)"
ok "the role loads it" play
is "the set is in force" "3 prerouting -190 --drop" "$(state)"
ok "ansible-lint, profile production" ansible-lint --offline --nocolor --profile production playbook.yml
