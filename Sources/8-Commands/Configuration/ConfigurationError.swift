import CommandLine
package import Model

/// One thing that is wrong with the configuration.
package struct ConfigurationFault: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    package let message: String

    package init(origin: Origin, message: String) {
        self.origin = origin
        self.message = message
    }

    package var description: String { "\(origin.place): \(message)".printable }

    /// Those in the files first, in each file's order, then the others in their given order. `files` has the lower file first.
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

    package var json: JSONText {
        var members: [(name: String, value: JSONText)] = []
        switch origin {
        case .standard: break
        case .file(let path, let line, let column):
            members = [("file", .text(path)), ("line", .integer(line)), ("column", .integer(column))]
        case .wholeFile(let path): members = [("file", .text(path))]
        case .environment(let name): members = [("environment", .text(name))]
        case .flag(let name): members = [("flag", .text(name))]
        }
        return .object(members + [("message", .text(message))])
    }
}

/// Everything that is wrong with the configuration, in the order of the file.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let faults: [ConfigurationFault]
    /// The folders that follow from everything without a fault.
    package var paths: Paths?

    package var description: String {
        "the configuration has mistakes\n" + faults.map(\.description).joined(separator: "\n")
    }
}
