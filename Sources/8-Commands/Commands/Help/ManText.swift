import CommandLine
import Configuration
import Host

/// The program's man pages, from the tables that its help and its configuration come from.
enum ManText {
    /// `woodshed.1`: every command with its options, and the exit codes.
    static func commands(_ program: Command) -> String {
        var page = Page(name: "woodshed", section: 1, of: "User commands", summary: program.summary)
        page.head("SYNOPSIS")
        page.line(".B woodshed")
        page.line(".I COMMAND")
        page.line("[OPTION…]")
        page.head("DESCRIPTION")
        page.text(program.summary + ". 'woodshed demo' shows it without an account, 'woodshed setup' sets up your own.")
        page.head("COMMANDS")
        for command in program.subcommands { add(command, named: ["woodshed"], to: &page) }
        page.head("OPTIONS")
        page.text("Every command accepts these:")
        for flag in Flag.common + [.version] { page.item(flag.usage, flag.help) }
        page.text("Each setting of woodshed.yaml(5) can also be given as an option, as in --render-workers=2.")
        page.head("EXIT STATUS")
        for code in ExitCode.allCases { page.item("\(code.rawValue)", code.meaning) }
        page.head("FILES")
        page.item("~/.config/woodshed/woodshed.yaml", "the configuration; see woodshed.yaml(5)")
        page.item("~/.local/share/woodshed", "the library: what is known of plans, charts and marks, and the charts")
        page.item("~/.cache/woodshed", "the images, which may be removed at any time")
        page.head("SEE ALSO")
        page.text("woodshed.yaml(5). 'woodshed help' lists the pages of the manual.")
        return page.lines
    }

    /// `woodshed.yaml.5`: every setting.
    static var settings: String {
        var page = Page(name: "woodshed.yaml", section: 5, of: "File formats", summary: "The configuration of woodshed")
        page.head("DESCRIPTION")
        page.text(
            "A YAML file, ~/.config/woodshed/woodshed.yaml. 'woodshed setup' writes it. An environment variable (WOODSHED_RENDER_WORKERS=2) "
                + "overrides it, an option (--render-workers=2) overrides both.")
        page.head("SETTINGS")
        for setting in Options.settings {
            let usual = setting.read(Options()).yaml
            page.item(
                "\(setting.key): \(usual)", setting.summary.prefix(1).uppercased() + setting.summary.dropFirst() + ". " + setting.reason)
        }
        page.head("SEE ALSO")
        page.text("woodshed(1)")
        return page.lines
    }

    private static func add(_ command: Command, named names: [String], to page: inout Page) {
        let names = names + [command.name]
        if command.run != nil {
            page.section(([names.joined(separator: " ")] + command.parameters.map(\.usage)).joined(separator: " "))
            page.text(command.summary + ".")
            if !command.details.isEmpty { page.text(command.details) }
            for parameter in command.parameters { page.item(parameter.usage, parameter.help) }
            for flag in command.ownFlags { page.item(flag.usage, flag.help) }
        }
        for subcommand in command.subcommands { add(subcommand, named: names, to: &page) }
    }

    /// A page in the language of man.
    private struct Page {
        private(set) var lines: String

        init(name: String, section: Int, of what: String, summary: String) {
            lines = ".TH \(name.uppercased()) \(section) \"\" \"woodshed \(Release.version)\" \"\(what)\"\n"
            head("NAME")
            line("\(name) \\- \(Self.plain(summary))")
        }

        mutating func line(_ line: String) { lines += line + "\n" }
        mutating func head(_ title: String) { line(".SH \"\(title)\"") }
        mutating func section(_ title: String) { line(".SS \"\(Self.plain(title))\"") }

        mutating func text(_ text: String) {
            line(".PP")
            line(Self.plain(text))
        }

        mutating func item(_ term: String, _ text: String) {
            line(".TP")
            line(".B \(Self.plain(String(term.drop { $0 == " " })))")
            line(Self.plain(text))
        }

        /// Nothing in it means anything but itself.
        private static func plain(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let escaped = line.map { ["\\": "\\e", "-": "\\-", "\"": "\\(dq"][$0] ?? String($0) }.joined()
                return (escaped.first == "." || escaped.first == "'" ? "\\&" : "") + escaped
            }.joined(separator: "\n")
        }
    }
}
