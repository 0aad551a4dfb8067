package import Configuration
package import Platform
package import Viewer

/// Follows changes of the tokens for browsers on the network, even if the rest of the configuration is invalid.
///
/// A new token takes effect immediately. A missing or invalid file may just be in the middle of a save. Until it is valid again,
/// nobody new can sign in. Browsers that signed in with the former token stay connected for a minute, and are then signed out.
@LoopActor
package final class NetworkTokens {
    /// The outcome of a check.
    package enum News {
        /// The new network settings, in effect from now on.
        case other(ViewerSettings.Network?)
        /// The browsers to which the door is closed, all or only guests', cannot sign in. The text is the reason.
        case closed(ClosedDoor, String)
        /// The problem has lasted for `patience`, so the browsers to which the door is closed are signed out, too. The text is the
        /// reason.
        case over(ClosedDoor, String)
        /// The files are valid again.
        case mended
    }

    /// How long a file may be missing or invalid: longer than an editor or a sync program takes to replace it.
    package static let patience = Duration.seconds(60)

    private let clock: any TimeKeeper
    private let alarm: Alarm
    private var configuration: Configuration?
    private var network: ViewerSettings.Network?
    private var onNews: (@LoopActor (News) -> Void)?
    /// The problem found by the last check, the time since when it has existed, and the browsers signed out because of it.
    private var trouble: (door: ClosedDoor, since: Moment, ended: ClosedDoor)?

    package init(clock: any TimeKeeper) { (self.clock, alarm) = (clock, Alarm(clock)) }

    /// Follows the tokens of `configuration`, starting from the settings in `network`.
    package func follow(
        _ configuration: Configuration, _ network: ViewerSettings.Network?, onNews: @escaping @LoopActor (News) -> Void
    ) {
        (self.configuration, self.network, self.onNews) = (configuration, network, onNews)
        check()
    }

    /// Reports nothing until `follow` is called again.
    package func rest() {
        alarm.cancel()
        onNews = nil
    }

    /// Checks whether the tokens have changed. Call this whenever their files may have.
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
            // Even if the guests' token is invalid, a new token for all others takes effect immediately.
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
