/// Scripts that complete the program's command line in a shell. Each script asks the program for suggestions, since only the
/// program knows its commands and the contents of the library.
///
/// The first line that the program prints tells the shell to add `files` or `folders` to the suggestions, or nothing (`words`).
/// Each further line is a suggested word. In zsh and fish, a tab and the word's meaning may follow; in bash, the meaning is in
/// parentheses.
package enum Completions {
    package static let bash = #"""
        # What bash offers after 'woodshed': it asks the program.
        _woodshed() {
            local kind form=bash program=${COMP_WORDS[0]/#\~\//$HOME/}
            type -P -- "$program" > /dev/null || program=woodshed
            # Words that bash puts onto the line one after the other must be without what they mean.
            [[ $COMP_TYPE == 37 || $COMP_TYPE == 42 ]] && form=words
            COMPREPLY=()
            {
                IFS= read -r kind
                mapfile -t COMPREPLY
            } < <("$program" complete "$form" -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
            case $kind in
            files) compopt -o default ;;
            folders) compopt -o dirnames ;;
            esac
        }
        complete -F _woodshed woodshed

        """#

    package static let zsh = #"""
        #compdef woodshed
        # What zsh offers after 'woodshed': it asks the program.
        local kind program="${${(Q)words[1]}/#\~\//$HOME/}"
        local -a before answer offered
        (( $+commands[$program] )) || [[ -x $program ]] || program=woodshed
        (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
        answer=("${(@f)$("$program" complete zsh -- "${before[@]}" "${(Q)PREFIX}" 2> /dev/null)}")
        kind=$answer[1]
        shift answer
        offered=("${(@)answer%%$'\t'*}")
        # The program has chosen them; zsh need not find in them what was typed.
        (( $#answer )) && compadd -U -l -d answer -a offered
        [[ $PREFIX == --*=* ]] && compset -P 1 '*='
        case $kind in
        files) _files ;;
        folders) _files -/ ;;
        esac

        """#

    package static let fish = #"""
        # What fish offers after 'woodshed': it asks the program.
        function __woodshed_complete
            set -l words (commandline -opc)
            set -l last (commandline -ct)
            test -n "$last"; or set last ''
            set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
            type -q -- $program; or set program woodshed
            set -l answer ($program complete fish -- $words[2..] (string unescape -- $last; or echo $last) 2>/dev/null)
            set -l kept (string match -r -- '^--[^=]*=' $last)
            set -l path (string replace -r -- '^--[^=]*=' '' $last)
            switch "$answer[1]"
                case files
                    printf "$kept%s\n" (__fish_complete_path $path)
                case folders
                    printf "$kept%s\n" (__fish_complete_directories $path)
            end
            test (count $answer) -gt 1; and printf '%s\n' $answer[2..]
        end
        complete -c woodshed -f -a '(__woodshed_complete)'

        """#
}
