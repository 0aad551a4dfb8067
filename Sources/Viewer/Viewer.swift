import LocalHTTP
public import Platform

/// The pages that a musician looks at: HTTP on 127.0.0.1, for browsers that `woodshed open` let in, and where it is wanted
/// also in the network, for those that came with the token.
///
/// Page images and the pages' own files are answered on the servers' threads; all else hops to the loop and is asked of the
/// source there.
@LoopActor
public final class Viewer {
    /// Where it is to be found.
    public let settings: ViewerSettings
    private let clock: any TimeKeeper
    private let log: Log
    private let source = CurrentSource()
    private let hub: EventHub
    private let sessions = Sessions()
    private let desk: ViewerDesk
    /// The first is the one that this machine's own browsers ask.
    private var servers: [WebServer] = []
    /// Of the addresses it gives.
    private var host = WebServer.loopbackNames[0]
    private var reservation: OwnName.Reservation?

    /// Makes a viewer that nobody can reach yet.
    public init(settings: ViewerSettings, clock: any TimeKeeper, log: Log) {
        self.settings = settings
        self.clock = clock
        self.log = log
        hub = EventHub(source)
        let entrance = settings.network.map { Entrance(token: $0.token, clock: clock) }
        desk = ViewerDesk(
            source: source, answers: Answers(source: source, log: log), hub: hub, gate: Gate(sessions: sessions, entrance: entrance))
    }

    /// Shows what this source has, from now on.
    public func show(_ source: any ViewerSource, images: any ViewerImages) {
        hub.listen(to: source)
        self.source.set(source, images)
    }

    /// Shows nothing until there is another source: who asks waits for it. The port stays held and the browsers let in.
    public func rest() {
        hub.listen(to: nil)
        source.rest()
    }

    /// Begins to listen.
    public func start() throws(ViewerFailure) {
        guard servers.isEmpty else { return }
        guard let name = ownName() else {
            servers = try listen(port: settings.port, nil)
            return
        }
        var port = settings.port
        for _ in 0..<Self.mostTries {
            let begun = try listen(port: port, name)
            if let reservation = hasLoopback6 ? .unneeded : OwnName.reserve(port: begun[0].port) {
                servers = begun
                self.reservation = reservation
                host = name.host
                if port != settings.port {
                    log.warning("another program uses port \(settings.port) of ::1, so the pages are on port \(begun[0].port)")
                }
                return
            }
            // Under its own name a browser would ask them first, and under 127.0.0.1 the cookie goes to every port.
            for server in begun { server.stop() }
            port = 0
        }
        throw ViewerFailure("the pages cannot be shown: another program uses port \(settings.port) of ::1")
    }

    /// Whether its own socket holds the port of ::1, too.
    private var hasLoopback6: Bool { settings.network.map { $0.address.isAny && $0.address.isVersion6 } ?? false }

    private func listen(port: UInt16, _ name: OwnName?) throws(ViewerFailure) -> [WebServer] {
        let hosts = WebServer.loopbackNames + [name?.host].compactMap(\.self)
        do throws(LocalHTTPError) {
            guard let network = settings.network else { return [try server(.loopback(port: port), hosts)] }
            // No other socket can have a port of 127.0.0.1 beside one that has it everywhere.
            if network.address.isAny { return [try server(.port(port, of: network.address), hosts + network.hosts)] }
            let first = try server(.loopback(port: port), hosts)
            return [first, try server(.port(first.port, of: network.address), network.hosts)]
        } catch {
            throw ViewerFailure("the pages cannot be shown: \(error)")
        }
    }

    private func server(_ listening: Listening, _ hosts: [String]) throws(LocalHTTPError) -> WebServer {
        try WebServer(listening: listening, hosts: hosts, limits: Self.limits) { [desk] in desk.answer($0).fenced }
    }

    /// Ends it, and lets no browser in any more; whoever waits for an answer is told that there will be none.
    public func stop() {
        hub.listen(to: nil)
        source.end()
        sessions.forget()
        for server in servers { server.stop() }
        servers = []
        reservation = nil
        host = WebServer.loopbackNames[0]
    }

    private func ownName() -> OwnName? {
        guard let folder = settings.nameFolder else { return nil }
        do throws(SystemError) {
            return try OwnName(folder: folder)
        } catch {
            log.warning("the pages are at 127.0.0.1, since their own name could not be kept: \(error)")
            return nil
        }
    }

    /// The port it listens at, once it does.
    public var port: UInt16? { servers.first?.port }

    /// An address that lets one browser in, once, within the next minute; `nil` while it does not listen.
    public func invite(to place: ViewerPlace = .plans) -> String? { invitation(to: place)?.address }

    /// The same with what becomes of it.
    public func invitation(to place: ViewerPlace) -> Invitation? {
        guard let port else { return nil }
        let secret = sessions.invite(to: place.path)
        _ = clock.schedule(at: clock.now + .seconds(60)) { [sessions] in sessions.withdraw(secret) }
        return Invitation(address: "http://\(host):\(port)/open?secret=\(secret)", secret: secret, sessions: sessions)
    }

    /// Ports that are free at 127.0.0.1 and not at ::1 are rare.
    private static let mostTries = 8

    /// For a few browsers with a few tabs, each of which has one stream of events and asks for a few things at a time.
    private static let limits = WebLimits(
        connections: 64, connectionMemory: 32 << 10, body: 64 << 10, idle: .seconds(30), arrival: .seconds(5), eventStreams: 16)
}

/// Why the pages cannot be shown, in a sentence for a musician.
public struct ViewerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
