import BandLayout
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Marks
import Model
import Platform

/// Checks this device's access to a band's place.
@LoopActor
enum BandCheck {
    /// `nil` if the musician is in no band. On a server, writes, reads and removes a file of this device's own. A shared folder
    /// works as long as its disk does, so nothing is written there.
    static func finding(_ configuration: Configuration, _ context: CommandContext, isOffline: Bool) async -> Finding? {
        guard let place = configuration.options.band.place else { return nil }
        let carrier: any BandCarrier
        do {
            carrier = try configuration.bandCarrier(to: place, environment: context.environment, clock: context.clock)
        } catch {
            return away("\(error)", "correct band.place")
        }
        guard carrier.canList || !isOffline else { return .skipped("band", "\(place) was not asked") }
        let team = try? Library(readingFrom: configuration.paths.data).band.team()
        let state = await BandPlace(carrier, of: team ?? nil)
        guard state.trouble == nil, let name = state.name else {
            let remedy = carrier.canList ? "connect the disk of that folder, or start the program that syncs it" : "do what is said above"
            return away(state.trouble ?? "\(place) cannot be read", remedy)
        }
        if !carrier.canList, let trouble = await probe(carrier, of: BandDevice(HomeID(in: configuration.paths.data).current)) {
            // The marker could be read, and so can the others' marks. A file of this device's own could not be written, read or removed.
            return .warning(
                "band", "you see what the others share, and they see nothing of you, since this device cannot " + Wording(of: trouble),
                mend: "if this device should be heard: do what is said above; then run: \(woodshed("doctor"))")
        }
        return .ok("band", "\(place) is the place of \(name)\(ours: carrier.canList ? "" : ", and this device may write and remove there")")
    }

    private static func away(_ trouble: String, _ remedy: String) -> Finding {
        .warning(
            "band", Wording(of: trouble) + "; what is here of the others stays", mend: "\(remedy); then run: \(woodshed("doctor"))")
    }

    /// The step that failed, and why; `nil` if all steps worked.
    private static func probe(_ carrier: any BandCarrier, of device: BandDevice) async -> String? {
        let path = BandPath.probe(of: device)
        let bytes = Array("a file that woodshed doctor tries this place with\n".utf8)
        var step = "write"
        do throws(Trouble) {
            try await carrier.put(bytes, as: path)
            step = "read"
            guard try await carrier.get(path, limit: bytes.count) == bytes else { return "read what was written there" }
            step = "remove"
            try await carrier.remove(path)
            return nil
        } catch {
            return "\(step) a file: \(error)"
        }
    }
}
