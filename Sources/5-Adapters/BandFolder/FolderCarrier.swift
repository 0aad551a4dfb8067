public import BandLayout
import Glibc
public import Model
public import Platform

/// A band's place that is a folder, which some program syncs or a server shares.
///
/// Everything in it may be written by others at any moment, on purpose or not: links are not followed, only files are opened, and a folder
/// with a million names costs no more than one with a few thousand.
@LoopActor
public final class FolderCarrier: BandCarrier {
    public nonisolated let place: String
    public nonisolated var canList: Bool { true }
    private let side: SideThread
    /// What was told of the heads in each device's folder, and what the folder was like then.
    private var told: [BandDevice: FolderFiles.Told] = [:]
    /// Where else the objects of the device that was asked for last may be: thousands may be missing, and a folder is not listed for each.
    private var copies: (device: BandDevice, paths: [Digest: [String]])?
    /// Files that are not what their names say; they are not read again until they are others.
    private(set) var wrong: [String: FolderFiles.Stamp] = [:]

    public nonisolated init(_ place: String, side: SideThread = SideThread()) { (self.place, self.side) = (place, side) }

    public func get(_ path: String, limit: Int) async throws(BandTrouble) -> [UInt8]? {
        guard let (device, sum) = BandPath.object(at: path) else { return try await work { $0.read(path, limit) } }
        if let bytes = try await first([path], sum, limit) { return bytes }
        if copies?.device != device { copies = (device, try await work { $0.copies(of: device) }) }
        guard let others = copies?.paths[sum] else { return nil }
        return try await first(others, sum, limit)
    }

    /// The first of these files that is right.
    private func first(_ paths: [String], _ sum: Digest, _ limit: Int) async throws(BandTrouble) -> [UInt8]? {
        let (bytes, wrong) = try await work { [wrong] in $0.first(paths, sum, limit, but: wrong) }
        if self.wrong.count > Self.mostWrong { self.wrong = [:] }
        self.wrong.merge(wrong) { $1 }
        return bytes
    }

    private static let mostWrong = 20_000

    public func put(_ bytes: [UInt8], as path: String) async throws(BandTrouble) {
        try await work { files throws(BandTrouble) in try files.put(bytes, as: path) }
    }

    public func remove(_ path: String) async throws(BandTrouble) {
        try await work { files throws(BandTrouble) in try files.remove(path) }
    }

    public func removeCopies(of device: BandDevice) async throws(BandTrouble) {
        try await work { files throws(BandTrouble) in try files.removeCopies(of: device) }
    }

    public func heads(known: [BandDevice]) async throws(BandTrouble) -> BandListing {
        let (listing, told) = try await work { [told] files throws(BandTrouble) in try files.heads(known: known, told: told) }
        (self.told, copies) = (told, nil)
        return listing
    }

    public func objects(of device: BandDevice) async throws(BandTrouble) -> [Digest: Int]? {
        try await work { files throws(BandTrouble) in try files.objects(of: device) }
    }

    public func doubt() { (told, wrong) = ([:], [:]) }

    /// Other people's folders may be on a server that answers late, so none is touched on the loop.
    private func work<Result: Sendable>(
        _ body: @escaping @Sendable (FolderFiles) throws(BandTrouble) -> Result
    ) async throws(BandTrouble) -> Result {
        let files = FolderFiles(place: place)
        return try await side.run { () throws(BandTrouble) in try body(files) }
    }
}
