import BandLayout
import Model
import Platform

/// A carrier that reports its traffic, and fails on demand.
@LoopActor
final class WatchedCarrier: BandCarrier {
    private let inner: any BandCarrier
    nonisolated let place: String
    nonisolated let canList: Bool
    /// Called with each file that was put, or removed with `nil`.
    var wrote: @LoopActor (String, [UInt8]?) -> Void = { _, _ in }
    /// Whether nothing can be written.
    var isFull = false
    /// A way in which the place misbehaves.
    enum Mood: CaseIterable {
        case honest
        /// The place does not answer.
        case silent
        /// The place's marker names another band.
        case anothers
        /// The place has lost all files except the marker.
        case forgetful
        /// The place has lost the marker, too.
        case empty
    }
    var mood = Mood.honest
    private static let silence = Trouble(.away, "it does not answer")
    private static let other = BandMarker(id: BandDevice("otherotherothero"), name: "Other").bytes

    /// Whether heads arrive before the objects that they name.
    var hasLateObjects = false
    /// Whether writes arrive, but their answers are lost.
    var losesAnswers = false
    /// The paths that `get` requested from the place, and the number of bytes that it received.
    private(set) var asked: [String] = []
    private(set) var bytesRead = 0
    /// How many times a device's objects were listed.
    private(set) var listings = 0
    /// The devices that the last listing had to include.
    private(set) var known: [BandDevice] = []

    init(_ inner: any BandCarrier) { (self.inner, place, canList) = (inner, inner.place, inner.canList) }

    func forget() { (asked, bytesRead) = ([], 0) }

    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? {
        switch mood {
        case .honest: break
        case .silent: throw Self.silence
        case .anothers: if path == BandPath.marker { return Self.other }
        case .forgetful: if path != BandPath.marker { return nil }
        case .empty: return nil
        }
        if hasLateObjects, path.contains("/o-") { return nil }
        let bytes = try await inner.get(path, limit: limit)
        asked.append(path)
        bytesRead += bytes?.count ?? 0
        return bytes
    }

    func put(_ bytes: [UInt8], as path: String) async throws(Trouble) {
        if mood == .silent { throw Self.silence }
        guard !isFull else { throw Trouble("cannot write \(place)/\(path): No space left on device") }
        try await inner.put(bytes, as: path)
        wrote(path, bytes)
        if losesAnswers { throw Trouble("\(place) has not answered") }
    }

    func remove(_ path: String) async throws(Trouble) {
        if mood == .silent { throw Self.silence }
        guard !isFull else { throw Trouble("cannot remove \(place)/\(path): Read-only file system") }
        try await inner.remove(path)
        wrote(path, nil)
        if losesAnswers { throw Trouble("\(place) has not answered") }
    }

    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing {
        self.known = known
        if mood == .silent { throw Self.silence }
        if mood == .forgetful || mood == .empty { return BandListing() }
        return try await inner.heads(known: known)
    }

    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? {
        listings += 1
        if mood == .silent { throw Self.silence }
        if mood == .forgetful || mood == .empty { return [:] }
        return try await inner.objects(of: device)
    }

    func removeCopies(of device: BandDevice) async throws(Trouble) {
        if mood == .silent { throw Self.silence }
        try await inner.removeCopies(of: device)
    }

    func doubt() { inner.doubt() }
}
