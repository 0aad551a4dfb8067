public import Model
import Platform

extension PlanningCenterClient {
    /// The most repeats after the first try for a file.
    private static let mostFileRepeats = 3

    /// Opens an attachment and passes its bytes to `sink`, piece by piece; if that returns `false`, the download ends.
    ///
    /// A few interruptions are overcome: before the first byte of each try, `onStart` learns where in the file the bytes
    /// begin; an offset of 0 makes everything before it void. Nothing is judged here: whether it is the PDF that it should be, the
    /// caller must check before replacing anything. The service logs each call as the file having been opened.
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
                // The address is signed and on another host: it is proof enough that we may read the file, so nothing else is sent there.
                // Only a service in our own network may give the address of a host in it.
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

    /// The file's host knows nothing about the token: its 401 and 403 mean that the signed address has expired.
    private static func fileFailure(_ status: Int, what: String) -> ServiceFailure {
        .serverError(status: status, "\(what) could not be fetched from where it is stored")
    }

    private func bytes(
        _ request: HTTPRequest, into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> HTTPResponse {
        try await Self.understood { () async throws(HTTPFailure) in try await self.transport.send(request, body: sink) }
    }
}
