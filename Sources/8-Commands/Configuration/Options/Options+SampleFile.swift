import CommandLine

extension Options {
    /// The commented configuration file, with every option at its default and commented out.
    package static func sampleFile() -> String { Options().explainedFile() }

    /// The commented file. Only options that differ from those in `machine`, by default the program's defaults, are in effect.
    package func explainedFile(besides machine: Options = Options()) -> String {
        explainedFile(saying: Set(Self.settings.filter { $0.read(self) != $0.read(machine) }.map(\.key)))
    }

    /// The commented file with only the settings in `keys` in effect. A comment marks the values that are only `offered`.
    func explainedFile(saying keys: Set<String>, offered: Set<String> = []) -> String {
        file(preface: Self.preface) { setting in
            let comment = Self.comment(setting.sentence) + Self.comment(setting.reason)
            let offer =
                offered.contains(setting.key) ? Self.comment("The next line came from elsewhere; remove its '#' if it is yours.") : ""
            return (comment + offer, keys.contains(setting.key))
        }
    }

    /// A configuration file that sets every option, including those at their defaults.
    package func file() -> String { file(preface: "") { _ in ("", true) } }

    /// The options for another process, without values that must not be shown.
    package var forOthers: String {
        var options = self
        for setting in Self.settings where !setting.isShown { _ = setting.write(&options, .unset) }
        return options.file()
    }

    /// `line` returns the comment for a setting, and whether the setting is in effect.
    private func file(preface: String, _ line: (Setting) -> (comment: String, isSaid: Bool)) -> String {
        var text = preface
        var section = ""
        for setting in Self.settings {
            if setting.section != section {
                section = setting.section
                text += "\(text.isEmpty ? "" : "\n")\(section):\n"
            }
            let (comment, isSaid) = line(setting)
            if !comment.isEmpty, !text.hasSuffix(":\n") { text += "\n" }
            text += comment + "  \(isSaid ? "" : "#")\(setting.name): \(setting.read(self).yaml)\n"
        }
        return text
    }

    private static let preface = """
        # Woodshed's configuration. Every option is listed with its default and the reason for it.
        # To change one, remove the '#' before its name and write another value.
        # 'woodshed config check' finds mistakes; 'woodshed config show' prints what is in effect and where it came from.
        # An environment variable (WOODSHED_RENDER_WORKERS=2) overrides this file, a flag (--render-workers=2) overrides both.
        # This file overrides /etc/woodshed/woodshed.yaml, which has the same form and holds for everybody on this machine.

        """

    private static func comment(_ text: String) -> String {
        text.split(separator: "\n").map { "  # \($0)\n" }.joined()
    }
}
