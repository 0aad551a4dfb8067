import BandLayout
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// How a band's place is now.
struct BandPlace {
    /// What the band is called; `nil` if that cannot be read.
    let name: String?
    /// Why the place is of no use, for people, as the beginning of a sentence; `nil` if it is.
    let trouble: String?
    @LoopActor
    init(_ carrier: any BandCarrier, of team: BandDevice?) async {
        let place = carrier.place
        let found: [UInt8]?
        do throws(BandTrouble) {
            found = try await carrier.get(BandPath.marker, limit: BandMarker.limit)
        } catch {
            (name, trouble) = (nil, "\(place) is away: \(error)")
            return
        }
        guard let bytes = found else {
            (name, trouble) = (nil, "\(place) is away: it has no \(BandPath.marker)")
            return
        }
        do throws(BandFault) {
            let marker = try BandMarker(reading: bytes)
            name = marker.name
            trouble = team.map { $0 == marker.id } ?? true ? nil : "\(place) is another band's place now"
        } catch {
            (name, trouble) = (nil, "\(place)/\(BandPath.marker) \(error)")
        }
    }

    /// Why not everybody in a place may be known, for people; `nil` if everybody is.
    @LoopActor
    static func crowd(in carrier: any BandCarrier) async -> String? {
        guard carrier.canList, let listing = try? await carrier.heads(known: []), listing.unread > 0 else { return nil }
        return "\(listing.unread.counted("folder")) of devices in \(carrier.place) were not looked at, since there are so many"
    }
}

extension OpenHome {
    func bandCarrier(to place: String) throws -> any BandCarrier {
        try configuration.bandCarrier(to: place, environment: context.environment, clock: context.clock)
    }
}
