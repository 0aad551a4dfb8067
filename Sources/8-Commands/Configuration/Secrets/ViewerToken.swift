import Glibc
import LocalHTTP
import Model
package import Platform

/// The token that lets browsers on the network in: made up by a musician, or by us.
package enum ViewerToken {
    /// Too many characters to guess at a few tries a minute.
    private static let shortest = 16
    /// Fewer than this many different ones are soon gone through, however often they are repeated.
    private static let leastVariety = 8

    /// What makes a token one that others could guess, to go on after "the token in FILE"; `nil` for a good one.
    static func weakness(of token: String) -> String? {
        let bytes = Array(token.utf8)
        if bytes.count < shortest { return "is too short; \(shortest) characters is the minimum" }
        if (1...bytes.count / 2).contains(where: { step in zip(bytes, bytes.dropFirst(step)).allSatisfy(==) }) {
            return "only repeats itself"
        }
        if Set(bytes).count < leastVariety { return "has fewer than \(leastVariety) different characters" }
        let steps = zip(bytes, bytes.dropFirst()).count { abs(Int($0) - Int($1)) <= 1 }
        return 3 * steps > 2 * bytes.count ? "mostly follows the alphabet or counts" : nil
    }

    /// How to get a good one into a file.
    static func advice(_ path: String) -> String { "for a good one, run: head -c 15 /dev/urandom | base64 > \(path.shellQuoted)" }

    /// What is still to be done before a tablet can be let in, in words; the token is made for it, if there is none.
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

    /// Where one is made that nobody has put elsewhere: beside the configuration.
    package static func usualFile(besides configuration: String) -> String { Folder.parent(of: configuration) + "/viewer-token" }

    /// Makes one in a file that only its owner can read; one that is there stays. Returns whether it was made.
    package static func make(at path: String) throws(SystemError) -> Bool {
        guard access(path, F_OK) != 0 else { return false }
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write(random() + "\n", to: path, mode: 0o600)
        return true
    }

    /// Close to a hundred bits as somebody can type them on a tablet: without letters that look like others.
    private static func random() -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        return (0..<5).map { _ in String((0..<4).map { _ in letters.randomElement() ?? "x" }) }.joined(separator: "-")
    }
}
