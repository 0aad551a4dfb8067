/// One thing that is wrong with the configuration.
struct ConfigurationFault: Hashable, Sendable, CustomStringConvertible {
    let origin: Origin
    let message: String

    var description: String { "\(origin.place): \(message)".printable }

    var json: JSONText {
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
struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    let faults: [ConfigurationFault]

    var description: String {
        "the configuration has faults\n" + faults.map(\.description).joined(separator: "\n")
    }
}
