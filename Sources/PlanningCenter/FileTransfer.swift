import Model
import Platform

/// One file on its way to a sink, through as many exchanges as it takes.
///
/// What has come stays: after an interruption only the rest is asked for. That is done for uploads whose host named the
/// bytes strongly, and the host is told that name with the question (If-Range): bytes that were replaced meanwhile come
/// whole and from their beginning. What a service makes on demand is made anew each time and never continued.
@LoopActor
final class FileTransfer {
    private let attachment: Attachment
    private let maximumBytes: Int
    private let onStart: @LoopActor (FileStart) -> Bool
    private let sink: @LoopActor (UnsafeRawBufferPointer) -> Bool
    private(set) var received = 0
    private var validator: String?
    private var hasBegun = false
    /// The answer was a part of something else than what is here.
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

    /// Has everything come from its beginning next time.
    func startAgain() {
        validator = nil
        isMismatched = false
    }

    /// The next request for the file, whose pieces go to `take`.
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

    /// Takes the end of a good answer, which has no first byte when it is empty.
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
        // A part that was not asked for, or one of other bytes, must not be joined to what is here.
        guard offset > 0, etag == validator, Self.range(head.headers["content-range"]) == (offset, attachment.fileSize) else {
            isMismatched = true
            return false
        }
        return onStart(FileStart(offset: offset, validator: etag))
    }

    /// The first byte and the size of the whole, as in `bytes 100-199/200`; zeroes for anything else.
    private static func range(_ text: String?) -> (first: Int, size: Int) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return (0, 0) }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].split(separator: "-").first.flatMap({ OutsideNumber($0) }),
            let size = OutsideNumber(parts[1])
        else { return (0, 0) }
        return (first.whole(in: 0...Int.max), size.whole(in: 0...Int.max))
    }
}
