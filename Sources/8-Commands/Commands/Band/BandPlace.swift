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
    /// Why not everybody may be known, for people; `nil` if everybody is.
    private(set) var crowd: String?

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
            let unread = carrier.canList ? try? await carrier.heads(known: []).unread : nil
            crowd = unread.flatMap {
                $0 > 0 ? "\($0.counted("folder")) of devices in \(place) were not looked at, since there are so many" : nil
            }
        } catch {
            (name, trouble) = (nil, "\(place)/\(BandPath.marker) \(error)")
        }
    }
}

extension OpenHome {
    func bandCarrier(to place: String) throws -> any BandCarrier {
        try configuration.bandCarrier(to: place, environment: context.environment, clock: context.clock)
    }
}
