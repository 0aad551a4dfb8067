import BandLayout
import Model
public import Platform

/// Exchanges single files with a band's server, and leaves the server alone during a pause that the server asked for.
@LoopActor
public final class StorageLine {
    /// Returns the key for the server. If the former key `wasRefused`, the key is read again. The error is a sentence for people.
    public typealias Keys = @LoopActor (_ wasRefused: Bool) async throws -> StorageKey?

    /// A server's answer to a request for a file.
    enum Answer {
        case bytes([UInt8], tag: String?)
        /// The file is unchanged since the known version.
        case same
        case none
    }

    private let address: StorageAddress
    private let transport: any HTTPTransport
    private let keys: Keys?
    private let time: any TimeKeeper
    private let answer: StorageAnswer
    private var key: StorageKey?
    private let rest: ServerRest
    private let patience: ServerPatience?

    init(
        _ address: StorageAddress, transport: any HTTPTransport, keys: Keys?, rest: ServerRest, patience: ServerPatience?,
        time: any TimeKeeper
    ) {
        (self.address, self.transport, self.keys, self.rest, self.time) = (address, transport, keys, rest, time)
        self.patience = patience
        answer = StorageAnswer(place: address.text, host: address.host, isSigned: address.isSigned)
    }

    // MARK: - Files

