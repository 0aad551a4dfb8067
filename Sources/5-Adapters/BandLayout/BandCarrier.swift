public import Model
public import Platform

/// Carries the files of a band from and to the place that all its devices share.
///
/// Nothing about that place is certain but what arrives whole: files come late, in any order, more than once, torn, under other names, in
/// an older state, or not at all. So a carrier never decides which of two files is the right one; it only says what is there.
@LoopActor
public protocol BandCarrier: AnyObject {
    /// Where it is, for people.
    nonisolated var place: String { get }

    /// Whether it finds devices that nobody named.
    nonisolated var canList: Bool { get }

    /// The bytes of a file; `nil` if there is none, or one that is longer than `limit`. An object may be found under the name of a copy,
    /// if that was there when `heads` was called last; one whose bytes are not what its name says is `nil`.
    func get(_ path: String, limit: Int) async throws(BandTrouble) -> [UInt8]?

    /// Has a file under this path, in place of one that is there. Nobody sees half of it where the place can prevent that.
    func put(_ bytes: [UInt8], as path: String) async throws(BandTrouble)

    /// Removes a file of this device; none is none to remove.
    func remove(_ path: String) async throws(BandTrouble)

    /// Removes what others have put aside of this device's files, as sync programs do where two have changed one.
    func removeCopies(of device: BandDevice) async throws(BandTrouble)

    /// The files that may be heads and may be others than at the last call, and the devices that have any. A carrier that cannot list asks
    /// about the devices that are `known`. What was told once is told again if it is to be: `doubt()`.
    func heads(known: [BandDevice]) async throws(BandTrouble) -> BandListing

    /// Which objects are in this device's folder, and how long each is there; `nil` where that cannot be listed.
    func objects(of device: BandDevice) async throws(BandTrouble) -> [Digest: Int]?

    /// Has the next call of `heads` tell everything again.
    func doubt()
}

extension BandCarrier {
    /// Where no sync program is between the devices, there are no copies.
    public func removeCopies(of device: BandDevice) async throws(BandTrouble) {}
}

/// What there is in a band's place.
public struct BandListing: Hashable, Sendable {
    public var heads: [File] = []
    /// The devices that are there.
    public var devices: Set<BandDevice> = []
    /// How many other things there are; they are left alone.
    public var strangers = 0
    /// How many devices there may be besides: nobody looked at their words.
    public var unread = 0

    public struct File: Hashable, Sendable {
        public let device: BandDevice
        public let path: String

        public init(_ device: BandDevice, _ path: String) { (self.device, self.path) = (device, path) }
    }

    public init() {}
}

/// Why a band's place cannot be used now, for people.
public struct BandTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether nothing is known of what is there, as when a disk is not mounted.
    public let isAway: Bool
    /// Whether the place does not let this device in as it came.
    public let isRefused: Bool

    public init(_ description: String, isAway: Bool = false, isRefused: Bool = false) {
        (self.description, self.isAway, self.isRefused) = (description, isAway, isRefused)
    }
}
