import Synchronization

/// Our commands as they have to be typed to reach this process's library.
public enum OwnCommand {
    private static let options = Mutex("")

    /// Adds these options, quoted for a shell, to every command that is named from now on. Called when the program begins; without that
    /// call, as in tests, commands have no extra options.
    public static func carry(_ options: String) { self.options.withLock { $0 = options } }

    fileprivate static var carried: String { options.withLock { $0 } }

    /// The command with `options` before its own, since the last of its own may lack a value that the reader is to add.
    static func line(_ words: String, carrying options: String) -> String {
        let parts = words.split(separator: " ", omittingEmptySubsequences: false)
        let own = parts.firstIndex { $0.hasPrefix("--") } ?? parts.endIndex
        return (["woodshed"] + parts[..<own].map(String.init) + (options.isEmpty ? [] : [options]) + parts[own...].map(String.init))
            .joined(separator: " ")
    }
}

/// A command of ours as a person has to type it: `woodshed sync --home /try` if this process was given that `--home`. Paths and names in it
/// are `shellQuoted`; the sentence around it puts it between ', or, if it contains a path, at its end after a colon.
public func woodshed(_ words: String) -> String { OwnCommand.line(words, carrying: OwnCommand.carried) }

extension String {
    /// Quoted if necessary, so that a shell reads it as one word.
    public var shellQuoted: String {
        let isPlain = unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+".unicodeScalars.contains($0)
        }
        guard !isPlain || isEmpty else { return self }
        // By scalars: an accent that follows a quote makes one character with it.
        let quoted = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#.unicodeScalars)
        return "'" + String(UnicodeScalarView(quoted)) + "'"
    }

    /// With a capital and a full stop.
    public var asSentence: String {
        guard let first, first.isLetter else { return self + "." }
        return first.uppercased() + dropFirst() + "."
    }
}
