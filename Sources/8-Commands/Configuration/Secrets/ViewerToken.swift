import Glibc
import LocalHTTP
import Model
package import Platform

/// The token that lets browsers on the network in. A musician or this program made it up.
package enum ViewerToken {
    /// The minimum length. A token of this length, unless it is weak, cannot be guessed at a few tries a minute.
    private static let shortest = 16
    /// A token with fewer different characters is soon guessed, however often it repeats them.
    private static let leastVariety = 8

    /// Why others could guess a token, worded to follow "the token in FILE"; nil for a good token.
    static func weakness(of token: String) -> String? {
        let bytes = Array(token.utf8)
        if bytes.count < shortest { return "is too short; \(shortest) characters is the minimum" }
        if (1...bytes.count / 2).contains(where: { step in zip(bytes, bytes.dropFirst(step)).allSatisfy(==) }) {
            return "only repeats itself"
        }
        if Set(bytes).count < leastVariety { return "has fewer than \(leastVariety) different characters" }
        let lower = bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
        let steps = zip(bytes, bytes.dropFirst()).count { abs(Int($0) - Int($1)) <= 1 }
        let keys = zip(lower, lower.dropFirst()).count { neighbours.contains([$0, $1]) || neighbours.contains([$1, $0]) }
        if 3 * max(steps, keys) > 2 * bytes.count { return "mostly follows the alphabet or the keys, or counts" }
        return bytes.count < longestWord && pieces(bytes) <= 2 ? "is hardly more than a word and a number" : nil
    }

    /// From this length on, nobody guesses even a single word and a number. Our own tokens are this long.
    private static let longestWord = 24

    /// Pairs of keys that are neighbours in a row or a column on qwerty, qwertz and azerty keyboards.
    private static let neighbours: Set<[UInt8]> = {
        let rows = [
            "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertz", "tzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn",
        ]
        let columns = ["1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik", "9ol"]
        return Set((rows + columns).flatMap { row in zip(row.utf8, row.utf8.dropFirst()).map { [$0, $1] } })
    }()

    private enum Kind {
        case capital, letter, digit, sign

        init(_ byte: UInt8) {
            switch byte {
            case 48...57: self = .digit
            case 65...90: self = .capital
            case 97...122: self = .letter
            default: self = .sign
            }
        }
    }

    /// The number of words, numbers and signs in a token, ignoring signs at its ends. A word may begin with a capital. Letters of
    /// mixed case count as several pieces.
    private static func pieces(_ bytes: [UInt8]) -> Int {
        let kinds = bytes.map(Kind.init)
        guard let first = kinds.firstIndex(where: { $0 != .sign }), let last = kinds.lastIndex(where: { $0 != .sign }) else { return 0 }
        var (count, begins) = (0, true)
        for place in first...last {
            let isCapitalised = begins && kinds[place] == .letter && place > first && kinds[place - 1] == .capital
            begins = place == first || kinds[place] != kinds[place - 1] && !isCapitalised
            if begins { count += 1 }
        }
        return count
    }

    /// How to write a good token to a file.
    static func advice(_ path: String) -> String { "for a good one, run: head -c 15 /dev/urandom | base64 > \(path.shellQuoted)" }

    /// A text that explains what the user must still do before a tablet can connect. Creates the token's file if it does not exist.
    package static func preparation(_ configuration: Configuration) throws(SystemError) -> String {
        let path = configuration.options.viewer.tokenFile ?? usualFile(besides: configuration.paths.configuration)
        let made = try make(at: path) ? "A token for tablets was made: \(path)\n" : ""
        let own = IPAddress.ofThisMachine.first { !$0.isLoopback && !$0.isVersion6 }
        return """
            no tablet can reach Woodshed yet: it shows its pages on this computer only.
            \(made)To let the agent listen on your network, put this into \(configuration.paths.configuration)
            (with another address, if your tablet's network has another), and run this again:

              viewer:
                listen: \(own?.description ?? "192.168.1.5")
                token_file: \(path)

            '\(woodshed("help tablet"))' says more
            """
    }

    /// The default file for a token: next to the configuration file.
    package static func usualFile(besides configuration: String) -> String { Folder.parent(of: configuration) + "/viewer-token" }

    /// Writes a new token to a file that only its owner can read, unless the file exists. Returns whether a token was made.
    package static func make(at path: String) throws(SystemError) -> Bool {
        guard access(path, F_OK) != 0 else { return false }
        try Folder.create(Folder.parent(of: path))
        var token = random()
        while weakness(of: token) != nil { token = random() }
        try AtomicFile.write(token + "\n", to: path, mode: 0o600)
        return true
    }

    /// A token of almost a hundred random bits. It must be typed on a tablet, so it has no characters that resemble others.
    static func random() -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        return (0..<5).map { _ in String((0..<4).map { _ in letters.randomElement() ?? "x" }) }.joined(separator: "-")
    }
}
