/// A web address, read so strictly that nobody can take it for another one: what is secret goes to one origin only.
struct ServerAddress: Hashable, Sendable {
    /// Scheme, host and port in lower case, without the scheme's usual port.
    let origin: String
    /// The path and what follows; empty, or begins with a slash.
    let rest: String

    var text: String { origin + rest }

    private static let greatestLength = 4096

    /// Reads an http or https address; `nil` for anything unusual, such as a user name in it.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.greatestLength, text.utf8.allSatisfy(Self.isPlain), let mark = text.firstRange(of: "://") else {
            return nil
        }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard let usualPort = ["https": "443", "http": "80"][scheme] else { return nil }
        let tail = text[mark.upperBound...]
        let end = tail.firstIndex(of: "/") ?? tail.endIndex
        guard let (host, port) = Self.split(tail[..<end].lowercased()) else { return nil }
        origin = "\(scheme)://\(host)" + (port.isEmpty || port == usualPort ? "" : ":\(port)")
        rest = String(tail[end...])
    }

    /// Whether a byte may stand in an address that is shown in a terminal and written into a page: no control characters, quotes or brackets.
    private static func isPlain(_ byte: UInt8) -> Bool {
        let sign = Character(UnicodeScalar(byte))
        return sign.isASCII && (sign.isLetter || sign.isNumber || "-._~:/?[]@!$&()*+,;=%".contains(sign))
    }

    private static func split(_ authority: String) -> (host: String, port: String)? {
        guard let parts = authority.wholeMatch(of: /(?<host>[a-z0-9.\-]+|\[[0-9a-f:.]+\])(?::(?<port>[1-9][0-9]{0,4}))?/) else {
            return nil
        }
        return (String(parts.host), parts.port.map(String.init) ?? "")
    }
}
