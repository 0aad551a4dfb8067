import BandLayout
import Model
import Platform

/// A carrier that tells what goes through it, and fails where a test says so.
@LoopActor
final class WatchedCarrier: BandCarrier {
    private let inner: any BandCarrier
    nonisolated let place: String
    nonisolated let canList: Bool
    /// What was put, or removed with `nil`.
    var wrote: @LoopActor (String, [UInt8]?) -> Void = { _, _ in }
    /// Whether nothing can be written.
    var isFull = false
    /// Whether what is written arrives, and the answer does not.
    var losesAnswers = false
    /// What was asked for, and how much came.
    private(set) var asked: [String] = []
    private(set) var bytesRead = 0
    /// How often a device's objects were listed.
    private(set) var listings = 0
    /// The devices that the last listing was to ask about.
    private(set) var known: [BandDevice] = []

    init(_ inner: any BandCarrier) { (self.inner, place, canList) = (inner, inner.place, inner.canList) }

    func forget() { (asked, bytesRead) = ([], 0) }

    func get(_ path: String, limit: Int) async throws(BandTrouble) -> [UInt8]? {
        let bytes = try await inner.get(path, limit: limit)
        asked.append(path)
        bytesRead += bytes?.count ?? 0
        return bytes
    }

    func put(_ bytes: [UInt8], as path: String) async throws(BandTrouble) {
        guard !isFull else { throw BandTrouble("cannot write \(place)/\(path): No space left on device") }
        try await inner.put(bytes, as: path)
        wrote(path, bytes)
        if losesAnswers { throw BandTrouble("\(place) has not answered") }
    }

    func remove(_ path: String) async throws(BandTrouble) {
        guard !isFull else { throw BandTrouble("cannot remove \(place)/\(path): Read-only file system") }
        try await inner.remove(path)
        wrote(path, nil)
        if losesAnswers { throw BandTrouble("\(place) has not answered") }
    }

    func heads(known: [BandDevice]) async throws(BandTrouble) -> BandListing {
        self.known = known
        return try await inner.heads(known: known)
    }

    func objects(of device: BandDevice) async throws(BandTrouble) -> [Digest: Int]? {
        listings += 1
        return try await inner.objects(of: device)
    }

    func doubt() { inner.doubt() }
}
