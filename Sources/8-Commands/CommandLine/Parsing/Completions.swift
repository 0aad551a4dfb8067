/// The completions that shells offer while a command is typed, from the table of commands.
package enum Completions {
    /// A command that can be typed, and what may follow it.
    private struct Entry {
        let names: [String]
        let command: Command

        var path: String { names.joined(separator: " ") }
        var flags: [Flag] { command.ownFlags + Flag.common + (names.count == 1 ? [.version] : []) }
    }

    private static func entries(_ command: Command, _ names: [String]) -> [Entry] {
        [Entry(names: names, command: command)] + command.subcommands.flatMap { entries($0, names + [$0.name]) }
    }

    package static func bash(_ program: Command) -> String {
        let entries = entries(program, [program.name])
        let cases = entries.map { entry in
            let words = entry.command.subcommands.map(\.name) + entry.flags.map { "--" + $0.name }
            return "        '\(entry.path)') words='\(words.joined(separator: " "))' ;;"
        }
        return """
            # What bash offers after 'woodshed'.
            _woodshed() {
                local path=woodshed words='' place word=${COMP_WORDS[COMP_CWORD]}
                for ((place = 1; place < COMP_CWORD; place++)); do
                    case "$path ${COMP_WORDS[place]}" in
                    \(entries.dropFirst().map { "'\($0.path)'" }.joined(separator: " | "))) path="$path ${COMP_WORDS[place]}" ;;
                    esac
                done
                case $path in
            \(cases.joined(separator: "\n"))
                esac
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                        }
            complete -o bashdefault -o default -F _woodshed woodshed

            """
    }

    package static func zsh(_ program: Command) -> String {
        let entries = entries(program, [program.name])
        let cases = entries.map { entry in
            let rows =
                entry.command.subcommands.map { ($0.name, $0.summary) } + entry.flags.map { ("--" + $0.name, $0.help) }
            return "        '\(entry.path)') offered=(\(rows.map { quoted("\(colonless($0.0)):\($0.1)") }.joined(separator: " "))) ;;"
        }
        return """
            #compdef woodshed
            # What zsh offers after 'woodshed'.
            local place_path=woodshed place
            local -a offered
            for ((place = 2; place < CURRENT; place++)); do
                case "$place_path ${words[place]}" in
                \(entries.dropFirst().map { "'\($0.path)'" }.joined(separator: "|"))) place_path="$place_path ${words[place]}" ;;
                esac
            done
            case $place_path in
            \(cases.joined(separator: "\n"))
            esac
            _describe 'woodshed' offered || _files

            """
    }

    package static func fish(_ program: Command) -> String {
        entries(program, [program.name]).flatMap { entry in
            let inner = entry.command.subcommands.map(\.name)
            let within = entry.names.dropFirst().map { "__fish_seen_subcommand_from \($0)" }
            let before = inner.isEmpty ? [] : ["not __fish_seen_subcommand_from \(inner.joined(separator: " "))"]
            let condition = (within + before).joined(separator: "; and ")
            let head = "complete -c woodshed" + (condition.isEmpty ? "" : " -n \(quoted(condition))")
            let commands = entry.command.subcommands.map { "\(head) -f -a \($0.name) -d \(quoted($0.summary))" }
            return commands
                + entry.flags.map { flag -> String in
                    let short = flag.short.map { " -s \($0)" } ?? ""
                    return "\(head) -l \(flag.name)\(short)\(flag.argument == nil ? "" : " -r") -d \(quoted(flag.help))"
                }
        }.joined(separator: "\n") + "\n"
    }

    /// In single quotes, as all three shells read them.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private static func colonless(_ word: String) -> String {
        word.split(separator: ":", omittingEmptySubsequences: false).joined(separator: #"\:"#)
    }
}
