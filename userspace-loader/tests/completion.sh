#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves of the completion in bash, zsh and fish: that each has all commands and hooks, offers the
# options in each command's help and no others, and completes commands, options, values and names,
# also behind -n NETNS.

. "$(dirname "$0")/lib.sh"

DIR=$HERE/../completion
mkdir "$T/bin"
ln -s "$NFAC" "$T/bin/nfac"
PATH=$T/bin:$PATH
commands=$(nfac --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
hooks=$(nfac attach --hook none x 2>&1 | sed 's/.*there are //; s/,//g; s/ and / /')
for file in nfac.bash _nfac nfac.fish; do
	for word in $commands $hooks; do
		grep -qE "(^|[^a-z])$word([^a-z]|$)" "$DIR/$file" || echo "$word"
	done >"$T/missing"
	is "$file has all commands and hooks" "" "$(cat "$T/missing")"
done
gives 0 "bash reads its own" bash -n "$DIR/nfac.bash"

# by_bash WORD...: what completes the last one
by_bash()
{
	bash -c '
		# of bash-completion, as far as it is used here
		_init_completion()
		{
			cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
			cur=${words[cword]} prev=${words[cword - 1]}
		}
		_filedir() { COMPREPLY=($(compgen -f -- "$cur")); }
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_nfac
		printf "%s\n" "${COMPREPLY[@]}"' - "$DIR/nfac.bash" "$@" | sort | xargs
}

by_fish()
{
	HOME=$T fish --no-config -c 'source $argv[1]; complete -C "$argv[2..-1]"' "$DIR/nfac.fish" "$@" |
		cut -f1 | sort | xargs
}

if command -v fish >/dev/null; then
	shells="bash fish"
else
	shells=bash
	skip "fish" "fish is not installed"
fi
for shell in $shells; do
	is "$shell: a command" "scan" "$(by_$shell nfac sc)"
	is "$shell: several" "unload" "$(by_$shell nfac un)"
	is "$shell: an option" "--priority" "$(by_$shell nfac attach --prio)"
	is "$shell: a value" "egress" "$(by_$shell nfac attach web --hook eg)"
	is "$shell: a format" "suricata" "$(by_$shell nfac load --format sur)"
	is "$shell: an interface" "lo" "$(by_$shell nfac attach web --iif lo)"
	is "$shell: a protocol" "all" "$(by_$shell nfac attach web --allow-protocol al)"
	is "$shell: behind a namespace" "detach" "$(by_$shell nfac -n blue deta)"
	is "$shell: its value" "prerouting" "$(by_$shell nfac -n blue attach web --hook pre)"
done

# by_zsh WORD...: what the function offers for the last one, by stand-ins for zsh's own functions
by_zsh()
{
	zsh -f -c '
		offer() { print -l -- ${(M)@:#$words[CURRENT]*} }
		compadd() { [[ $1 != -- ]] || shift; offer "$@" }
		_describe() { offer ${${(P)2}%%:*} }
		_files() { offer $words[CURRENT]*(N) }
		file=$1
		shift
		words=("$@") CURRENT=$#
		complete() { source $file }
		complete' - "$DIR/_nfac" "$@" | sort | xargs
}

# long options of a command, from its help
options_of() { nfac "$1" --help | grep -oE -- '(^|[ ,])--[a-z][a-z0-9-]*' | tr -d ' ,' | sort -u | xargs; }
for shell in $shells $(command -v zsh >/dev/null && echo zsh); do
	for command in $commands; do
		is "$shell: all options of $command" "$(options_of "$command")" \
			"$(by_$shell nfac "$command" -- | tr ' ' '\n' | sort -u | xargs)"
	done
	# values, wherever a help names an option that has a list of them
	for pair in "attach --hook" "attach --family" "attach --priority" "attach --proto" "attach --full" \
		"attach --damaged" "attach --budget" "attach --gap" "attach --skip" "attach --act" "queue --skip" \
		"scan --path" "scan --color" "scan --checksums" "scan --decode" "scan --format" "attach --iif" \
		"attach --dev" "scan --interface"; do
		# shellcheck disable=SC2086 # two words
		like "$shell: values of $pair" "^[a-z]" "$(by_$shell nfac $pair "")"
	done
done
if command -v zsh >/dev/null; then
	is "zsh: a command" "unload" "$(by_zsh nfac un)"
	is "zsh: a value" "egress" "$(by_zsh nfac attach web --hook eg)"
	is "zsh: behind a namespace" "detach" "$(by_zsh nfac -n blue deta)"
	gives 0 "zsh reads its own" zsh -n "$DIR/_nfac"
else
	skip "zsh reads its own" "zsh is not installed"
fi
