import Synchronization

/// How our commands are typed so that they reach the library that this process works on.
public enum OwnCommand {
    private static let options = Mutex("")

    /// Has every command that is named from now on carry these options, quoted for a shell. For the program's beginning; where nobody
    /// calls it, as in tests, commands carry none.
    public static func carry(_ options: String) { self.options.withLock { $0 = options } }

    fileprivate static var carried: String { options.withLock { $0 } }

    /// The command with `options` before its own, since the last of these may lack a value that the reader is to add.
    static func line(_ words: String, carrying options: String) -> String {
        let parts = words.split(separator: " ", omittingEmptySubsequences: false)
        let own = parts.firstIndex { $0.hasPrefix("--") } ?? parts.endIndex
        return (["woodshed"] + parts[..<own].map(String.init) + (options.isEmpty ? [] : [options]) + parts[own...].map(String.init))
            .joined(separator: " ")
    }
}

/// A command of ours as a person has to type it: `woodshed sync --home /try` if this process was given that `--home`.
public func woodshed(_ words: String) -> String { OwnCommand.line(words, carrying: OwnCommand.carried) }

extension String {
    /// With a capital and a full stop.
    public var asSentence: String {
        guard let first, first.isLetter else { return self + "." }
        return first.uppercased() + dropFirst() + "."
    }
}
