# SPDX-License-Identifier: GPL-2.0
# bash completion for nfac

# A set's name may begin with a dot.
_nfac_sets()
(
	shopt -s dotglob
	for path in /sys/class/misc/nfac/sets/*/; do
		[ -d "$path" ] && basename "$path"
	done
)

_nfac_attachments()
(
	shopt -s dotglob
	for path in /sys/class/misc/nfac/sets/*/attachments/*/; do
		[ -d "$path" ] && basename "$path"
	done
)

# Numbers' names, in files of lines "NUMBER NAME".
_nfac_names()
{
	sed -n 's/^[[:blank:]]*[0-9][0-9a-fx]*[[:blank:]]\{1,\}\([^[:blank:]#]*\).*/\1/p' "$@" 2>/dev/null
}

_nfac()
{
	local cur prev words cword command
	local commands="compile scan load unload list attach detach apply save stats top watch verify explain test report queue"

	_init_completion -n = || return
	if [[ $prev == -n && $cword == 2 || $prev == --netns ]]; then
		COMPREPLY=($(compgen -W "$(ls /run/netns 2>/dev/null)" -- "$cur"))
		return
	fi
	# behind -n NETNS the command is the third word
	if [[ ${words[1]} == -n || ${words[1]} == --netns ]]; then
		words=("${words[0]}" "${words[@]:3}")
		cword=$((cword - 2))
	fi
	command=${words[1]}
	case $prev in
	--format) COMPREPLY=($(compgen -W "plain crs suricata domains" -- "$cur")); return ;;
	--family) COMPREPLY=($(compgen -W "inet ip ip6 bridge" -- "$cur")); return ;;
	--hook) COMPREPLY=($(compgen -W "prerouting input forward output postrouting ingress egress xdp tc" -- "$cur")); return ;;
	--priority) COMPREPLY=($(compgen -W "raw conntrack mangle dstnat filter security srcnat" -- "$cur")); return ;;
	--proto) COMPREPLY=($(compgen -W "tcp udp" -- "$cur")); return ;;
	--full | --damaged) COMPREPLY=($(compgen -W "drop pass" -- "$cur")); return ;;
	--budget) COMPREPLY=($(compgen -W "match pass" -- "$cur")); return ;;
	-k|--checksums) COMPREPLY=($(compgen -W "all none" -- "$cur")); return ;;
	--decode) COMPREPLY=($(compgen -W "url none" -- "$cur")); return ;;
	--gap) COMPREPLY=($(compgen -W "restart pass drop" -- "$cur")); return ;;
	--skip) COMPREPLY=($(compgen -W "pass drop" -- "$cur")); return ;;
	--allow-protocol)
		COMPREPLY=($(compgen -W "all $(sed -n 's/^\([a-z][^[:blank:]#]*\).*/\1/p' /etc/protocols 2>/dev/null)" -- "$cur"))
		return ;;
	--path) COMPREPLY=($(compgen -W "auto nofilter portable avx2 neon" -- "$cur")); return ;;
	--dev | --iif | --oif) COMPREPLY=($(compgen -W "$(ls /sys/class/net)" -- "$cur")); return ;;
	--interface) COMPREPLY=($(compgen -W "any $(ls /sys/class/net)" -- "$cur")); return ;;
	--mark | --ct-mark | --when-mark | --candidate-mark)
		COMPREPLY=($(compgen -W "$(_nfac_names /etc/iproute2/rt_marks)" -- "$cur")); return ;;
	--ct-label)
		COMPREPLY=($(compgen -W "$(_nfac_names /etc/connlabel.conf /etc/xtables/connlabel.conf)" -- "$cur"))
		return ;;
	--dport)
		COMPREPLY=($(compgen -W "$(sed -n 's/^\([a-z][^[:blank:]#]*\).*/\1/p' /etc/services)" -- "$cur"))
		return ;;
	--act) COMPREPLY=($(compgen -W "inexact" -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W "always never auto" -- "$cur")); return ;;
	--vars | --threshold-config) _filedir; return ;;
	--write) _filedir pcap; return ;;
	-s | --set) _filedir nfac; return ;;
	-o | --output | -p | --patterns | -f | --file) _filedir; return ;;
	esac
	if [ "$cword" = 1 ]; then
		COMPREPLY=($(compgen -W "$commands --help --version --netns" -- "$cur"))
		return
	fi
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(nfac "$command" --help 2>/dev/null |
			grep -oE -- '--[a-z][a-z0-9-]*')" -- "$cur"))
		return
	fi
	case $command in
	compile | scan | explain | test | report) _filedir ;;
	load) [ "$cword" = 2 ] && COMPREPLY=($(compgen -W "$(_nfac_sets)" -- "$cur")) || _filedir ;;
	unload | attach | stats | watch | verify)
		COMPREPLY=($(compgen -W "$(_nfac_sets)" -- "$cur")) ;;
	detach) COMPREPLY=($(compgen -W "$(_nfac_attachments)" -- "$cur")) ;;
	queue) _filedir nfac ;;
	apply) _filedir toml ;;
	esac
}

complete -F _nfac nfac
