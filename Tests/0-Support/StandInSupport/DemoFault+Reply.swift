import FoundationEssentials
import JSON
import LocalHTTP
import Model

extension DemoFault {
    /// The response that replaces the real one; nil if the fault only damages the real one.
    func reply(elsewhere: String) -> WebReply? {
        switch self {
        case .unauthorised: .text(status: 401, "HTTP Basic: Access denied.\n")
        case .forbidden:
            Self.document(
                status: 403,
                #"{"errors":[{"status":"403","title":"Forbidden","detail":"You do not have access to this resource. "#
                    + #"Error Code Hint: (TRASH_PANDA)"}]}"#)
        case .tooManyRequests(let seconds): Self.tooMany(retryAfter: seconds)
        case .serverError: Self.page(status: 500, "<h1>We're sorry, but something went wrong.</h1>")
        case .silence: WebReply(delivery: .never)
        case .loginPage: Self.page(status: 200, "<form action=\"/login\"><input name=\"room\"><button>Log in</button></form>")
        case .redirectElsewhere: Self.redirect(elsewhere + "/elsewhere")
        case .redirectToHTTP: Self.redirect("http://files.example.org/elsewhere")
        case .redirectToFile: Self.redirect("file:///etc/hostname")
        case .invalidJSON:
            Self.document(status: 200, #"{"links":{},"data":[{"type":"#)
        case .gzipBomb:
            WebReply(
                headers: [("Content-Type", "application/vnd.api+json; charset=utf-8"), ("Content-Encoding", "gzip")],
                body: GzipBomb.bytes)
        case .trickle, .cutOff, .lengthTooLong, .lengthTooShort, .withoutETag, .nextElsewhere, .nextInALoop, .changedBetweenRanges:
            nil
        }
    }

    /// The real response, damaged by this fault. `link` is the request's address.
    func spoil(_ reply: WebReply, link: String, elsewhere: String) -> WebReply {
        var reply = reply
        switch self {
        case .trickle: reply.delivery = .trickle(bytes: 1, every: .milliseconds(50))
        case .cutOff: reply.delivery = .brokenOff(after: reply.body.count / 2)
        case .lengthTooLong: reply.delivery = .announced(length: reply.body.count + 1000)
        case .lengthTooShort: reply.delivery = .announced(length: reply.body.count * 3 / 4)
        case .withoutETag: reply.headers.removeAll { $0.name == "ETag" }
        case .nextElsewhere: Self.setNext(elsewhere + "/elsewhere", in: &reply)
        case .nextInALoop: Self.setNext(link, in: &reply)
        default: break
        }
        return reply
    }

    private static func setNext(_ address: String, in reply: inout WebReply) {
        guard case .object(var document)? = try? JSONReader.read(reply.body), case .array = document["data"] else { return }
        var links: [String: JSONValue] = [:]
        if case .object(let given) = document["links"] { links = given }
        links["next"] = .string(address)
        document["links"] = .object(links)
        reply.body = (try? JSONEncoder().encode(JSONValue.object(document))).map(Array.init) ?? []
    }

    private static func tooMany(retryAfter seconds: Int) -> WebReply {
        var reply = document(
            status: 429, #"{"errors":[{"code":"429","title":"Too Many Requests","detail":"Rate limit exceeded"}]}"#)
        reply.headers.append(("Retry-After", String(seconds)))
        return reply
    }

    private static func document(status: Int, _ text: String) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "application/vnd.api+json; charset=utf-8")], body: Array(text.utf8))
    }

    private static func redirect(_ address: String) -> WebReply { WebReply(status: 302, headers: [("Location", address)]) }

    private static func page(status: Int, _ content: String) -> WebReply {
        WebReply(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8")],
            body: Array("<!DOCTYPE html>\n<html><head><title>Hello</title></head><body>\(content)</body></html>\n".utf8))
    }
}

/// A valid gzip file of 1.3 MB that unpacks to 200 MiB of zeros.
enum GzipBomb {
    static let bytes: [UInt8] = {
        // One block with deflate's fixed codes: a zero, and then 812 849 matches that each repeat the last byte 258 times. Eight
        // matches take exactly 13 bytes, which are repeated.
        let start: [UInt8] = [0x63, 0x18]
        let eightMatches: [UInt8] = [0x05, 0xa3, 0x60, 0x14, 0x8c, 0x82, 0x51, 0x30, 0x0a, 0x46, 0xc1, 0x28, 0x18]
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
        return header + start + Array(repeatElement(eightMatches, count: 101_606).joined()) + eightMatches.prefix(1) + [0]
            + littleEndian(checksum) + littleEndian(UInt32(size))
    }()

    static let size = 1 + 258 * (8 * 101_606 + 1)

    /// The CRC-32 of `size` zeros.
    private static let checksum: UInt32 = 0xa420_1d66

    private static func littleEndian(_ number: UInt32) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) } }
}
