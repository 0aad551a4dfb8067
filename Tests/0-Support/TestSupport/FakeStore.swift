import Model
public import Platform

/// A WebDAV or S3 server that stores files, with the faults of real servers.
@LoopActor
public final class FakeStore: HTTPTransport {
    public enum Fault: Hashable, Sendable {
        /// Responds with this status, and does not carry out the request.
        case status(Int, code: String? = nil, retryAfter: Int? = nil)
        /// Stores half of the received bytes, and reports success.
        case torn
        /// Carries out the request, but the response is lost.
        case losesAnswer
        case offline
        /// The network answers every request with a login page.
        case page
        /// Sends half of a response.
        case breaksOff
        case leadsAway
        case wrongCertificate
        /// Responds with the file's former contents.
        case stale
        /// Responds with bytes that make no sense.
        case garbage
        /// Responds with an error that has a long explanation.
        case longStatus(Int)
    }

    public let base: String
    /// Whether a file can only be stored in an existing folder.
    public let hasFolders: Bool
    public private(set) var files: [String: [UInt8]] = [:]
    private var former: [String: [UInt8]] = [:]
    private var folders: Set<String> = [""]
    public private(set) var requests: [HTTPRequest] = []
    /// Returns the fault for a request; by default none.
    public var fault: (@LoopActor (HTTPRequest, String) -> Fault?)?
    /// Responds to a request instead of the server, and may call the server itself. If it returns nil, the server responds.
    public var odd: (@LoopActor (HTTPRequest, () -> HTTPResponse) throws(HTTPFailure) -> HTTPResponse?)?
    public var isAway = false
    public var isFull = false
    /// Whether responses have ETags, and requests with a known ETag get a 304.
    public var hasTags = true
    /// How the server treats a request to write a file only if none exists.
    public enum Conditions: Sendable { case known, refused, ignored }
    public var conditions = Conditions.known
    /// Whether the server supports range requests.
    public var hasRanges = true
    /// Called for each file that a request wrote or removed, with its path and its new bytes; nil for a removed file.
    public var wrote: (@LoopActor (String, [UInt8]?) -> Void)?

    public init(_ base: String, hasFolders: Bool) { (self.base, self.hasFolders) = (base, hasFolders) }

    public func forget() { requests = [] }

    /// Writes or removes a file, as another device would.
    public func set(_ bytes: [UInt8]?, at path: String) {
        former[path] = files[path]
        files[path] = bytes
        if bytes != nil { makeFolders(path) }
    }

    /// Restores all files, as from a backup.
    public func restore(_ all: [String: [UInt8]]) {
        files = all
        folders = [""]
        for path in all.keys { makeFolders(path) }
    }

