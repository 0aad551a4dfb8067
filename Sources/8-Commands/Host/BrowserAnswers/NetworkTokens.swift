package import Configuration
package import Platform
package import Viewer

/// Follows the tokens that let the network in while an agent or a demo runs, whatever happens to the rest of the configuration.
///
/// Another token takes effect at once. A missing or unusable file may just be being saved: meanwhile nobody new is let in, and only if it
/// is no better a minute later are those signed out who came in with its former token. Until then a service goes on.
@LoopActor
package final class NetworkTokens {
    /// The outcome of a look.
    package enum News {
        /// This holds from now on.
        case other(ViewerSettings.Network?)
        /// These are not let in anew, for this reason.
        case closed(ClosedDoor, String)
        /// These are signed out, too.
        case over(ClosedDoor, String)
        /// It is as it was before.
        case mended
    }

    /// How long a file may be away: longer than an editor or a sync program takes to put another one in its place.
    package static let patience = Duration.seconds(60)

    private let clock: any TimeKeeper
    private let alarm: Alarm
    private var configuration: Configuration?
    private var network: ViewerSettings.Network?
    private var onNews: (@LoopActor (News) -> Void)?
    /// What was wrong at the last look, since when, and who was signed out for it.
    private var trouble: (door: ClosedDoor, since: Moment, ended: ClosedDoor)?

    package init(clock: any TimeKeeper) { (self.clock, alarm) = (clock, Alarm(clock)) }

    /// Follows the tokens of this configuration, with which this is shown on the network.
    package func follow(
        _ configuration: Configuration, _ network: ViewerSettings.Network?, onNews: @escaping @LoopActor (News) -> Void
    ) {
        (self.configuration, self.network, self.onNews) = (configuration, network, onNews)
        check()
    }

    /// Reports nothing until there is something to follow again.
    package func rest() {
        alarm.cancel()
        onNews = nil
    }

    /// Checks whether the tokens have changed; to be called whenever their files may have.
    package func check() {
        guard let configuration, let onNews else { return }
        do throws(ConfigurationError) {
            let found = try configuration.viewerNetwork()
            alarm.cancel()
            if trouble != nil { onNews(.mended) }
            trouble = nil
            guard found != network else { return }
            network = found
            onNews(.other(found))
        } catch {
            let isOfGuests = error.faults.allSatisfy(\.isOfGuests)
            // Whatever is wrong with theirs, another token for all others holds at once.
            if isOfGuests, let found = try? configuration.viewerNetwork(withGuests: false), !found.hasToken(of: network) {
                network = found
                onNews(.other(found))
            }
            note(isOfGuests ? .guests : .all, "\(error)", onNews)
        }
    }

    private func note(_ door: ClosedDoor, _ reason: String, _ onNews: @LoopActor (News) -> Void) {
        let now = clock.now
        if trouble?.door != door {
            trouble = (door, now, trouble?.ended ?? .none)
            onNews(.closed(door, reason))
        }
        guard let since = trouble?.since, trouble?.ended != door else { return }
        guard now - since >= Self.patience else { return alarm.set(at: since + Self.patience) { [weak self] in self?.check() } }
        trouble?.ended = door
        onNews(.over(door, reason))
    }
}
