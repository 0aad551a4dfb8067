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

    /// Those in the file first, in the file's order, then the others in their given order.
    static func inOrder(_ faults: [ConfigurationFault]) -> [ConfigurationFault] {
        faults.enumerated().sorted { ($0.element.rank.0, $0.element.rank.1, $0.offset) < ($1.element.rank.0, $1.element.rank.1, $1.offset) }
            .map(\.element)
    }

    private var rank: (Int, Int) {
        switch origin {
        case .wholeFile: (0, 0)
        case .file(_, let line, let column): (line, column)
        case .standard, .environment, .flag: (.max, 0)
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
