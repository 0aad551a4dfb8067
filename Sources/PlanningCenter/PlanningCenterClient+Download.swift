public import Model
import Platform

extension PlanningCenterClient {
    /// Tries after the first one that a file gets.
    private static let mostFileRepeats = 3

    /// Opens an attachment and hands its bytes to `sink`, piece by piece; `false` from it ends the download.
    ///
    /// An interruption is got over a few times: `onStart` is told before the first byte of each try from where on the bytes
    /// come; at an offset of 0 all that came before is void. Nothing is judged here: whether it is the PDF it should be is
    /// for the caller to see before anything is replaced. Each call is logged at the service as an opening of the file.
    public func download(
        _ attachment: Attachment, maximumBytes: Int = 256 << 20, timeout: Duration = .seconds(600),
        onStart: @escaping @LoopActor (FileStart) -> Bool = { _ in true },
        into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> Download {
        let what = attachment.filename.isEmpty ? "file \(attachment.id)" : "the file \(attachment.filename)"
        let response = try await answer(.post, address(["attachments", attachment.id.text, "open"]), what: what)
        let opened = try await decode(Document<Resource>.self, from: response, what: what)
        guard let url = opened.data.first?.text(.attachmentURL) else {
            throw .notUnderstood(what: what, why: "the service gave no address for it")
        }
        let transfer = FileTransfer(attachment, maximumBytes: maximumBytes, onStart: onStart, sink: sink)
        var repeats = 0
        while true {
            var trouble: ServiceFailure
            var wait = Backoff.wait(repeats, spread: randomness.fraction())
            do throws(ServiceFailure) {
                // The address is signed and at another host: it proves by itself that we may, and nothing else goes there.
                // Only a service that lives in our own network may name a host that does.
                let file = try await bytes(
                    transfer.request(
                        url, userAgent: account.userAgent, timeout: timeout, allowsPrivateHosts: response.isFromPrivateHost)
                ) { transfer.take($0) }
                if (200..<300).contains(file.status) {
                    transfer.end(file)
                    return Download(bytes: transfer.received, contentType: file.headers["content-type"])
                }
                trouble = Self.fileFailure(file.status, what: what)
                if file.status == 416, transfer.isContinued {
                    transfer.startAgain()
                } else if file.status != 429, file.status < 500 {
                    throw trouble
                }
                if let asked = budget.askedWait(file) {
                    guard asked <= Self.longestWait else { throw trouble }
                    wait += asked
                }
            } catch .offline(let message) {
                trouble = .offline(message)
            } catch .refused(let message) {
                guard transfer.isMismatched else { throw .refused(message) }
                trouble = .notUnderstood(what: what, why: "a different part of it was sent than was requested")
                transfer.startAgain()
            }
            guard repeats < Self.mostFileRepeats else { throw trouble }
            try await pause(for: wait)
            repeats += 1
        }
    }

    /// The file's host says nothing about the token: its 401 and 403 mean that the signed address is over.
    private static func fileFailure(_ status: Int, what: String) -> ServiceFailure {
        .serverError(status: status, "\(what) could not be fetched from where it is stored")
    }

    private func bytes(
        _ request: HTTPRequest, into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> HTTPResponse {
        try await Self.understood { () async throws(HTTPFailure) in try await self.transport.send(request, body: sink) }
    }
}
