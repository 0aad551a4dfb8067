package import CommandLine
import Model

package struct ConfigurationFault: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    package let message: String
    /// The command that mends it, which the message ends with; nil if there is none.
    package let remedy: String?
    /// Whether the fault concerns only the token for guests.
    package let isOfGuests: Bool

    package init(origin: Origin, message: String, remedy: String? = nil, isOfGuests: Bool = false) {
        (self.origin, self.remedy, self.isOfGuests) = (origin, remedy, isOfGuests)
        self.message = message + (remedy.map { "; run: \($0)" } ?? "")
    }

    package var description: String { "\(origin.place): \(message)".printable }

    /// Puts the faults in files first, in the order of `files` and of the lines in each. All other faults follow in their given
    /// order. `files` starts with the file of lower precedence.
    static func inOrder(_ faults: [ConfigurationFault], files: [String]) -> [ConfigurationFault] {
        faults.enumerated().map { offset, fault in (rank: fault.rank(files), offset, fault) }
            .sorted { ($0.rank.0, $0.rank.1, $0.rank.2, $0.1) < ($1.rank.0, $1.rank.1, $1.rank.2, $1.1) }.map(\.2)
    }

    private func rank(_ files: [String]) -> (Int, Int, Int) {
        switch origin {
        case .wholeFile(let path): (files.firstIndex(of: path) ?? 0, 0, 0)
        case .file(let path, let line, let column): (files.firstIndex(of: path) ?? 0, line, column)
        case .standard, .environment, .flag: (.max, 0, 0)
        }
    }

    package static func form(message: String) -> JSONForm<ConfigurationFault> {
        JSONForm([
            .ifAny("file", "the file that it is in") { if case .file(let path, _, _) = $0.origin { path } else { $0.wholeFile } },
            .ifAny("line", "its line") { if case .file(_, let line, _) = $0.origin { line } else { nil } },
            .ifAny("column", "and column") { if case .file(_, _, let column) = $0.origin { column } else { nil } },
            .ifAny("environment", "or the environment variable") { if case .environment(let name) = $0.origin { name } else { nil } },
            .ifAny("flag", "or the flag") { if case .flag(let name) = $0.origin { name } else { nil } },
            .init("message", message, \.message),
        ])
    }

    private var wholeFile: String? { if case .wholeFile(let path) = origin { path } else { nil } }
}

/// All faults in the configuration, in the order of the files.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let faults: [ConfigurationFault]
    /// What results from the values without faults; nil if even reading from its folders is not safe.
    package var rest: Configuration?

    package init(faults: [ConfigurationFault], rest: Configuration? = nil) { (self.faults, self.rest) = (faults, rest) }

    /// Whether what only reads may go by the rest: no fault is in what was typed just now, or in a variable that says where the library is.
    package var allowsReading: Bool {
        faults.allSatisfy { fault in
            switch fault.origin {
            case .file, .wholeFile: true
            case .environment(let name): Options.settings.contains { $0.variable == name && $0.section != "folders" }
            case .standard, .flag: false
            }
        }
    }

    /// Whether all faults are in files, and none in flags or the environment.
    package var isOfFiles: Bool {
        faults.allSatisfy { fault in
            switch fault.origin {
            case .file, .wholeFile: true
            case .standard, .environment, .flag: false
            }
        }
    }

    package var description: String {
        "the configuration has mistakes\n" + faults.map(\.description).joined(separator: "\n")
    }

    /// The first fault, and how many more there are, in one line.
    package var line: String {
        let first = faults.first?.description ?? "the configuration has mistakes"
        return faults.count < 2 ? first : "\(first) (and \((faults.count - 1).counted("more mistake")): '\(woodshed("config check"))')"
    }
}

/// The origin of a value or of a fault.
package enum Origin: Hashable, Sendable {
    case standard
    case file(String, line: Int, column: Int)
    /// A fault of the whole file, not of one line.
    case wholeFile(String)
    case environment(String)
    /// A flag, with its dashes.
    case flag(String)

    /// The origin as `config show` prints it.
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line, _): "\(path):\(line)"
        case .wholeFile(let path): path
        case .environment(let name): "environment \(name)"
        case .flag(let name): "flag \(name)"
        }
    }

    /// The beginning of a fault's message, in a form that editors can parse.
    package var place: String {
        if case .file(let path, let line, let column) = self { return "\(path):\(line):\(column)" }
        return description
    }
}
