public import Model
import Platform

extension PlanningCenterClient {
    /// Opens an attachment and hands its bytes to `sink`, piece by piece; `false` from it ends the download.
    ///
    /// Nothing is judged here: whether it is the PDF it should be is for the caller to see before anything is replaced.
    /// Each call is logged at the service as an opening of the file.
    public func download(
        _ attachment: Attachment, maximumBytes: Int = 256 << 20, timeout: Duration = .seconds(600),
        into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> Download {
        let what = attachment.filename.isEmpty ? "file \(attachment.id)" : "the file \(attachment.filename)"
        let response = try await answer(.post, address(["attachments", attachment.id.text, "open"]), what: what)
        let opened = try decode(Document<Resource>.self, from: response, what: what)
        guard let url = opened.data.first?.text(.attachmentURL) else {
            throw .notUnderstood(what: what, why: "no address of its bytes is given")
        }
        var count = 0
        // The address is signed and at another host: it proves by itself that we may, and nothing else goes there.
        let request = HTTPRequest(
            .get, url, headers: [("User-Agent", account.userAgent)], maximumBytes: maximumBytes, timeout: timeout)
        let file = try await bytes(request) { piece in
            count += piece.count
            return sink(piece)
        }
        guard (200..<300).contains(file.status) else { throw Self.fileFailure(file.status, what: what) }
        return Download(bytes: count, contentType: file.headers["content-type"])
    }

    /// The file's host says nothing about the token: its 401 and 403 mean that the signed address is over.
    private static func fileFailure(_ status: Int, what: String) -> ServiceFailure {
        .serverError(status: status, "\(what) could not be fetched from where it is kept")
    }
}
