public import Model
public import Platform

/// Moves a band's files to and from the place that all its devices share.
///
/// Only a complete file can be relied on: files arrive late, in any order, more than once, torn, under other names, in an older
/// state, or never. So a carrier only reports the files that it finds, and never decides which of two files is right.
@LoopActor
public protocol BandCarrier: AnyObject {
    /// The place's name for people.
    nonisolated var place: String { get }

    /// Whether the carrier finds devices that no caller has named.
    nonisolated var canList: Bool { get }

    /// The bytes of a file; `nil` if the file is missing or longer than `limit`. A carrier that can list also finds an object under
    /// the name of a copy, except perhaps of a copy made after the last call of `heads`. Bytes of an object that do not match its
    /// name count as missing.
    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]?

    /// Writes a file, or replaces the former one. If the place permits, no reader ever sees half a file.
    func put(_ bytes: [UInt8], as path: String) async throws(Trouble)

    /// Removes a file of this device; a missing file is no error.
    func remove(_ path: String) async throws(Trouble)

    /// Removes the copies of `device`'s files that sync programs made after conflicts.
    func removeCopies(of device: BandDevice) async throws(Trouble)

    /// The possible heads that may have changed since the last call, and the devices that have a head. A carrier that cannot list
    /// asks only about the devices in `known`. After `doubt()`, all possible heads are reported.
    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing

    /// The objects in the folder of `device`, with their lengths; `nil` from a carrier that cannot list.
    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]?

    /// Makes the next call of `heads` report all possible heads.
    func doubt()
}

extension BandCarrier {
    /// Does nothing. Copies are made only by sync programs, so only a carrier for a synced folder has any to remove.
    public func removeCopies(of device: BandDevice) async throws(Trouble) {}
}

/// What a carrier found in a band's place when it looked for heads.
public struct BandListing: Hashable, Sendable {
    public var heads: [File] = []
    /// The devices that have a head in the place, or may have one because they were not asked for.
    public var devices: Set<BandDevice> = []
    /// The number of other files and folders, which are left alone.
    public var strangers = 0
    /// The number of possible further devices, whose heads were not read.
    public var unread = 0

    public struct File: Hashable, Sendable {
        public let device: BandDevice
        public let path: String

        public init(_ device: BandDevice, _ path: String) { (self.device, self.path) = (device, path) }
    }

    public init() {}
}
