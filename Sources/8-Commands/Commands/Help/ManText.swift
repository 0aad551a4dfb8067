import CommandLine
import Configuration
import Host

/// The program's man pages, made from the same tables as its help and its configuration.
enum ManText {
    /// `woodshed.1`: every command with its options, and the exit codes.
    static func commands(_ program: Command) -> String {
        var page = ManPage(name: "woodshed", section: 1, of: "User commands", summary: program.summary)
        page.head("SYNOPSIS")
        page.line(".B woodshed")
        page.line(".I COMMAND")
        page.line("[OPTION...]")
        page.head("DESCRIPTION")
        page.text(program.summary + ". 'woodshed demo' shows it without an account, 'woodshed setup' sets up your own.")
        page.head("COMMANDS")
        for command in program.subcommands { add(command, named: ["woodshed"], to: &page) }
        page.head("EXAMPLES")
        addExamples(of: program, to: &page)
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
        page.text((["woodshed.yaml(5)"] + ManualPage.all.map { "woodshed-\($0.topic)(7)" }).joined(separator: ", ") + ".")
        return page.lines
    }

    /// `woodshed.yaml.5`: every setting.
    static var settings: String {
        var page = ManPage(name: "woodshed.yaml", section: 5, of: "File formats", summary: "The configuration of woodshed")
        page.head("DESCRIPTION")
        page.text(
            "A YAML file, ~/.config/woodshed/woodshed.yaml. 'woodshed setup' writes it. It overrides /etc/woodshed/woodshed.yaml, which "
                + "holds for everybody on this machine. An environment variable (WOODSHED_RENDER_WORKERS=2) "
                + "overrides it, an option (--render-workers=2) overrides both.")
        page.head("SETTINGS")
        for setting in Options.settings { page.item(setting.line, setting.words) }
        page.head("SEE ALSO")
        page.text("woodshed(1), woodshed-settings(7)")
        return page.lines
    }

    /// `woodshed-marks.7` and the like: a page of the manual.
    static func topic(_ topic: ManualPage) -> String {
        var page = ManPage(name: "woodshed-" + topic.topic, section: 7, of: "Manual of woodshed", summary: topic.title)
        page.markdown(topic.text)
        page.head("SEE ALSO")
        page.text("woodshed(1), woodshed.yaml(5)")
        return page.lines
    }

    private static func addExamples(of command: Command, to page: inout ManPage) {
        for example in command.examples { page.item(example.line, example.effect) }
        for subcommand in command.subcommands { addExamples(of: subcommand, to: &page) }
    }

    private static func add(_ command: Command, named names: [String], to page: inout ManPage) {
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
}
