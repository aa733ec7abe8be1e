# SPDX-License-Identifier: GPL-2.0
# fish completion for nfac

# The words before the cursor, without nfac and without -n NETNS.
function __nfac_words
    set -l words (commandline -opc)
    set -e words[1]
    if set -q words[1]; and contains -- $words[1] -n --netns
        set -e words[1]
        set -q words[1]; and set -e words[1]
    else if set -q words[1]; and string match -q -- '--netns=*' $words[1]
        set -e words[1]
    end
    test (count $words) = 0; or printf '%s\n' $words
end

function __nfac_no_command
    test (count (__nfac_words)) = 0
    and not contains -- (commandline -opc)[-1] -n --netns
end

# Is the command one of these?
function __nfac_is
    set -l words (__nfac_words)
    set -q words[1]; and contains -- $words[1] $argv
end

# Is the next word the set's name?
function __nfac_name_is_next
    set -l words (__nfac_words)
    set -q words[1]; and contains -- $words[1] $argv; and not string match -qv -- '-*' $words[2..-1]
end

function __nfac_options
    set -l words (__nfac_words)
    nfac $words[1] --help 2>/dev/null | string match -ar -- '--[a-z][a-z0-9-]*'
end

# A set's name may begin with a dot.
function __nfac_sets
    path basename /sys/class/misc/nfac/sets/{*,.*}/ 2>/dev/null | string match -v -r '^\.\.?$'
end

function __nfac_attachments
    path basename /sys/class/misc/nfac/sets/{*,.*}/attachments/*/ 2>/dev/null
end

# Names in files of lines "NUMBER NAME".
function __nfac_names
    cat $argv 2>/dev/null | string match -r '^\s*[0-9][0-9a-fx]*\s+[^\s#]+' | string replace -r '^\s*\S+\s+' ''
end

function __nfac_services
    string match -r '^[a-z][^\s#]*' </etc/services 2>/dev/null
end

function __nfac_protocols
    string match -r '^[a-z][^\s#]*' </etc/protocols 2>/dev/null
end

complete -c nfac -f
complete -c nfac -n __nfac_no_command -s n -l netns -x -a '(path basename /run/netns/* 2>/dev/null)' -d 'in this network namespace'
complete -c nfac -n __nfac_no_command -a "compile\t'turn pattern files into a compiled set'
scan\t'look for patterns in files and captures'
load\t'put a set into the kernel, or replace it'
unload\t'take a set out of the kernel'
list\t'show the sets and where they are attached'
attach\t'attach a set to a hook, to inspect packets'
detach\t'remove an attachment'
apply\t'put a configuration file into force, all or nothing'
save\t'print what is in force, as a configuration file'
stats\t'show what was inspected, and what it cost'
top\t'show what the sets do now, on a live screen'
watch\t'print matches as they happen'
verify\t'check the memory of a set in the kernel'
explain\t'print in words what a rule checks'
test\t'try rules on captures'
report\t'write a page of HTML of what a set would match'
queue\t'inspect packets in user space, by NFQUEUE'"

# options of the command, from its own help
complete -c nfac -n 'not __nfac_no_command; and string match -q -- "-*" (commandline -ct)' -a '(__nfac_options)'

# values of options
complete -c nfac -n '__nfac_is attach' -l family -x -a 'inet ip ip6 bridge'
complete -c nfac -n '__nfac_is attach' -l hook -x -a 'prerouting input forward output postrouting ingress egress xdp tc'
complete -c nfac -n '__nfac_is attach' -l priority -x -a 'raw conntrack mangle dstnat filter security srcnat'
complete -c nfac -n '__nfac_is attach queue' -l proto -x -a 'tcp udp'
complete -c nfac -n '__nfac_is attach queue' -l dport -x -a '(__nfac_services)'
complete -c nfac -n '__nfac_is attach queue' -l mark -x -a '(__nfac_names /etc/iproute2/rt_marks)'
complete -c nfac -n '__nfac_is attach queue' -l ct-mark -x -a '(__nfac_names /etc/iproute2/rt_marks)'
complete -c nfac -n '__nfac_is attach queue' -l candidate-mark -x -a '(__nfac_names /etc/iproute2/rt_marks)'
complete -c nfac -n '__nfac_is attach queue' -l when-mark -x -a '(__nfac_names /etc/iproute2/rt_marks)'
complete -c nfac -n '__nfac_is attach queue' -l ct-label -x -a '(__nfac_names /etc/connlabel.conf /etc/xtables/connlabel.conf)'
complete -c nfac -n '__nfac_is attach queue' -l full -x -a 'drop pass'
complete -c nfac -n '__nfac_is attach queue' -l damaged -x -a 'drop pass'
complete -c nfac -n '__nfac_is attach queue' -l budget -x -a 'match pass'
complete -c nfac -n '__nfac_is attach queue' -l gap -x -a 'restart pass drop'
complete -c nfac -n '__nfac_is attach queue' -l skip -x -a 'pass drop'
complete -c nfac -n '__nfac_is attach queue' -l allow-protocol -x -a 'all (__nfac_protocols)'
complete -c nfac -n '__nfac_is attach queue' -l act -x -a inexact
complete -c nfac -n '__nfac_is attach' -l dev -x -a '(path basename /sys/class/net/*)'
for option in iif oif
    complete -c nfac -n '__nfac_is attach queue' -l $option -x -a '(path basename /sys/class/net/*)'
end
complete -c nfac -n '__nfac_is scan' -l interface -x -a 'any (path basename /sys/class/net/*)'
complete -c nfac -n '__nfac_is compile scan load explain test report queue' -l decode -x -a 'url none'
complete -c nfac -n '__nfac_is scan' -s k -l checksums -x -a 'all none'
complete -c nfac -n '__nfac_is compile scan load explain test report queue' -l format -x -a 'plain crs suricata domains'
complete -c nfac -n '__nfac_is scan' -l path -x -a 'auto nofilter portable avx2 neon'
complete -c nfac -n '__nfac_is scan' -l color -x -a 'always never auto'
complete -c nfac -n '__nfac_is scan report' -s s -l set -r -F
complete -c nfac -n '__nfac_is scan report' -s p -l patterns -r -F
complete -c nfac -n '__nfac_is scan' -s f -l file -r -F
complete -c nfac -n '__nfac_is scan' -l write -r -F
complete -c nfac -n '__nfac_is compile watch queue report' -s o -l output -r -F
complete -c nfac -n '__nfac_is compile scan load explain test report queue' -l vars -r -F
complete -c nfac -n '__nfac_is watch queue' -l threshold-config -r -F

# arguments
complete -c nfac -n '__nfac_name_is_next load unload attach stats top watch verify' -a '(__nfac_sets)'
complete -c nfac -n '__nfac_is unload verify' -a '(__nfac_sets)'
complete -c nfac -n '__nfac_is detach' -a '(__nfac_attachments)'
complete -c nfac -n '__nfac_is compile scan queue explain test report apply' -F
complete -c nfac -n '__nfac_is load; and not __nfac_name_is_next load' -F