    private func makeFolders(_ path: String) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += folder.isEmpty ? part : "/" + part
            folders.insert(folder)
        }
    }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let (response, isBroken) = try answer(request)
        guard !isBroken else { throw HTTPFailure(.interrupted, "example.org: the connection broke") }
        guard response.body.count <= request.maximumBytes || !(200..<300).contains(response.status) else {
            throw HTTPFailure(.tooLarge, "example.org sends more than allowed")
        }
        return response
    }

    public func send(
        _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(HTTPFailure) -> HTTPResponse {
        let (response, isBroken) = try answer(request)
        guard (200..<300).contains(response.status) else { return response }
        let head = HTTPResponse(status: response.status, headers: response.headers)
        guard response.body.isEmpty || request.onHead?(head) ?? true else { throw HTTPFailure(.refused, "not needed") }
        guard response.body.count <= request.maximumBytes || !(200..<300).contains(response.status) else {
            throw HTTPFailure(.tooLarge, "example.org sends more than allowed")
        }
        guard response.body.withUnsafeBytes({ sink($0) }) else { throw HTTPFailure(.refused, "not needed") }
        guard !isBroken else { throw HTTPFailure(.interrupted, "example.org: the connection broke") }
        return head
    }

    // MARK: - Answers

    private func answer(_ request: HTTPRequest) throws(HTTPFailure) -> (HTTPResponse, isBroken: Bool) {
        requests.append(request)
        if isAway { throw HTTPFailure(.unreachable, "example.org: could not connect") }
        guard request.url == base || request.url.hasPrefix(base + "/") else { return (HTTPResponse(status: 404), false) }
        let path = String(request.url.dropFirst(base.count + 1))
        if let odd, let response = try odd(request, { perform(request, path, isTorn: false) }) { return (response, false) }
        let fault = fault?(request, path)
        switch fault {
        case .longStatus(let status):
            return (HTTPResponse(status: status, headers: ["retry-after": "600"], body: Array(repeating: 0x3c, count: 100 << 10)), false)
        case .status(let status, let code, let wait):
            let body = code.map { "<?xml version=\"1.0\"?><Error><Code>\($0)</Code></Error>" } ?? ""
            return (HTTPResponse(status: status, headers: wait.map { ["retry-after": "\($0)"] } ?? [:], body: Array(body.utf8)), false)
        case .offline: throw HTTPFailure(.unreachable, "example.org: could not connect")
        case .leadsAway: throw HTTPFailure(.ledAway, "example.org points to login.example.com")
        case .wrongCertificate: throw HTTPFailure(.refused, "example.org has a certificate for another host")
        case .page: return (HTTPResponse(status: 200, body: Array("<!DOCTYPE html><title>Welcome</title>".utf8)), false)
        case .garbage: return (HTTPResponse(status: 200, body: Array("}{ not what it was".utf8)), false)
        case .losesAnswer:
            _ = perform(request, path, isTorn: false)
            throw HTTPFailure(.interrupted, "example.org: the connection broke")
        case .torn: return (perform(request, path, isTorn: true), false)
        case .stale:
            let now = files[path]
            files[path] = former[path]
            defer { files[path] = now }
            return (perform(request, path, isTorn: false), false)
        case .breaksOff:
            let response = perform(request, path, isTorn: false)
            let half = Array(response.body.prefix(response.body.count / 2))
            return (HTTPResponse(status: response.status, headers: response.headers, body: half), true)
        case nil: return (perform(request, path, isTorn: false), false)
        }
    }

    private func perform(_ request: HTTPRequest, _ path: String, isTorn: Bool) -> HTTPResponse {
        switch request.method {
        case .get: return give(request, path)
        case .put:
            if isFull { return HTTPResponse(status: 507) }
            if hasFolders, !folders.contains(path.split(separator: "/").dropLast().joined(separator: "/")) {
                return HTTPResponse(status: 409)
            }
            let isConditional = request.headers.contains { $0.name == "If-None-Match" && $0.value == "*" }
            switch conditions {
            case .known: if isConditional, files[path] != nil { return HTTPResponse(status: 412) }
            case .refused: if isConditional { return HTTPResponse(status: 501) }
            case .ignored: break
            }
            former[path] = files[path]
            let bytes = isTorn ? Array(request.body.prefix(request.body.count / 2)) : request.body
            let isNew = files.updateValue(bytes, forKey: path) == nil
            wrote?(path, bytes)
            return HTTPResponse(status: isNew ? 201 : 204)
        case .delete:
            guard files.removeValue(forKey: path) != nil || !hasFolders else { return HTTPResponse(status: 404) }
            wrote?(path, nil)
            return HTTPResponse(status: 204)
        case .makeFolder:
            guard hasFolders, path.isEmpty || path.hasSuffix("/") else { return HTTPResponse(status: 405) }
            let path = String(path.dropLast())
            guard folders.contains(path.split(separator: "/").dropLast().joined(separator: "/")) else { return HTTPResponse(status: 409) }
            return HTTPResponse(status: folders.insert(path).inserted ? 201 : 405)
        case .post: return HTTPResponse(status: 405)
        }
    }

    private func give(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        guard let bytes = files[path] else { return HTTPResponse(status: 404) }
        let tag = "\"\(SHA256.digest(of: bytes).hex.prefix(16))\""
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        var headers = hasTags ? ["etag": tag] : [:]
        if hasTags, header("If-None-Match") == tag { return HTTPResponse(status: 304, headers: headers) }
        headers["content-length"] = "\(bytes.count)"
        guard hasRanges, let range = header("Range"), let start = Int(range.dropFirst("bytes=".count).dropLast()) else {
            return HTTPResponse(status: 200, headers: headers, body: bytes)
        }
        guard start < bytes.count else { return HTTPResponse(status: 416) }
        headers["content-range"] = "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
        return HTTPResponse(status: 206, headers: headers, body: Array(bytes[start...]))
    }
}
