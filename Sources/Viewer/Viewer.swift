import LocalHTTP
public import Platform

/// The pages that a musician looks at: HTTP on 127.0.0.1 for browsers that `woodshed open` let in, and, if configured, on the
/// network for those that came with the token.
///
/// Page images and the viewer's own files are answered on the servers' threads; everything else goes to the loop, where the
/// source is asked.
/// source there.
@LoopActor
public final class Viewer {
    /// Where it can be reached.
    public let settings: ViewerSettings
    private let clock: any TimeKeeper
    private let log: Log
    private let source = CurrentSource()
    private let hub: EventHub
    private let sessions = Sessions()
    private let desk: ViewerDesk
    /// The first is the one for this machine's own browsers.
    private var servers: [WebServer] = []
    /// The host in the addresses that it gives out.
    private var host = WebServer.loopbackNames[0]
    private var reservation: OwnName.Reservation?

    /// Makes a viewer that cannot be reached yet.
    public init(settings: ViewerSettings, clock: any TimeKeeper, log: Log) {
        self.settings = settings
        self.clock = clock
        self.log = log
        hub = EventHub(source)
        let entrance = settings.network.map { Entrance(token: $0.token, clock: clock) }
        var returnKey: ReturnKey?
        do throws(SystemError) {
            returnKey = try settings.keyFolder.map { folder throws(SystemError) in try ReturnKey(folder: folder) }
        } catch {
            log.warning("open pages have to be let in again after a restart, since the key for that could not be kept: \(error)")
        }
        desk = ViewerDesk(
            source: source, answers: Answers(source: source, log: log), hub: hub,
            gate: Gate(sessions: sessions, entrance: entrance, returnKey: returnKey))
    }

    /// Shows what this source has, from now on.
    public func show(_ source: any ViewerSource, images: any ViewerImages) {
        hub.listen(to: source)
        self.source.set(source, images)
    }

    /// Shows nothing until there is another source; requests wait for it. The port stays taken, and browsers stay signed in.
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
            // By our own name, a browser would reach the other program first; under 127.0.0.1, the cookie would go to every port.
            for server in begun { server.stop() }
            port = 0
        }
        throw ViewerFailure("the pages cannot be shown: another program uses port \(settings.port) of ::1")
    }

    /// Whether our own socket also takes the port of ::1.
    private var hasLoopback6: Bool { settings.network.map { $0.address.isAny && $0.address.isVersion6 } ?? false }

    private func listen(port: UInt16, _ name: OwnName?) throws(ViewerFailure) -> [WebServer] {
        let hosts = WebServer.loopbackNames + [name?.host].compactMap(\.self)
        do throws(LocalHTTPError) {
            guard let network = settings.network else { return [try server(.loopback(port: port), hosts)] }
            // A socket that has the port on all addresses leaves it free for no other, not even on 127.0.0.1.
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

    /// Stops listening and forgets all sessions; whoever waits for an answer is told that there will be none. A page on this machine may come
    /// back to the next agent (`ReturnKey`).
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

    /// The port that it listens on, once it does.
    public var port: UInt16? { servers.first?.port }

    /// An address that lets one browser in, once, within the next minute; `nil` while it is not listening.
    public func invite(to place: ViewerPlace = .plans) -> String? { invitation(to: place)?.address }

    /// The same, as an invitation whose end can be observed.
    public func invitation(to place: ViewerPlace) -> Invitation? {
        guard let port else { return nil }
        let secret = sessions.invite(to: place.path)
        _ = clock.schedule(at: clock.now + .seconds(60)) { [sessions] in sessions.withdraw(secret) }
        return Invitation(address: "http://\(host):\(port)/open?secret=\(secret)", secret: secret, sessions: sessions)
    }

    /// It rarely happens that a port is free on 127.0.0.1 and not on ::1.
    private static let mostTries = 8

    /// For a few browsers with a few tabs, each with one event stream and a few requests at a time.
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
