import Synchronization

/// This program's commands, as they must be typed to use this process's library.
public enum OwnCommand {
    private static let options = Mutex("")

    /// Adds these options, already quoted for a shell, to all commands that are named from now on. Call this when the program
    /// starts. Without a call, as in tests, commands have no extra options.
    public static func carry(_ options: String) { self.options.withLock { $0 = options } }

    fileprivate static var carried: String { options.withLock { $0 } }

    /// The command, with `options` before its own options. The last of its own options may lack a value, which the reader must add.
    static func line(_ words: String, carrying options: String) -> String {
        let parts = words.split(separator: " ", omittingEmptySubsequences: false)
        let own = parts.firstIndex { $0.hasPrefix("--") } ?? parts.endIndex
        return (["woodshed"] + parts[..<own].map(String.init) + (options.isEmpty ? [] : [options]) + parts[own...].map(String.init))
            .joined(separator: " ")
    }
}

/// A command as a person must type it: `woodshed sync --home /try` if this process has that `--home`. Paths and names in it must be
/// `shellQuoted`. The caller puts the command between ' or, if it contains a path, at the end of a sentence after a colon.
public func woodshed(_ words: String) -> String { OwnCommand.line(words, carrying: OwnCommand.carried) }

extension String {
    /// The text, quoted if necessary, so that a shell reads it as one word.
    public var shellQuoted: String {
        let isPlain = unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+".unicodeScalars.contains($0)
        }
        guard !isPlain || isEmpty else { return self }
        // Split by scalars, since a quote and a following accent are one `Character`.
        let quoted = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#.unicodeScalars)
        return "'" + String(UnicodeScalarView(quoted)) + "'"
    }

    /// The text with a capital at its beginning, if it begins with a letter, and with a full stop at its end.
    public var asSentence: String {
        guard let first, first.isLetter else { return self + "." }
        return first.uppercased() + dropFirst() + "."
    }
}
