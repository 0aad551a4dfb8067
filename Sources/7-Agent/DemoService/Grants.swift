/// The signed addresses that were issued: each gives access to one attachment until it expires.
struct Grants: Sendable {
    struct Grant: Sendable {
        let attachment: String
        let expires: Stamp
        /// Whether the address redirects to a second one, as for charts that are made on demand.
        let redirects: Bool
    }

    private var bySignature: [String: Grant] = [:]

    /// Issues a signature that nobody can guess.
    mutating func issue(_ grant: Grant) -> String {
        var signature = ""
        for _ in 0..<4 { signature += String(UInt64.random(in: (1 << 63)...UInt64.max), radix: 16) }
        bySignature[signature] = grant
        return signature
    }

    subscript(signature: String) -> Grant? { bySignature[signature] }
}
