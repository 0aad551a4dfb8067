import CommandLine
import Glibc
import Platform

/// The desktop of whoever is logged in, which shows messages by the program that desktops have for it.
@LoopActor
struct DesktopMessages {
    private let program: String
    private let environment: [String]
    private let clock: any TimeKeeper

    /// How long it may take: desktops answer at once, or never.
    private static let patience = Duration.seconds(5)
    /// What fits into a message.
    private nonisolated static let longestText = 400

    /// Looks for it; `nil` if there is no session, or the program is not installed.
    init?(_ environment: Environment, clock: any TimeKeeper) {
        let bus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }.flatMap { access($0, F_OK) == 0 ? "unix:path=\($0)" : nil }
        guard let address = environment["DBUS_SESSION_BUS_ADDRESS"] ?? bus else { return nil }
        guard let program = environment.program("notify-send") else { return nil }
        self.program = program
        self.clock = clock
        // The rest of our environment, which may hold a token, is nobody's business.
        let passed = ["HOME", "PATH", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"].compactMap { name in
            environment[name].map { "\(name)=\($0)" }
        }
        self.environment = passed + ["DBUS_SESSION_BUS_ADDRESS=\(address)"]
    }

    /// Shows a notice. Answers why that was not possible, `nil` if it was.
    func show(_ notice: Notice) async -> String? {
        let output: Child.Output
        do {
            output = try await Child.output(
                of: program, arguments: Self.arguments(for: notice), environment: environment, within: Self.patience, takesErrors: true,
                clock: clock)
        } catch {
            return "\(error)"
        }
        guard output.exit != .code(0) else { return nil }
        let said = String(decoding: output.bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
        return "\(program) " + (output.exit.map { "\($0)" } ?? "did not end within \(Self.patience.components.seconds) s") + said
    }

    nonisolated static func arguments(for notice: Notice) -> [String] {
        ["--app-name=Woodshed", "--icon=woodshed", "--urgency=\(notice.urgency.rawValue)", "--", notice.title, text(of: notice)]
    }

    /// Its text, written so that it is shown as it is: desktops take it for markup, and the program replaces what begins with a backslash.
    nonisolated static func text(of notice: Notice) -> String {
        let text = notice.text.asSentence.printable
        let short = text.count > longestText ? text.prefix(longestText - 1) + "…" : text
        return String(
            short.flatMap { character -> String in
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                case "\\": "\\\\"
                default: String(character)
                }
            })
    }
}
