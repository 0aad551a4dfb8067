import JSON
import LocalHTTP
import Model
import Platform

extension WebReply {
    static func json(_ value: JSONText, status: Int = 200) -> WebReply { json(value.bytes(forBrowsers: true), status: status) }

    static func json(_ bytes: [UInt8], status: Int = 200) -> WebReply {
        WebReply(status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: bytes)
    }

    /// A refusal, with its reason in a sentence.
    static func refusal(_ status: Int, _ sentence: String) -> WebReply { json(["error": .text(sentence)], status: status) }

    /// A small page that needs no other file.
    static func page(_ status: Int, _ content: String, head: String = "") -> WebReply {
        let html = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Woodshed</title>\(head)<main>\(content)</main></html>\n"
        return WebReply(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")], body: Array(html.utf8))
    }

    /// A page image; valid for ever if its address contains its key.
    static func image(_ image: ViewerImageBytes, isLasting: Bool) -> WebReply {
        let headers = [("Content-Type", "image/png"), ("Cache-Control", isLasting ? "private, max-age=31536000, immutable" : "no-store")]
        return switch image {
        case .bytes(let bytes): WebReply(headers: headers, body: bytes)
        case .file(let descriptor, let size): .file(Descriptor(owning: descriptor), size: size, headers: headers)
        }
    }

    /// A file to be saved.
    static func pdf(_ pdf: ViewerPDF) -> WebReply {
        let headers = [
            ("Content-Type", "application/pdf"), ("Cache-Control", "no-store"),
            ("Content-Disposition", "attachment; filename*=UTF-8''\(percentEncoded(pdf.name))"),
            ("X-Woodshed-Without", percentEncoded(pdf.lacks)),
        ]
        return .file(Descriptor(owning: pdf.descriptor), size: pdf.size, headers: headers)
    }

    /// Encodes a text for a header, which allows few characters.
    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The reply with the common headers, which keep browsers from loading files from other sites, or for other sites. The reply's
    /// own headers stay.
    var fenced: WebReply {
        var reply = self
        reply.headers += Self.fence.filter { wire in !headers.contains { $0.name == wire.name } }
        return reply
    }

    private static let fence: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
    ]

    /// Titles and names by others are shown as text. If a browser ever took one for code, this policy would keep it from running.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

extension Trouble {
    var reply: WebReply {
        let status =
            switch kind {
            case .unknown: 404
            case .gone: 410
            case .other, .ambiguous, .away, .refused: 503
            case .overtaken, .inTheWay: 409
            case .senseless: 400
            case .noRoom: 507
            }
        guard case .senseless(because: let mark?) = kind else { return .refusal(status, description) }
        return .json(["error": .text(description), "mark": .text(mark)], status: status)
    }
}
