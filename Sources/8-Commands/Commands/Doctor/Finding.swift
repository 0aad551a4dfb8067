import CommandLine
import Model

/// One line of the doctor's report.
struct Finding: Hashable, Sendable {
    /// The severity of a finding.
    enum State: String, Hashable, Sendable {
        /// As it should be.
        case ok
        /// Could not be checked, or need not be.
        case skipped
        /// Works, but not as well as it could.
        case warning
        /// Something will not work.
        case problem
    }

    let subject: String
    let state: State
    /// What was found, and what it means for the user.
    let found: Wording
    /// A command or an action that fixes the problem; `nil` if there is none to fix.
    let mend: Wording?

    var message: String { found.text }
    var remedy: String? { mend?.text }

    private init(_ subject: String, _ state: State, _ found: Wording, _ mend: Wording?) {
        (self.subject, self.state, self.found, self.mend) = (subject, state, found, mend)
    }

    static func ok(_ subject: String, _ found: Wording) -> Finding { Finding(subject, .ok, found, nil) }
    static func skipped(_ subject: String, _ found: Wording) -> Finding { Finding(subject, .skipped, found, nil) }
    static func warning(_ subject: String, _ found: Wording, mend: Wording) -> Finding {
        Finding(subject, .warning, found, mend)
    }
    static func problem(_ subject: String, _ found: Wording, mend: Wording) -> Finding {
        Finding(subject, .problem, found, mend)
    }

    /// The lines for people. What is to be typed is neither cut off nor broken, so that it can be copied.
    func lines(on output: Output) -> [String] {
        let style: Style =
            switch state {
            case .ok: .green
            case .skipped: .faint
            case .warning: .yellow
            case .problem: .red
            }
        func column(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(width - text.count, 0)) }
        let mark = output.paint(state.rawValue, style, on: .results) + column(state.rawValue, 9) + subject
        let width = output.terminal.width
        let isNarrow = width.map { $0 < Output.leastWide } ?? false
        let margin = String(repeating: " ", count: isNarrow ? 2 : 31)
        var lines = WrappedText.lines(message.printable, width: width.map { min($0, 100) }, first: margin)
        if isNarrow {
            lines.insert(mark, at: 0)
        } else {
            lines[0] = mark + column(subject, 22) + lines[0].dropFirst(margin.count)
        }
        return lines + (remedy.map { [margin + "→ " + $0.printable] } ?? [])
    }
}

/// What `woodshed doctor` found.
extension [Finding]: Answer {
    var code: ExitCode { contains { $0.state == .problem } ? .notReady : .fine }

    func print(on output: Output) {
        for line in flatMap({ $0.lines(on: output) }) { output.result(line) }
    }

    static let form = JSONForm<[Finding]>([
        .list(
            "findings",
            of: JSONForm<Finding>([
                .init("subject", "what was checked", \.subject),
                .init("state", "ok, skipped (not checked), warning or problem", \.state.rawValue),
                .init("message", "what was found", \.message), .init("remedy", "what fixes it", \.remedy),
            ])
        ) { $0 }
    ])
}
