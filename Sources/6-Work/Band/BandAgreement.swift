public import BandLayout
public import Catalogue
public import Library
import Model
public import Platform

/// Works out which band a place belongs to when its marker is lost or names another band. The heads in the place name their band, except
/// those that older programs wrote.
public struct BandAgreement: Hashable, Sendable {
    public let team: BandDevice
    /// The devices whose heads in the place name this band. This device comes first.
    public let devices: [BandDevice]
    /// The other band that the place's marker names now; `nil` if the marker is lost.
    public let other: BandMarker?

    /// What happened to `place`, and the command that puts it right, as a sentence without a full stop.
    public func words(_ place: String) -> String {
        let what = other.map { "now says that it is the place of another band (\($0.name))" } ?? "has lost its \(BandPath.marker)"
        return
            "\(place) \(what), while all who play there say that it is this band's: '\(woodshed("band mend --name NAME"))' puts that right"
    }

    /// `nil` if the place may be a different one, or somebody else's: this home's own signed head must be there, and no head there
    /// may be unreadable or name another band. If the place's marker names another band, at least one other device's head must name
    /// this band, too. Also `nil` if more than 300 devices would have to be checked.
    @LoopActor
    public init?(_ carrier: any BandCarrier, _ library: Library, _ home: HomeID, other: BandMarker?) async throws {
        guard let team = try library.band.team() else { return nil }
        let own = BandDevice(home.current)
        let members = Set(try library.band.members().map(\.device))
        var files: [BandDevice: [String]] = [own: [BandPath.head(of: own)]]
        var there: Set<BandDevice> = []
        if carrier.canList {
            // Make the carrier list all heads now, and all of them again for the next reader.
            carrier.doubt()
            let listing = try await carrier.heads(known: members.sorted())
            carrier.doubt()
            guard listing.unread == 0 else { return nil }
            files = Dictionary(grouping: listing.heads, by: \.device).mapValues { $0.map(\.path) }
            there = listing.devices
        } else {
            var asked = members
            if let bytes = try await carrier.get(BandPath.door, limit: BandDoor.limit), let door = try? BandDoor(reading: bytes) {
                asked.formUnion(door.devices)
            }
            for device in asked { files[device] = [BandPath.head(of: device)] }
        }
        guard files.count <= Self.mostAsked else { return nil }
        var devices: [BandDevice] = []
        for device in [own] + Set(files.keys).subtracting([own]).sorted() {
            var heads: [BandHead] = []
            for path in files[device] ?? [] {
                guard let bytes = try await carrier.get(path, limit: BandHead.limit), let head = try? BandHead.read(bytes).head,
                    head.device == device
                else { continue }
                heads.append(head)
            }
            guard let head = heads.max(by: { $0.counter < $1.counter }) else {
                // A device whose head cannot be read may belong to any band.
                if there.contains(device) || device == own { return nil }
                continue
            }
            if device == own {
                guard let signer = head.signer, signer == home.key(of: device.text)?.verifier else { return nil }
            }
            // A head that names no band, as older programs wrote it, or that is not signed proves nothing.
            guard let said = head.team, head.signer != nil else { continue }
            guard said == team else { return nil }
            devices.append(device)
        }
        guard devices.first == own, other == nil || devices.count > 1 else { return nil }
        (self.team, self.devices, self.other) = (team, devices, other)
    }

    private static let mostAsked = 300
}
