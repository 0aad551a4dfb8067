import Model
public import Platform

/// Where a band's files are on a server: a folder that is reached over WebDAV, or a part of a bucket that is reached as S3's are.
public struct StorageAddress: Hashable, Sendable {
    /// As it is written in the configuration.
    public let text: String
    /// The server and the port, for people.
    public let host: String
    /// What every file's address begins with.
    private let base: String
    /// With this, requests are signed; a server of folders is told the password instead.
    private let signature: HTTPSignature?

    /// Whether files are in folders, which have to be made.
    var hasFolders: Bool { signature == nil }
    public var isSigned: Bool { signature != nil }

    /// Whether this is no folder on this machine.
    public static func isOne(_ text: String) -> Bool { text.contains("://") }

    /// Reads `https://SERVER/FOLDER`, or `s3://BUCKET/PREFIX` at an endpoint: that of Amazon if none is given. An endpoint with `{bucket}` in
    /// it has a host for each bucket.
    public init(_ text: String, endpoint: String? = nil, region: String? = nil) throws(StorageFault) {
        self.text = text
        for address in [text, endpoint ?? ""] where Self.namesUser(address) {
            throw StorageFault(
                "an address with a user in it is not used: leave out what is before the @, and write user:password to band.key_file")
        }
        guard text.hasPrefix("s3://") else {
            signature = nil
            (base, host) = try Self.checked(text)
            guard base.split(separator: "/").count > 2 else {
                throw StorageFault("\(text) names no folder on that server; give the address of one, as its web page shows it for WebDAV")
            }
            return
        }
        let parts = text.dropFirst("s3://".count).split(separator: "/").map { String($0) }
        guard let bucket = parts.first, !text.hasPrefix("s3:///"), parts.allSatisfy(Self.isPlain) else {
            throw StorageFault("\(text) is no bucket: write s3://BUCKET/PREFIX with letters, digits, dots, dashes and underscores")
        }
        let region = region ?? "us-east-1"
        guard Self.isPlain(region) else { throw StorageFault("“\(region)” is no region; it looks like eu-central-1") }
        // A certificate for all buckets fits no name with a dot in it.
        let usual = bucket.contains(".") ? "https://s3.\(region).amazonaws.com" : "https://{bucket}.s3.\(region).amazonaws.com"
        let endpoint = endpoint ?? usual
        let isHostOfBucket = endpoint.contains("{bucket}")
        let server = try Self.checked(endpoint.replacing("{bucket}", with: bucket))
        (base, host) = (([server.base] + (isHostOfBucket ? parts.dropFirst() : parts[...])).joined(separator: "/"), server.host)
        signature = HTTPSignature(region: region)
    }

    /// An address without the slash at its end, and the host in it. What is not written as addresses are is put that way.
    private static func checked(_ text: String) throws(StorageFault) -> (base: String, host: String) {
        guard let start = text.firstRange(of: "://"), ["https", "http"].contains(String(text[..<start.lowerBound])) else {
            throw StorageFault("\(text) is no address of a server; it begins with https://")
        }
        let rest = text[start.upperBound...]
        let host = rest.prefix { $0 != "/" }
        guard !host.isEmpty, !rest.contains(where: { "?#\\".contains($0) }) else {
            throw StorageFault("\(text) is no address of a place: it has no server, or a question mark or a # in it")
        }
        let parts = rest.dropFirst(host.count).split(separator: "/").map { String($0) }
        guard !parts.contains("."), !parts.contains("..") else { throw StorageFault("\(text) leads out of its folder") }
        let encoded = parts.map { $0.contains("%") ? $0 : $0.percentEncoded }
        return (([text[..<start.upperBound] + host] + encoded.map { $0[...] }).joined(separator: "/"), String(host))
    }

    /// Whether a secret may be in it, so that it is not repeated.
    private static func namesUser(_ text: String) -> Bool {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return rest.prefix { $0 != "/" }.contains("@")
    }

    /// So that no version of libcurl signs one thing and sends another.
    private static func isPlain(_ part: String) -> Bool {
        part != "." && part != ".." && !part.isEmpty
            && part.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8.contains($0)
            }
    }

    /// A request for a file in the place, or with no path for the place itself.
    func request(_ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], key: StorageKey?) -> HTTPRequest {
        var headers: [(name: String, value: String)] = []
        if method == .put { headers.append(("Content-Type", "application/json")) }
        if signature != nil {
            // Some versions of libcurl take it from here, and others would leave it out.
            headers.append(("x-amz-content-sha256", SHA256.digest(of: body).hex))
            if let session = key?.session { headers.append(("x-amz-security-token", session.revealed)) }
        }
        var request = HTTPRequest(
            method, "\(base)/\(path)", headers: headers, body: body, credentials: key?.secret)
        request.signature = key == nil ? nil : signature
        request.staysAtOrigin = true
        return request
    }
}

/// What a server is shown so that it lets somebody in.
public struct StorageKey: Hashable, Sendable {
    /// A user and a password, or a key's id and its secret, with a colon between them.
    public let secret: Secret
    /// What S3 wants in addition for a key that holds for some hours.
    public let session: Secret?

    public init(_ secret: Secret, session: Secret? = nil) { (self.secret, self.session) = (secret, session) }
}

/// Why something is no place, for people.
public struct StorageFault: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
