/// An `https` or `http` address of a service, split into the parts that decide who we talk to.
package struct WebAddress: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case https
        case http
    }

    package let scheme: Scheme
    /// In lower case; an IPv6 address without its brackets.
    let host: String
    package let port: Int?
    /// The address without a slash at its end.
    package let text: String

    /// Splits an address, or says what is wrong with it, without repeating anything that may contain a password.
    package init(_ text: String) throws(InputProblem) {
        guard let mark = text.firstRange(of: "://"), let scheme = Scheme(rawValue: text[..<mark.lowerBound].lowercased()) else {
            throw InputProblem("an address that begins with 'https://' is expected")
        }
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw InputProblem("an address contains no spaces and only ASCII characters")
        }
        let rest = text[mark.upperBound...]
        guard !rest.contains("?"), !rest.contains("#") else { throw InputProblem("an address without '?' and '#' is expected") }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw InputProblem("an address must not contain a user name or password; tokens go in account.token_file")
        }
        self.scheme = scheme
        (host, port) = try Self.split(authority)
        var trimmed = scheme.rawValue + "://" + rest
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.text = trimmed
    }

    private static func split(_ authority: Substring) throws(InputProblem) -> (host: String, port: Int?) {
        let host: Substring
        let tail: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[authority.index(after: authority.startIndex)..<end]
            tail = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            tail = authority[host.endIndex...]
        }
        guard !host.isEmpty else { throw InputProblem("the address has no host") }
        guard !tail.isEmpty else { return (host.lowercased(), nil) }
        guard tail.hasPrefix(":"), let port = Int(tail.dropFirst()), (1...65535).contains(port) else {
            throw InputProblem("the address has no valid port: 1 to 65535 is expected after ':'")
        }
        return (host.lowercased(), port)
    }

    /// It means this very machine, whatever a name server says.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && numbers.allSatisfy { $0 != nil }
    }
}