    /// The file; `.same` if the server's version still has this tag; `.none` if the file is missing or longer than `limit`.
    func get(_ path: String, limit: Int, unless tag: String?) async throws(Trouble) -> Answer {
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await send { key in
                var request = address.request(.get, path, key: key)
                request.maximumBytes = limit
                if let tag { request.headers.append(("If-None-Match", tag)) }
                return request
            }
        } catch {
            guard error.kind == .tooLarge else { throw answer.trouble(error) }
            // A file longer than its limit counts as missing. In the marker's place, such a file must be a web page.
            guard path != BandPath.marker else { throw answer.webPage() }
            return .none
        }
        switch response.status {
        case 200..<300:
            // A web page that arrives as the door's file is no sign of a log-in page, because anybody may write that file.
            guard path == BandPath.door || !StorageAnswer.isWebPage(response.body) else { throw answer.webPage() }
            return .bytes(response.body, tag: isSettled(response) ? response.headers["etag"] : nil)
        case 304 where tag != nil: return .same
        default:
            if isNone(response, path) { return .none }
            throw trouble(response, doing: "read \(path)")
        }
    }

    /// Whether any later change will change the tag. Some servers derive tags from the second in which the file was written.
    private func isSettled(_ response: HTTPResponse) -> Bool {
        guard let written = response.headers["last-modified"].flatMap(HTTPDate.parse),
            let now = response.headers["date"].flatMap(HTTPDate.parse)
        else { return true }
        return now - written > .seconds(2)
    }

    /// Passes the file to `receive` in pieces with their positions, from `offset` on if the server can. Returns `false` if the
    /// file is missing, longer than `limit`, or not longer than `offset`.
    func get(
        _ path: String, limit: Int, after offset: Int, _ receive: @escaping @LoopActor (UnsafeRawBufferPointer, Int) -> Void
    ) async throws(Trouble) -> Bool {
        var place = 0
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await send(
                { key in
                    var request = address.request(.get, path, key: key)
                    // A file longer than `limit` cannot be the requested object.
                    request.maximumBytes = limit
                    if offset > 0 { request.headers.append(("Range", "bytes=\(offset)-")) }
                    request.onHead = { head in
                        let isRest = head.status == 206 && head.headers["content-range"]?.hasPrefix("bytes \(offset)-") ?? false
                        place = isRest ? offset : 0
                        return head.status != 206 || isRest
                    }
                    return request
                },
                into: { piece in
                    receive(piece, place)
                    place += piece.count
                    return place <= limit
                })
        } catch {
            if error.kind == .tooLarge || place > limit { return false }
            throw answer.trouble(error)
        }
        if (200..<300).contains(response.status) { return true }
        if isNone(response, path) || response.status == 416 { return false }
        throw trouble(response, doing: "read \(path)")
    }

    func put(_ bytes: [UInt8], as path: String) async throws(Trouble) {
        // Never overwrite another band's marker: check for one here, and let the server check again where it can.
        var isNew = path == BandPath.marker
        if isNew { try await refuseUnlessFree(for: bytes) }
        func request(_ key: StorageKey?) -> HTTPRequest {
            var request = address.request(.put, path, body: bytes, key: key)
            if isNew { request.headers.append(("If-None-Match", "*")) }
            return request
        }
        var response = try await exchange(request)
        if isNew, response.status == 501 || response.status == 400 {
            // Some servers do not support `If-None-Match`, so send the marker without it.
            isNew = false
            response = try await exchange(request)
        }
        if address.hasFolders, [403, 404, 409, 500].contains(response.status), try await makeFolders(of: path) {
            response = try await exchange(request)
        }
        if isNew, response.status == 412 { return try await refuseUnlessFree(for: bytes) }
        guard (200..<300).contains(response.status) else { throw trouble(response, doing: "write there") }
    }

    /// Throws if another marker exists. The same marker may exist if it was sent before and the answer was lost.
    private func refuseUnlessFree(for marker: [UInt8]) async throws(Trouble) {
        guard case .bytes(let found, _) = try await get(BandPath.marker, limit: BandMarker.limit, unless: nil), found != marker else {
            return
        }
        throw (try? BandMarker(reading: found)) == nil ? answer.spoilt() : answer.taken()
    }

    func remove(_ path: String) async throws(Trouble) {
        let response = try await exchange { address.request(.delete, path, key: $0) }
        guard (200..<300).contains(response.status) || response.status != 403 && isNone(response, path) else {
            throw trouble(response, doing: "remove what is there")
        }
        // Any success but 204 may be an answer from elsewhere, such as a network's log-in page. So check that the file is gone.
        guard response.status != 204 else { return }
        let rest = try await exchange { address.request(.get, path, key: $0) }
        guard !isNone(rest, path) else { return }
        guard (200..<300).contains(rest.status) else { throw trouble(rest, doing: "remove what is there") }
        throw StorageAnswer.isWebPage(rest.body) ? answer.webPage() : answer.notRemoved(path)
    }

    /// Makes the folders from the place down to a file. Returns whether any was made.
    private func makeFolders(of path: String) async throws(Trouble) -> Bool {
        var (folder, isMade) = ("", false)
        // The place itself is made only for its marker. For any other file, a missing place is an error.
        var folders = path == BandPath.marker ? [""] : []
        for part in path.split(separator: "/").dropLast() {
            folder += folder.isEmpty ? part : "/" + part
            folders.append(folder)
        }
        for folder in folders {
            let response = try await exchange { address.request(.makeFolder, folder.isEmpty ? "" : folder + "/", key: $0) }
            if (200..<300).contains(response.status) { isMade = true }
        }
        return isMade
    }

    // MARK: - Exchanges

    private func exchange(_ make: @LoopActor (StorageKey?) -> HTTPRequest) async throws(Trouble) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await send(make)
        } catch {
            throw answer.trouble(error)
        }
    }

    /// Sends the request with the key, but nothing during a pause that the server asked for. If the key is refused, it is read
    /// again, at most every 10 minutes. If it has changed, the request is sent once more.
    private func send(
        _ make: @LoopActor (StorageKey?) -> HTTPRequest, into sink: (@LoopActor (UnsafeRawBufferPointer) -> Bool)? = nil
    ) async throws(HTTPFailure) -> HTTPResponse {
        if let rest = rest.rest { throw HTTPFailure(.unreachable, answer.rests(rest)) }
        if key == nil { key = try await readKey(wasRefused: false) }
        let (request, start) = (make(key), time.now)
        var response = try await sendOnce(request, sink)
        if answer.refusesKey(response), keys != nil, refusedAt.map({ time.now - $0 > Self.keyAge }) ?? true {
            refusedAt = time.now
            let former = key
            key = try await readKey(wasRefused: true)
            if key != former { response = try await sendOnce(make(key), sink) }
        }
        if (200..<300).contains(response.status) { (refusedAt, wasLetIn) = (nil, true) }
        if request.method == .get, answer.refusesKey(response) { wasLetIn = false }
        if [429, 503].contains(response.status) { rest.note(askedRest(response)) } else { rest.end(asked: start) }
        return response
    }

    /// How long a server asks to be left alone, given in seconds or as a time on its own clock. At most a day; `nil` if the
    /// answer names no time.
    private func askedRest(_ response: HTTPResponse) -> Duration? {
        guard let text = response.headers["retry-after"] else { return nil }
        if let seconds = OutsideNumber(leading: text)?.whole(in: 0...86_400) { return .seconds(seconds) }
        guard let end = HTTPDate.parse(text) else { return nil }
        let now = response.headers["date"].flatMap(HTTPDate.parse) ?? time.timestamp
        return min(max(end - now, .zero), .seconds(86_400))
    }

    /// When the key was last read again after a refusal. The key is not read again for each file, since the command that reads it
    /// may ask a person.
    private var refusedAt: Moment?
    /// Whether the server has accepted a key since it last refused one for reading. If so, the key is right, but may not grant enough.
    private var wasLetIn = false
    private static let keyAge: Duration = .seconds(600)

    private func readKey(wasRefused: Bool) async throws(HTTPFailure) -> StorageKey? {
        do {
            return try await keys?(wasRefused)
        } catch {
            throw HTTPFailure(.refused, "\(error)")
        }
    }

    /// Sends the request if any patience is left, and waits no longer than the patience lasts.
    private func sendOnce(
        _ request: HTTPRequest, _ sink: (@LoopActor (UnsafeRawBufferPointer) -> Bool)?
    ) async throws(HTTPFailure) -> HTTPResponse {
        guard let patience else { return try await exchange(request, sink) }
        guard let limit = patience.limit else { throw HTTPFailure(.unreachable, answer.silent()) }
        let start = time.now
        var (request, moved) = (request, request.body.count)
        request.patience = limit
        var counting: (@LoopActor (UnsafeRawBufferPointer) -> Bool)?
        if let sink {
            counting = { piece in
                moved += piece.count
                return sink(piece)
            }
        }
        do throws(HTTPFailure) {
            let response = try await exchange(request, counting)
            patience.note(took: time.now - start, moving: moved + response.body.count)
            return response
        } catch {
            // Bytes of a failed exchange are no reason to wait longer.
            patience.note(took: time.now - start, moving: 0)
            throw patience.limit == nil ? HTTPFailure(error.kind, answer.silent()) : error
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ sink: (@LoopActor (UnsafeRawBufferPointer) -> Bool)?
    ) async throws(HTTPFailure) -> HTTPResponse {
        guard let sink else { return try await transport.send(request) }
        return try await transport.send(request, body: sink)
    }

    private func trouble(_ response: HTTPResponse, doing what: String) -> Trouble {
        if let rest = rest.rest { return Trouble(.away, answer.rests(rest)) }
        if wasLetIn, response.status == 401 { return answer.notAllowed(to: what) }
        return answer.trouble(response, at: time.timestamp, hasKey: key != nil, doing: what)
    }

    /// Whether an answer means that the file does not exist. Without permission to list a bucket, S3 denies access to missing files.
    private func isNone(_ response: HTTPResponse, _ path: String) -> Bool {
        switch response.status {
        case 404, 410: StorageAnswer.code(in: response) != "NoSuchBucket"
        case 403: address.isSigned && path != BandPath.marker && StorageAnswer.code(in: response) == "AccessDenied"
        default: false
        }
    }
}
