import LocalHTTP
import Model
import Platform
import Synchronization

extension DemoBackend {
    /// Seconds that an address is valid: about six hours for uploads, a minute for charts made on demand.
    private static let uploadSeconds = 6 * 3600
    private static let chartSeconds = 60

    /// `POST attachments/{id}/open`: answers with the address of the bytes.
    static func open(_ id: String, _ inner: inout Inner, now: Stamp) -> WebReply {
        guard let attachment = inner.state.attachments.first(where: { $0.id == id }) else { return .notFound }
        let address = attachment.elsewhere ?? signedAddress(attachment, isFirst: true, &inner, now: now)
        var reply = WebReply.document(
            status: 201,
            [
                "data": [
                    "type": "AttachmentActivity", "id": .string("\(now.seconds)-\(id)"),
                    "attributes": ["activity_type": "open", "attachment_url": .string(address), "date": .string(now.text)],
                    "relationships": ["attachment": ["data": ["type": "Attachment", "id": .string(id)]]],
                ], "included": [], "meta": ["parent": ["id": .string(id), "type": "Attachment"]],
            ])
        reply.headers.append(("Set-Cookie", "demo_session=1; path=/; HttpOnly"))
        return reply
    }

    /// Answers like a file store with signed addresses.
    func file(_ request: WebRequest) -> WebReply {
        let now = now
        return inner.withLock { inner in
            if request.header("Authorization") != nil { return Self.fault(400, "InvalidArgument", "Only one auth mechanism allowed") }
            // An address is signed for one method: with a signature for GET, only GET is allowed.
            guard request.method == "GET", let grant = inner.grants[request.parameter("signature") ?? ""],
                request.segments.dropFirst().first == grant.attachment
            else { return Self.fault(403, "SignatureDoesNotMatch", "The request signature does not match") }
            guard now < grant.expires else { return Self.fault(403, "AccessDenied", "Request has expired") }
            guard let attachment = inner.state.attachments.first(where: { $0.id == grant.attachment }), let bytes = attachment.bytes
            else { return Self.fault(404, "NoSuchKey", "The specified key does not exist.") }
            if grant.redirects {
                return WebReply(status: 302, headers: [("Location", Self.signedAddress(attachment, isFirst: false, &inner, now: now))])
            }
            return ByteRange.reply(
                to: request, bytes: bytes, type: attachment.contentType ?? "application/pdf",
                etag: "\"\(SHA256.digest(of: bytes).shortHex)\"")
        }
    }

    private static func signedAddress(_ attachment: DemoState.Attachment, isFirst: Bool, _ inner: inout Inner, now: Stamp) -> String {
        let seconds = attachment.isGenerated ? chartSeconds : uploadSeconds
        let signature = Secret.random().revealed
        inner.grants[signature] = Grant(attachment: attachment.id, expires: now + seconds, redirects: attachment.isGenerated && isFirst)
        let folder = attachment.isGenerated ? (isFirst ? "charts" : "made") : "uploads"
        return "\(inner.fileRoot)/\(folder)/\(attachment.id.percentEncoded)/\(attachment.filename.percentEncoded)"
            + "?expires=\(seconds)&signature=\(signature)"
    }

    private static func fault(_ status: Int, _ code: String, _ message: String) -> WebReply {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
        return WebReply(status: status, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}
