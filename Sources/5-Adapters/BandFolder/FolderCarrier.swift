public import BandLayout
import Glibc
public import Model
public import Platform

/// A band's place in a folder that a program syncs or a server shares.
///
/// Anybody may write anything into the folder at any moment, even by accident. So links are not followed, only regular files are
/// opened, and a folder with a million names costs no more than one with 20,000.
@LoopActor
public final class FolderCarrier: BandCarrier {
    public nonisolated let place: String
    public nonisolated var canList: Bool { true }
    private let side: SideThread
    private let time: any TimeKeeper
    private let reach: Reach
    /// How long to wait for the folder's disk or server to answer.
    private let patience: Duration
    /// The heads last reported from each device's folder, and the state of the folder then.
    private var seen: [BandDevice: FolderFiles.SeenFolder] = [:]
    /// Other paths of one device's objects. They are kept until the next call of `heads`, so thousands of missing objects need one listing.
    private var copies: (device: BandDevice, paths: [Digest: [String]])?
    /// Files whose bytes do not match their names. They are read again only after they change, or after this list was emptied.
    private(set) var wrong: [String: FolderFiles.Stamp] = [:]

    public nonisolated init(
        _ place: String, side: SideThread = SideThread(), patience: Duration = .seconds(20), time: any TimeKeeper = SystemClock()
    ) {
        (self.place, self.side, self.patience, self.time, reach) = (place, side, patience, time, Reach(time))
    }

    public func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? {
        guard let (device, sum) = BandPath.object(at: path) else { return try await work { $0.read(path, limit) } }
        if let bytes = try await first([path], sum, limit) { return bytes }
        if copies?.device != device { copies = (device, try await work { $0.copies(of: device) }) }
        guard let others = copies?.paths[sum] else { return nil }
        return try await first(others, sum, limit)
    }

    /// The bytes of the first file in `paths` that has this sum; `nil` if no file has the sum.
    private func first(_ paths: [String], _ sum: Digest, _ limit: Int) async throws(Trouble) -> [UInt8]? {
        let (bytes, wrong) = try await work { [wrong] in $0.first(paths, sum, limit, but: wrong) }
        if self.wrong.count > Self.mostWrong { self.wrong = [:] }
        self.wrong.merge(wrong) { $1 }
        return bytes
    }

    private static let mostWrong = 20_000

    public func put(_ bytes: [UInt8], as path: String) async throws(Trouble) {
        try await work { files throws(Trouble) in try files.put(bytes, as: path) }
    }

    public func remove(_ path: String) async throws(Trouble) {
        try await work { files throws(Trouble) in try files.remove(path) }
    }

    public func removeCopies(of device: BandDevice) async throws(Trouble) {
        try await work { files throws(Trouble) in try files.removeCopies(of: device) }
    }

    public func heads(known: [BandDevice]) async throws(Trouble) -> BandListing {
        let (listing, seen) = try await work { [seen] files throws(Trouble) in try files.heads(known: known, seen: seen) }
        (self.seen, copies) = (seen, nil)
        return listing
    }

    public func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? {
        try await work { files throws(Trouble) in try files.objects(of: device) }
    }

    public func doubt() { (seen, wrong) = ([:], [:]) }

    /// Runs `body` on the side thread and with a limit of time, because the folder may be on a server that answers late or never.
    private func work<Result: Sendable>(
        _ body: @escaping @Sendable (FolderFiles) throws(Trouble) -> Result
    ) async throws(Trouble) -> Result {
        let files = FolderFiles(place: place)
        // Keep waiting for a long listing while the disk still answers other calls within a fifth of the patience.
        let result = try await side.run(
            within: patience, time, unless: { [reach, place, patience] in await reach.answers(place, within: patience / 5) },
            { () throws(Trouble) in try body(files) })
        guard let result else {
            throw Trouble(.away, "\(place) does not answer: its disk or network may be away")
        }
        return result
    }
}
