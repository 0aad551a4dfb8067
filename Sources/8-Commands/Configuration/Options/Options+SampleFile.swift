import CommandLine

extension Options {
    /// The commented configuration file: every option with its default, ready to be uncommented.
    package static func sampleFile() -> String { Options().explainedFile() }

    /// The commented file, with what differs from the defaults or from what else holds on this machine.
    package func explainedFile(besides machine: Options = Options()) -> String { file(isSample: true, besides: machine) }

    /// A configuration file with exactly these options.
    package func file() -> String { file(isSample: false, besides: Options()) }

    private func file(isSample: Bool, besides machine: Options) -> String {
        var text = isSample ? Self.preface : ""
        var section = ""
        for setting in Self.settings {
            if setting.section != section {
                section = setting.section
                text += "\(text.isEmpty ? "" : "\n")\(section):\n"
            }
            if isSample {
                if !text.hasSuffix(":\n") { text += "\n" }
                text += Self.comment(setting.summary.prefix(1).uppercased() + setting.summary.dropFirst() + ".")
                text += Self.comment(setting.reason)
            }
            let isDefault = isSample && setting.read(self) == setting.read(machine)
            text += "  \(isDefault ? "#" : "")\(setting.name): \(setting.read(self).yaml)\n"
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
