/// The signed addresses that were given out: each opens one attachment until it expires.
struct Grants: Sendable {
    struct Grant: Sendable {
        let attachment: String
        let expires: Stamp
        /// A chart that is made on demand is fetched at a second address, which the first redirects to.
        let redirects: Bool
    }

    private var bySignature: [String: Grant] = [:]

    /// Gives a signature that nobody can guess.
    mutating func issue(_ grant: Grant) -> String {
        var signature = ""
        for _ in 0..<4 { signature += String(UInt64.random(in: (1 << 63)...UInt64.max), radix: 16) }
        bySignature[signature] = grant
        return signature
    }

    subscript(signature: String) -> Grant? { bySignature[signature] }
}
