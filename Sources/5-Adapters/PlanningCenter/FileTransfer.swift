import Model
import Platform

/// One file on its way to a sink, in as many exchanges as it takes.
///
/// What has arrived is kept: after an interruption only the rest is asked for. This is done for uploads whose host gave a
/// strong ETag, which is sent back with the request (If-Range): if the bytes were replaced meanwhile, they come in full from
/// their beginning. What a service makes on demand is made again each time, so it is never continued.
@LoopActor
final class FileTransfer {
    private let attachment: Attachment
    private let maximumBytes: Int
    private let onStart: @LoopActor (FileStart) -> Bool
    private let sink: @LoopActor (UnsafeRawBufferPointer) -> Bool
    private(set) var received = 0
    private var validator: String?
    private var hasBegun = false
    /// Whether the answer was a different part than the one that was asked for.
    private(set) var isMismatched = false

    init(
        _ attachment: Attachment, maximumBytes: Int, onStart: @escaping @LoopActor (FileStart) -> Bool,
        sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
    ) {
        self.attachment = attachment
        self.maximumBytes = maximumBytes
        self.onStart = onStart
        self.sink = sink
    }

    /// Whether the next request asks for the rest only.
    var isContinued: Bool { received > 0 && validator != nil && !attachment.isGenerated && attachment.fileSize > received }

    /// Makes the next request ask for the whole file.
    func startAgain() {
        validator = nil
        isMismatched = false
    }

    /// The next request for the file; its bytes go to `take`.
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

    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        received += piece.count
        return sink(piece)
    }

    /// Takes note of the end of a good answer; one without any bytes begins only here.
    func end(_ response: HTTPResponse) {
        if !hasBegun { _ = begin(response, continuedFrom: 0) }
    }

    private func begin(_ head: HTTPResponse, continuedFrom offset: Int) -> Bool {
        hasBegun = true
        let etag = head.headers["etag"].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        guard head.status == 206 else {
            received = 0
            validator = etag
            return onStart(FileStart(offset: 0, validator: etag))
        }
        // A part that was not asked for, or one of other bytes, must not be appended to what is here.
        guard offset > 0, etag == validator, Self.range(head.headers["content-range"]) == (offset, attachment.fileSize) else {
            isMismatched = true
            return false
        }
        return onStart(FileStart(offset: offset, validator: etag))
    }

    /// The first byte and the total size, as in `bytes 100-199/200`; zeroes for anything else.
    private static func range(_ text: String?) -> (first: Int, size: Int) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return (0, 0) }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].split(separator: "-").first.flatMap({ OutsideNumber($0) }),
            let size = OutsideNumber(parts[1])
        else { return (0, 0) }
        return (first.whole(in: 0...Int.max), size.whole(in: 0...Int.max))
    }
}
