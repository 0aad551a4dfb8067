import LocalHTTP

extension WebReply {
    /// A JSON:API document.
    static func document(status: Int = 200, _ json: JSON) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "application/vnd.api+json; charset=utf-8")], body: Array(json.text.utf8))
    }

    static func failure(_ status: Int, _ title: String, _ detail: String) -> WebReply {
        document(status: status, ["errors": [["status": .string(String(status)), "title": .string(title), "detail": .string(detail)]]])
    }

    static var notFound: WebReply { failure(404, "Not Found", "The resource you requested could not be found") }

    /// The answer to a request over the limit; its error has a code but no status.
    static func tooMany(_ window: RateWindow, _ limit: RateLimit, retryAfter: Int) -> WebReply {
        let detail = "Rate limit exceeded: \(window.count) of \(limit.requests) requests per \(limit.seconds) seconds"
        var reply = document(
            status: 429, ["errors": [["code": "429", "title": "Too Many Requests", "detail": .string(detail)]]])
        reply.headers.append(("Retry-After", String(retryAfter)))
        return reply
    }

    /// Adds an ETag to a 200, or turns it into a 304 if the client has that version already.
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

    /// A tag without its weakness mark, which If-None-Match ignores.
    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}
