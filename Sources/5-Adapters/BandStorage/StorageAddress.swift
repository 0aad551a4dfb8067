public import Model
public import Platform

/// The place of a band's files on a server: a folder for WebDAV, or a part of a bucket for S3's protocol.
public struct StorageAddress: Hashable, Sendable {
    /// The address as written in the configuration.
    public let text: String
    /// The server and the port, for people.
    public let host: String
    /// The beginning of every file's address.
    private let base: String
    /// Signs requests; `nil` for a WebDAV server, which gets the password instead.
    private let signature: HTTPSignature?

    /// Whether files are in folders that must be made first.
    var hasFolders: Bool { signature == nil }
    public var isSigned: Bool { signature != nil }

    /// Whether a configured place is on a server, and not a folder on this machine.
    public static func isOne(_ text: String) -> Bool { text.contains("://") }

    /// Reads `https://SERVER/FOLDER`, or `s3://BUCKET/PREFIX` at an endpoint, by default Amazon's. An endpoint with `{bucket}` in it has a
    /// host for each bucket.
    public init(_ text: String, endpoint: String? = nil, region: String? = nil) throws(Trouble) {
        self.text = text
        for address in [text, endpoint ?? ""] where Self.namesUser(address) {
            throw Trouble(
                "an address with a user in it is not used: leave out what is before the @, and write user:password to band.key_file")
        }
        guard text.hasPrefix("s3://") else {
            signature = nil
            (base, host) = try Self.checked(text)
            guard base.split(separator: "/").count > 2 else {
                throw Trouble("\(text) names no folder on that server; give the address of one, as its web page shows it for WebDAV")
            }
            return
        }
        let parts = text.dropFirst("s3://".count).split(separator: "/").map { String($0) }
        guard let bucket = parts.first, !text.hasPrefix("s3:///"), parts.allSatisfy(Self.isPlain) else {
            throw Trouble("\(text) is no bucket: write s3://BUCKET/PREFIX with letters, digits, dots, dashes and underscores")
        }
        let region = region ?? "us-east-1"
        guard Self.isPlain(region) else { throw Trouble("“\(region)” is no region; it looks like eu-central-1") }
        // Amazon's certificate does not cover a host name that begins with a bucket name with a dot, so such a bucket is named in
        // the path.
        let usual = bucket.contains(".") ? "https://s3.\(region).amazonaws.com" : "https://{bucket}.s3.\(region).amazonaws.com"
        let endpoint = endpoint ?? usual
        let isHostOfBucket = endpoint.contains("{bucket}")
        let server = try Self.checked(endpoint.replacing("{bucket}", with: bucket))
        (base, host) = (([server.base] + (isHostOfBucket ? parts.dropFirst() : parts[...])).joined(separator: "/"), server.host)
        signature = HTTPSignature(region: region)
    }

    /// The address without a slash at its end, and its host. Characters that addresses cannot contain are escaped.
    private static func checked(_ text: String) throws(Trouble) -> (base: String, host: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard !text.contains(where: { "?#\\".contains($0) }), parts.count > 2, !parts[2].isEmpty else {
            throw Trouble("\(text) is no address of a place: it has no server, or a question mark, a # or a \\ in it")
        }
        let folders = parts.dropFirst(3).filter { !$0.isEmpty }
        guard !folders.contains("."), !folders.contains("..") else { throw Trouble("\(text) leads out of its folder") }
        let encoded = folders.map { $0.split(separator: "%", omittingEmptySubsequences: false).map { String($0).percentEncoded } }
        do throws(WebAddress.Fault) {
            let address = try WebAddress((parts.prefix(3) + encoded.map { $0.joined(separator: "%") }).joined(separator: "/"))
            // Return the server as written, because its password is stored under this name.
            return (address.folder, parts[2])
        } catch {
            throw Trouble("\(text) is no address of a place: \(error)")
        }
    }

    /// Whether the address may contain a secret. No message repeats such an address.
    private static func namesUser(_ text: String) -> Bool {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return rest.prefix { $0 != "/" }.contains("@")
    }

    /// Whether every version of libcurl signs this part of a path exactly as it is sent.
    private static func isPlain(_ part: String) -> Bool {
        part != "." && part != ".." && !part.isEmpty
            && part.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8.contains($0)
            }
    }

    /// A request for a file in the place, or for the place itself if the path is empty.
    func request(_ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], key: StorageKey?) -> HTTPRequest {
        var headers: [(name: String, value: String)] = []
        if method == .put { headers.append(("Content-Type", "application/json")) }
        if signature != nil {
            // Some versions of libcurl read the hash from this header, and others would send no hash without it.
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

/// The credentials that a server checks before it grants access.
public struct StorageKey: Hashable, Sendable {
    /// A user and a password, or a key's id and its secret, with a colon between them.
    public let secret: Secret
    /// The session token that S3 requires in addition for a temporary key.
    public let session: Secret?

    public init(_ secret: Secret, session: Secret? = nil) { (self.secret, self.session) = (secret, session) }
}
