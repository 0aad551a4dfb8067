import LocalHTTP

extension WebReply {
    static func document(status: Int = 200, _ json: JSON) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "application/vnd.api+json; charset=utf-8")], body: Array(json.text.utf8))
    }

    static func failure(_ status: Int, _ title: String, _ detail: String) -> WebReply {
        document(status: status, ["errors": [["status": .string(String(status)), "title": .string(title), "detail": .string(detail)]]])
    }

    static var notFound: WebReply { failure(404, "Not Found", "The resource you requested could not be found") }

    /// The answer beyond the rate limit; like the service's, its error has a code but no status.
    static func tooMany(_ window: RateWindow, _ limit: RateLimit, retryAfter: Int) -> WebReply {
        let detail = "Rate limit exceeded: \(window.count) of \(limit.requests) requests per \(limit.seconds) seconds"
        var reply = document(status: 429, ["errors": [["code": "429", "title": "Too Many Requests", "detail": .string(detail)]]])
        reply.headers.append(("Retry-After", String(retryAfter)))
        return reply
    }

    /// Adds an ETag to a reply, or makes it a 304 if the client already has this version.
    func withETag(_ tag: String, for request: WebRequest) -> WebReply {
        var reply = self
        reply.headers.append(("ETag", tag))
        let known = (request.header("If-None-Match") ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(where: { Self.opaque($0) == Self.opaque(tag[...]) || $0 == "*" }) {
            reply.status = 304
            reply.body = []
            reply.headers.removeAll { $0.name == "Content-Type" }
        }
        return reply
    }

    /// The tag without the prefix `W/` of weak tags, which If-None-Match ignores when it compares tags.
    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}

/// Replies to requests for a part of a file (`Range`).
enum ByteRange {
    /// The whole file, the requested part (206), or an error if the file has no such part (416).
    ///
    /// With `If-Range`, a part is sent only if the file has not changed since the client read the beginning.
    static func reply(to request: WebRequest, bytes: [UInt8], type: String, etag: String) -> WebReply {
        var reply = WebReply(headers: [("Content-Type", type), ("Accept-Ranges", "bytes"), ("ETag", etag)])
        let isSameFile = request.header("If-Range").map { $0 == etag } ?? true
        guard isSameFile, let range = request.header("Range").flatMap({ range($0, count: bytes.count) }) else {
            reply.body = bytes
            return reply
        }
        guard !range.isEmpty else {
            reply.status = 416
            reply.headers.append(("Content-Range", "bytes */\(bytes.count)"))
            return reply
        }
        reply.status = 206
        reply.headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"))
        reply.body = Array(bytes[range])
        return reply
    }

    /// The requested bytes; empty if the file has none there. `nil` for anything but a single range: such a header is ignored.
    private static func range(_ header: String, count: Int) -> Range<Int>? {
        guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[0].isEmpty { return Int(parts[1]).map { max(0, count - $0)..<count } }
        guard let first = Int(parts[0]), let last = parts[1].isEmpty ? Int.max : Int(parts[1]), last >= first else { return nil }
        return first < count ? first..<min(count - 1, last) + 1 : 0..<0
    }
}
