import BandLayout
import Model
public import Platform

/// The exchanges with a band's server, one file at a time, with the manners that it asks for.
@LoopActor
public final class StorageLine {
    /// Reads what the server is to be shown; again if it `wasRefused`. The error is a sentence for people.
    public typealias Keys = @LoopActor (_ wasRefused: Bool) async throws -> StorageKey?

    /// What a server has under an address.
    enum Answer {
        case bytes([UInt8], tag: String?)
        /// The same as what was known.
        case same
        case none
    }

    private let address: StorageAddress
    private let transport: any HTTPTransport
    private let keys: Keys?
    private let time: any TimeKeeper
    private let answer: StorageAnswer
    private var key: StorageKey?
    private var restsUntil: Moment?
    private var restWords = ""
    /// Whoever asks for more is asked once an hour whether that still holds.
    private static let longestRest: Duration = .seconds(3600)
    /// How often in a row it asked to be left alone.
    private var rests = 0

    init(_ address: StorageAddress, transport: any HTTPTransport, keys: Keys?, time: any TimeKeeper) {
        (self.address, self.transport, self.keys, self.time) = (address, transport, keys, time)
        answer = StorageAnswer(place: address.text, host: address.host, isSigned: address.isSigned)
    }

    // MARK: - Files

    /// The file, unless it is the one with this tag.
    func get(_ path: String, limit: Int, unless tag: String?) async throws(BandTrouble) -> Answer {
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
            // Longer than it may be is not there; but in place of what says whose place this is, it is no answer.
            guard path != BandPath.marker else { throw answer.webPage() }
            return .none
        }
        switch response.status {
        case 200..<300:
            // Anybody may write at the door.
            guard path == BandPath.door || !StorageAnswer.isWebPage(response.body) else { throw answer.webPage() }
            return .bytes(response.body, tag: isSettled(response) ? response.headers["etag"] : nil)
        case 304 where tag != nil: return .same
        default:
            if isNone(response, path) { return .none }
            throw trouble(response, doing: "read \(path)")
        }
    }

    /// Whether a later change gives the file another tag: some servers make it of the second in which the file was written.
    private func isSettled(_ response: HTTPResponse) -> Bool {
        guard let written = response.headers["last-modified"].flatMap(HTTPDate.parse),
            let now = response.headers["date"].flatMap(HTTPDate.parse)
        else { return true }
        return now - written > .seconds(2)
    }

    /// What there is of a file after so many bytes, in pieces with where they belong. Returns whether there is any.
    func get(
        _ path: String, limit: Int, after offset: Int, _ take: @escaping @LoopActor (UnsafeRawBufferPointer, Int) -> Void
    ) async throws(BandTrouble) -> Bool {
        var place = 0
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await send(
                { key in
                    var request = address.request(.get, path, key: key)
                    // Of another length than it should be, it would be another file.
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
                    take(piece, place)
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

    func put(_ bytes: [UInt8], as path: String) async throws(BandTrouble) {
        // A band is never put in place of another one: neither what is there now says so, nor does the server find anything.
        var isNew = path == BandPath.marker
        if isNew { try await refuseUnlessFree(for: bytes) }
        func request(_ key: StorageKey?) -> HTTPRequest {
            var request = address.request(.put, path, body: bytes, key: key)
            if isNew { request.headers.append(("If-None-Match", "*")) }
            return request
        }
        var response = try await exchange(request)
        if isNew, response.status == 501 || response.status == 400 {
            // There are servers that know no such condition.
            isNew = false
            response = try await exchange(request)
        }
        if address.hasFolders, [403, 404, 409, 500].contains(response.status), try await makeFolders(of: path) {
            response = try await exchange(request)
        }
        if isNew, response.status == 412 { return try await refuseUnlessFree(for: bytes) }
        guard (200..<300).contains(response.status) else { throw trouble(response, doing: "write there") }
    }

    /// Throws if there is any marker but this one, which may have been sent before, and not heard to have arrived.
    private func refuseUnlessFree(for marker: [UInt8]) async throws(BandTrouble) {
        guard case .bytes(let found, _) = try await get(BandPath.marker, limit: BandMarker.limit, unless: nil), found != marker else {
            return
        }
        throw (try? BandMarker(reading: found)) == nil ? answer.spoilt() : answer.taken()
    }

    func remove(_ path: String) async throws(BandTrouble) {
        let response = try await exchange { address.request(.delete, path, key: $0) }
        guard (200..<300).contains(response.status) || response.status != 403 && isNone(response, path) else {
            throw trouble(response, doing: "remove what is there")
        }
    }

    /// The folders from the place down to a file. Returns whether any was made.
    private func makeFolders(of path: String) async throws(BandTrouble) -> Bool {
        var (folder, isMade) = ("", false)
        // The place itself is made only for its marker: otherwise it is one that went.
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

    private func exchange(_ make: @LoopActor (StorageKey?) -> HTTPRequest) async throws(BandTrouble) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await send(make)
        } catch {
            throw answer.trouble(error)
        }
    }

    /// Sends what was made with the key; once more if the key was refused, and another one is there by now.
    private func send(
        _ make: @LoopActor (StorageKey?) -> HTTPRequest, into sink: (@LoopActor (UnsafeRawBufferPointer) -> Bool)? = nil
    ) async throws(HTTPFailure) -> HTTPResponse {
        if let restsUntil, time.now < restsUntil { throw HTTPFailure(.unreachable, restWords) }
        if key == nil { key = try await readKey(wasRefused: false) }
        let request = make(key)
        var response = try await sendOnce(request, sink)
        if answer.refusesKey(response), keys != nil, refusedAt.map({ time.now - $0 > Self.keyAge }) ?? true {
            refusedAt = time.now
            let former = key
            key = try await readKey(wasRefused: true)
            if key != former { response = try await sendOnce(make(key), sink) }
        }
        if (200..<300).contains(response.status) { (refusedAt, wasLetIn) = (nil, true) }
        if request.method == .get, answer.refusesKey(response) { wasLetIn = false }
        if [429, 503].contains(response.status) {
            rests += 1
            let rest = min(askedRest(response) ?? .seconds(30) * (1 << min(rests, 7)), Self.longestRest)
            restsUntil = time.now + rest
            restWords =
                "\(address.host) asks to be left alone, and is asked again after \(max(1, (rest.components.seconds + 59) / 60)) minutes"
        } else {
            rests = 0
        }
        return response
    }

    /// How long an answer asks to be left alone: in seconds, or until a time by the server's own clock.
    private func askedRest(_ response: HTTPResponse) -> Duration? {
        guard let text = response.headers["retry-after"] else { return nil }
        if let seconds = OutsideNumber(leading: text)?.whole(in: 0...86_400) { return .seconds(seconds) }
        guard let end = HTTPDate.parse(text) else { return nil }
        let now = response.headers["date"].flatMap(HTTPDate.parse) ?? time.timestamp
        return min(max(end - now, .zero), .seconds(86_400))
    }

    /// When the key was read again because it was refused: it is not read for each file, for a command may ask a person.
    private var refusedAt: Moment?
    /// Whether something could be read with the key: then it is right, though it may not be enough.
    private var wasLetIn = false
    private static let keyAge: Duration = .seconds(600)

    private func readKey(wasRefused: Bool) async throws(HTTPFailure) -> StorageKey? {
        do {
            return try await keys?(wasRefused)
        } catch {
            throw HTTPFailure(.refused, "\(error)")
        }
    }

    private func sendOnce(
        _ request: HTTPRequest, _ sink: (@LoopActor (UnsafeRawBufferPointer) -> Bool)?
    ) async throws(HTTPFailure) -> HTTPResponse {
        guard let sink else { return try await transport.send(request) }
        return try await transport.send(request, body: sink)
    }

    private func trouble(_ response: HTTPResponse, doing what: String) -> BandTrouble {
        if let restsUntil, time.now < restsUntil { return BandTrouble(restWords, isAway: true) }
        if wasLetIn, response.status == 401 { return answer.notAllowed(to: what) }
        return answer.trouble(response, at: time.timestamp, doing: what)
    }

    /// Whether an answer says that there is no such file. Who may not list a bucket is denied what is not there.
    private func isNone(_ response: HTTPResponse, _ path: String) -> Bool {
        switch response.status {
        case 404, 410: StorageAnswer.code(in: response) != "NoSuchBucket"
        case 403: address.isSigned && path != BandPath.marker && StorageAnswer.code(in: response) == "AccessDenied"
        default: false
        }
    }
}
