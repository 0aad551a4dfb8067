import Glibc
import LocalHTTP
import Model
package import Platform

/// The token that lets browsers on the network in: made up by a musician, or by us.
package enum ViewerToken {
    /// Too many characters to guess at a few tries a minute.
    private static let shortest = 16
    /// With fewer different characters than this, a token is soon guessed, however often they are repeated.
    private static let leastVariety = 8

    /// Why others could guess a token, to be put after "the token in FILE"; `nil` for a good one.
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

    /// From this length on, even one word and one number are more than people guess. Our own tokens are as long.
    private static let longestWord = 24

    /// Keys beside and below each other, on the keyboards that begin with qwerty, qwertz and azerty.
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

    /// How many words, numbers and signs it consists of, without the signs at its ends. A word may begin with a capital; letters of mixed
    /// case are not a word.
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

    /// How to get a good token into a file.
    static func advice(_ path: String) -> String { "for a good one, run: head -c 15 /dev/urandom | base64 > \(path.shellQuoted)" }

    /// What remains to be done before a tablet can be let in, in words; makes the token if there is none.
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

    /// The file for a token that nobody has put elsewhere: beside the configuration.
    package static func usualFile(besides configuration: String) -> String { Folder.parent(of: configuration) + "/viewer-token" }

    /// Makes a token in a file that only its owner can read; an existing one stays. Returns whether it was made.
    package static func make(at path: String) throws(SystemError) -> Bool {
        guard access(path, F_OK) != 0 else { return false }
        try Folder.create(Folder.parent(of: path))
        var token = random()
        while weakness(of: token) != nil { token = random() }
        try AtomicFile.write(token + "\n", to: path, mode: 0o600)
        return true
    }

    /// Close to a hundred bits, to be typed on a tablet: without letters that look like others.
    static func random() -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        return (0..<5).map { _ in String((0..<4).map { _ in letters.randomElement() ?? "x" }) }.joined(separator: "-")
    }
}
