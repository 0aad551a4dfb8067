import Barcode
import JSON
import LocalHTTP
import Model
import Platform

/// An address that lets one browser in, once, for a while.
public struct Invitation: Sendable {
    /// The address for that browser to open.
    public let address: String
    /// Calls a function once the address has been used or has expired, on any thread; immediately if this has already happened.
    public let whenOver: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// How long an address for a browser on this machine is valid.
    static let usualTime = Duration.seconds(60)
    /// How long an address for a tablet is valid: the tablet must be fetched, woken, and held to the screen.
    public static let tabletTime = Duration.seconds(180)
}

/// Creates the addresses that let browsers in. They are given only to this user on this machine: through the control socket, and in
/// signed-in browsers on this machine.
@LoopActor
final class Invitations {
    private let sessions: Sessions
    private let clock: any TimeKeeper
    /// This machine's name for tablets; `nil` if the viewer does not answer the network.
    private let networkHost: String?

    /// Prefers an address to a name, which some tablets cannot resolve.
    nonisolated init(_ sessions: Sessions, clock: any TimeKeeper, network: ViewerSettings.Network?) {
        (self.sessions, self.clock) = (sessions, clock)
        let hosts = network?.hosts ?? []
        networkHost = hosts.first { IPAddress($0.filter { !"[]".contains($0) }) != nil } ?? hosts.first
    }

    /// Creates an invitation for a browser that reaches the viewer at this host and port.
    func invite(to place: ViewerPlace, at host: String, port: UInt16, for time: Duration = Invitation.usualTime) -> Invitation {
        let secret = sessions.invite(to: place.path, now: clock.timestamp)
        _ = clock.schedule(at: clock.now + time) { [sessions] in sessions.withdraw(secret) }
        return Invitation(address: "http://\(host):\(port)/open?secret=\(secret)") { [sessions] in sessions.whenOver(secret, $0) }
    }

    /// Creates an invitation for a tablet; `nil` if no tablet can reach the viewer.
    func inviteTablet(to place: ViewerPlace, port: UInt16) -> Invitation? {
        networkHost.map { invite(to: place, at: $0, port: port, for: Invitation.tabletTime) }
    }

    /// Answers a page on this machine with a QR code that invites a tablet, or with the reason why no tablet can come in.
    func tabletCode(port: UInt16) -> WebReply {
        if sessions.closed == .all { return .json(["trouble": .text(TokenEntrance.isClosed)]) }
        guard let address = inviteTablet(to: .plans, port: port)?.address, let code = QRCode(address) else {
            // Not sent as a refusal, which browsers would log as an error: nothing went wrong.
            let advice = "“woodshed help tablet” says how to change that."
            return .json(["trouble": .text("No tablet can reach Woodshed yet: it shows its pages on this computer only. \(advice)")])
        }
        return .json([
            "side": .integer(code.side), "path": .text(code.path), "seconds": .integer(Int(Invitation.tabletTime.components.seconds)),
            "site": .text(String(address.prefix { $0 != "?" }.dropLast("/open".count))),
        ])
    }
}
