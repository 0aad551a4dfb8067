import Band
import BandLayout
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// The present state of a band's place.
struct BandPlace {
    /// The band's name; `nil` if it cannot be read.
    private(set) var name: String?
    /// Why the place cannot be used now, as the beginning of a sentence for people; `nil` if it can be used.
    private(set) var trouble: String?

    /// The place of a home's band. If the marker is lost, damaged or another band's, `trouble` explains that. If all heads in the
    /// place still name this home's band, `trouble` also says how to restore the marker.
    @LoopActor
    init(_ carrier: any BandCarrier, of library: Library, in data: String) async {
        let team = (try? library.band.team()) ?? nil
        let found = await BandPlace(carrier, of: team)
        self = found
        guard found.trouble != nil, found.isAnswer, team != nil,
            let agreement = try? await BandAgreement(carrier, library, HomeID(in: data), other: found.other)
        else { return }
        (name, trouble) = (nil, agreement.words(carrier.place))
    }

    /// Whether the place answered. `other` is the place's marker if that names another band, otherwise `nil`.
    private let isAnswer: Bool
    private let other: BandMarker?

    @LoopActor
    init(_ carrier: any BandCarrier, of team: BandDevice?) async {
        let place = carrier.place
        let found: [UInt8]?
        do throws(Trouble) {
            found = try await carrier.get(BandPath.marker, limit: BandMarker.limit)
        } catch {
            (name, trouble, isAnswer, other) = (nil, "\(place) is away: \(error)", false, nil)
            return
        }
        guard let bytes = found else {
            (name, trouble, isAnswer, other) = (nil, "\(place) is away: it has no \(BandPath.marker)", true, nil)
            return
        }
        do throws(Trouble) {
            let marker = try BandMarker(reading: bytes)
            let isOurs = team.map { $0 == marker.id } ?? true
            (name, trouble) = (marker.name, isOurs ? nil : "\(place) is another band's place now (\(marker.name))")
            (isAnswer, other) = (true, isOurs ? nil : marker)
        } catch {
            (name, trouble, isAnswer, other) = (nil, "\(place)/\(BandPath.marker) \(error)", true, nil)
        }
    }

    /// What the devices in the place say, for a home that has read nothing yet: those that can be listed, or that the door names.
    @LoopActor
    static func heads(in carrier: any BandCarrier) async -> [BandHead] {
        var known: [BandDevice] = []
        if !carrier.canList, let bytes = try? await carrier.get(BandPath.door, limit: BandDoor.limit) {
            known = (try? BandDoor(reading: bytes))?.devices ?? []
        }
        guard let marker = try? await carrier.get(BandPath.marker, limit: BandMarker.limit),
            let team = (try? BandMarker(reading: marker))?.id,
            let listing = try? await carrier.heads(known: known)
        else { return [] }
        var heads: [BandHead] = []
        for file in listing.heads.prefix(mostHeads) {
            guard let bytes = try? await carrier.get(file.path, limit: BandHead.limit), let head = try? BandHead.read(bytes).head,
                head.device == file.device, head.signer == nil || head.team == team, !heads.contains(where: { $0.device == head.device })
            else { continue }
            heads.append(head)
        }
        return heads
    }

    private static let mostHeads = 100

    /// Why some players in the place may be unknown, in words for people. `nil` if there is no such reason, or the place cannot be listed.
    @LoopActor
    static func crowd(in carrier: any BandCarrier) async -> String? {
        guard carrier.canList, let listing = try? await carrier.heads(known: []), listing.unread > 0 else { return nil }
        let verb = listing.unread == 1 ? "was" : "were"
        return "\(listing.unread.counted("folder")) of devices in \(carrier.place) \(verb) not looked at, since there are so many"
    }
}

extension OpenHome {
    func bandCarrier(to place: String) throws -> any BandCarrier {
        try configuration.bandCarrier(to: place, environment: context.environment, clock: context.clock)
    }
}
