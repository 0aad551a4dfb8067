import LocalHTTP

/// The part of a file that `Range` asks for.
enum ByteRange {
    /// The whole file, the part that was asked for (206), or nothing if there is no such part (416).
    ///
    /// With `If-Range`, the part is sent only if the file is still the same as the one that the client has the beginning of.
    static func reply(to request: WebRequest, bytes: [UInt8], type: String, etag: String) -> WebReply {
        var reply = WebReply(headers: [("Content-Type", type), ("Accept-Ranges", "bytes"), ("ETag", etag)])
        let isSameFile = request.header("If-Range").map { $0 == etag } ?? true
        guard isSameFile, let wanted = request.header("Range").flatMap(parse) else {
            reply.body = bytes
            return reply
        }
        let range = resolve(wanted, count: bytes.count)
        guard let range else {
            reply.status = 416
            reply.headers.append(("Content-Range", "bytes */\(bytes.count)"))
            return reply
        }
        reply.status = 206
        reply.headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"))
        reply.body = Array(bytes[range])
        return reply
    }

    private enum Wanted {
        case from(Int, through: Int?)
        case last(Int)
    }

    /// `nil` for anything but a single range of bytes: then the header is ignored.
    private static func parse(_ header: String) -> Wanted? {
        guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[0].isEmpty { return Int(parts[1]).map { .last($0) } }
        guard let first = Int(parts[0]) else { return nil }
        if parts[1].isEmpty { return .from(first, through: nil) }
        guard let end = Int(parts[1]), end >= first else { return nil }
        return .from(first, through: end)
    }

    private static func resolve(_ wanted: Wanted, count: Int) -> Range<Int>? {
        switch wanted {
        case .last(let length): length > 0 && count > 0 ? max(0, count - length)..<count : nil
        case .from(let first, let end): first < count ? first..<min(count - 1, end ?? .max) + 1 : nil
        }
    }
}
