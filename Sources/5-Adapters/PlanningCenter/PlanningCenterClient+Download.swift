public import Model
import Platform

extension PlanningCenterClient {
    /// The most repeats after the first try for a file.
    private static let mostFileRepeats = 3

    /// Opens an attachment and passes its bytes to `sink`, piece by piece. If `sink` returns `false`, the download fails.
    ///
    /// After a few interruptions, the download continues. Before the first byte of each try, `onStart` gets the position of the
    /// bytes in the file; an offset of 0 means that all earlier bytes are void. The bytes are not checked: before replacing
    /// anything, the caller must make sure that they are the right PDF. The service counts each call as an opening of the file.
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
                // The address is signed and on another host: the signature is all the proof that this host needs, so send no token.
                // Only a service in a private network may give the address of a host in a private network.
                let file = try await bytes(
                    transfer.request(url, userAgent: account.userAgent, timeout: timeout, allowsPrivateHosts: response.isFromPrivateHost)
                ) { transfer.receive($0) }
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

    /// The failure for a status of the file's host. That host does not know the token, so even a 401 or 403 is not a refusal of the
    /// token: it means that the signed address has expired.
    private static func fileFailure(_ status: Int, what: String) -> ServiceFailure {
        .serverError(status: status, "\(what) could not be fetched from where it is stored")
    }

    private func bytes(
        _ request: HTTPRequest, into sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) async throws(ServiceFailure) -> HTTPResponse {
        try await Self.understood { () async throws(HTTPFailure) in try await self.transport.send(request, body: sink) }
    }
}

/// The transfer of one file to a sink, in one or several exchanges.
///
/// After an interruption, only the remaining bytes are requested. This works only for uploads whose host gave a strong ETag, which
/// is sent back with the request (If-Range): if the file was replaced in the meantime, all of it is sent from the beginning.
/// Generated files are made anew for each request, so the transfer of a generated file always starts again.
@LoopActor
final class FileTransfer {
    private let attachment: Attachment
    private let maximumBytes: Int
    private let onStart: @LoopActor (FileStart) -> Bool
    private let sink: @LoopActor (UnsafeRawBufferPointer) -> Bool
    private(set) var received = 0
    private var validator: String?
    private var hasBegun = false
    /// True if the host sent another part of the file than was requested, or a part of another version.
    private(set) var isMismatched = false

    init(
        _ attachment: Attachment, maximumBytes: Int, onStart: @escaping @LoopActor (FileStart) -> Bool,
        sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) { (self.attachment, self.maximumBytes, self.onStart, self.sink) = (attachment, maximumBytes, onStart, sink) }

    /// True if the next request asks only for the remaining bytes.
    var isContinued: Bool { received > 0 && validator != nil && !attachment.isGenerated && attachment.fileSize > received }

    /// Makes the next request ask for the whole file again.
    func startAgain() {
        validator = nil
        isMismatched = false
    }

    /// The next request for the file; its bytes must be passed to `receive`.
    func request(_ url: String, userAgent: String, timeout: Duration, allowsPrivateHosts: Bool) -> HTTPRequest {
        var headers = [(name: "User-Agent", value: userAgent)]
        let offset = isContinued ? received : 0
        if isContinued, let validator { headers += [("Range", "bytes=\(offset)-"), ("If-Range", validator)] }
        var request = HTTPRequest(.get, url, headers: headers, maximumBytes: maximumBytes - offset, timeout: timeout)
        request.allowsPrivateHosts = allowsPrivateHosts
        hasBegun = false
        request.onHead = { [self] in begin($0, continuedFrom: offset) }
        return request
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        received += piece.count
        return sink(piece)
    }

    /// Ends a successful answer. If the answer had no bytes, `onStart` is called only here.
    func end(_ response: HTTPResponse) { if !hasBegun { _ = begin(response, continuedFrom: 0) } }

    private func begin(_ head: HTTPResponse, continuedFrom offset: Int) -> Bool {
        hasBegun = true
        let etag = head.headers["etag"].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        guard head.status == 206 else {
            received = 0
            validator = etag
            return onStart(FileStart(offset: 0, validator: etag))
        }
        // Reject a part that was not requested or belongs to another version of the file: it must not be appended.
        guard offset > 0, etag == validator, Self.range(head.headers["content-range"]) == (offset, attachment.fileSize) else {
            isMismatched = true
            return false
        }
        return onStart(FileStart(offset: offset, validator: etag))
    }

    /// The first byte and the total size, as in `bytes 100-199/200`; (0, 0) for any other text.
    private static func range(_ text: String?) -> (first: Int, size: Int) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return (0, 0) }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].split(separator: "-").first.flatMap({ OutsideNumber($0) }),
            let size = OutsideNumber(parts[1])
        else { return (0, 0) }
        return (first.whole(in: 0...Int.max), size.whole(in: 0...Int.max))
    }
}

/// The result of a download whose bytes went to a sink.
public struct Download: Hashable, Sendable {
    /// How many bytes the sink received.
    public let bytes: Int
    /// The type that the file's host states.
    public let contentType: String?

    public init(bytes: Int, contentType: String? = nil) { (self.bytes, self.contentType) = (bytes, contentType) }
}

/// The position in a file of the bytes that a sink is about to receive.
public struct FileStart: Hashable, Sendable {
    /// 0 if the file starts from its beginning and earlier bytes are void; otherwise the number of bytes that the sink already has.
    public let offset: Int
    /// The host's strong ETag for these bytes; only with it can the download be continued later.
    public let validator: String?

    public init(offset: Int, validator: String? = nil) { (self.offset, self.validator) = (offset, validator) }
}
