/// Where a value came from, and where a fault is.
package enum Origin: Hashable, Sendable {
    case standard
    case file(String, line: Int, column: Int)
    /// The file as a whole.
    case wholeFile(String)
    case environment(String)
    /// With its dashes.
    case flag(String)

    /// As `config show` prints it.
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line, _): "\(path):\(line)"
        case .wholeFile(let path): path
        case .environment(let name): "environment \(name)"
        case .flag(let name): "flag \(name)"
        }
    }

    /// The beginning of a fault's message, in the form that editors understand.
    package var place: String {
        if case .file(let path, let line, let column) = self { return "\(path):\(line):\(column)" }
        return description
    }
}
