public import Model
public import Platform

/// Carries the files of a band from and to the place that all its devices share.
///
/// Nothing about that place is certain but what arrives whole: files come late, in any order, more than once, torn, under other names, in
/// an older state, or not at all. So a carrier never decides which of two files is the right one; it only says what is there.
@LoopActor
public protocol BandCarrier: AnyObject {
    /// The place's name for people.
    nonisolated var place: String { get }

    /// Whether devices are found that nobody named.
    nonisolated var canList: Bool { get }

    /// The bytes of a file; `nil` if it is missing, or longer than `limit`. An object may be found under the name of a copy, if that was
    /// there at the last call of `heads`; it is `nil` if its bytes do not match its name.
    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]?

    /// Writes a file, over a former one if there is any. Where the place can prevent it, nobody sees half a file.
    func put(_ bytes: [UInt8], as path: String) async throws(Trouble)

    /// Removes a file of this device; a missing file is no error.
    func remove(_ path: String) async throws(Trouble)

    /// Removes copies of this device's files that sync programs put aside after a conflict.
    func removeCopies(of device: BandDevice) async throws(Trouble)

    /// The possible heads that may have changed since the last call, and the devices that have any. A carrier that cannot list asks about
    /// the devices that are `known`. After `doubt()`, everything is reported again.
    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing

    /// The objects in this device's folder with the lengths that they have there; `nil` if the folder cannot be listed.
    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]?

    /// Makes the next call of `heads` report everything again.
    func doubt()
}

extension BandCarrier {
    /// Copies exist only where a sync program is between the devices.
    public func removeCopies(of device: BandDevice) async throws(Trouble) {}
}

/// What was found in a band's place.
public struct BandListing: Hashable, Sendable {
    public var heads: [File] = []
    /// The devices that are in the place.
    public var devices: Set<BandDevice> = []
    /// How many other things were there; they are left alone.
    public var strangers = 0
    /// How many more devices there may be, whose heads were not looked at.
    public var unread = 0

    public struct File: Hashable, Sendable {
        public let device: BandDevice
        public let path: String

        public init(_ device: BandDevice, _ path: String) { (self.device, self.path) = (device, path) }
    }

    public init() {}
}
