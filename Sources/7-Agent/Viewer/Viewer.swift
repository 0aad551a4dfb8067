public import LocalHTTP
public import Model
public import Platform

/// The pages for musicians: HTTP on 127.0.0.1 for browsers that `woodshed open` let in, and, if configured, on the network for
/// those with the token.
///
/// Page images and the viewer's own files are answered on the servers' threads; all other requests go to the source, on the loop.
@LoopActor
public final class Viewer {
    public private(set) var settings: ViewerSettings
    private let clock: any TimeKeeper
    private let log: Log
    private let ports: HeldPorts?
    private let source = CurrentSource()
    private let hub: EventHub
    private let sessions = Sessions()
    private let invitations: Invitations
    private let routes: ViewerRoutes
    private let entrance: TokenEntrance?
    /// The first server is for this machine's own browsers.
    private var servers: [WebServer] = []
    /// The host in the addresses of invitations.
    private var host = WebServer.loopbackNames[0]
    private var reservation: Descriptor?

    /// `ports` are kept from other users between two agents; `isOwn` recognises this machine's own addresses.
    public init(
        settings: ViewerSettings, clock: any TimeKeeper, log: Log, ports: HeldPorts? = nil,
        isOwn: @escaping @Sendable (IPAddress) -> Bool = { $0.isOwn }
    ) {
        (self.settings, self.clock, self.log, self.ports) = (settings, clock, log, ports)
        hub = EventHub(source, clock: clock)
        entrance = settings.network.map {
            TokenEntrance(token: $0.token, guestToken: $0.guestToken, folder: settings.nameFolder, clock: clock, log: log)
        }
        var returnKey: ReturnKey?
        do throws(SystemError) {
            returnKey = try settings.keyFolder.map { folder throws(SystemError) in try ReturnKey(folder: folder) }
        } catch {
            log.warning("open pages have to be let in again after a restart, since the key for that could not be kept: \(error)")
        }
        invitations = Invitations(sessions, clock: clock, network: settings.network)
        routes = ViewerRoutes(
            source: source, answers: Answers(source: source, log: log), hub: hub,
            access: BrowserAccess(
                sessions: sessions, invitations: invitations, entrance: entrance, returnKey: returnKey, isOwn: isOwn,
                hub: hub, clock: clock))
    }

    /// Switches to this source.
    public func show(_ source: any ViewerSource, images: any ViewerImages) {
        hub.listen(to: source)
        self.source.set(source, images)
    }

    /// Shows nothing until there is another source; requests wait for it. The port stays occupied, and browsers stay signed in.
    public func rest() {
        hub.listen(to: nil)
        source.rest()
    }

    /// Starts to listen. If a port is configured, only that port is tried.
    public func start() throws(Trouble) {
        guard servers.isEmpty else { return }
        let kept = ownName()
        var failure = Trouble("the pages cannot be shown: there is no port for them")
        for port in portsToTry(kept) {
            let name = settings.port == nil ? kept?.going(with: port) : kept
            do throws(Trouble) {
                try begin(port: port, name)
            } catch {
                ports?.rest()
                guard error.kind == .inTheWay else { throw error }
                failure = error
                continue
            }
            ports?.settle()
            if settings.port == nil { keep(port, name, formerly: kept?.port) }
            return
        }
        guard settings.port == nil else { throw failure }
        let (first, last) = (settings.usualPorts.lowerBound, settings.usualPorts.upperBound)
        throw Trouble(.inTheWay, "the pages cannot be shown: other programs or users have all ports from \(first) to \(last)")
    }

    private func portsToTry(_ kept: ViewerHostname?) -> [UInt16] {
        switch settings.port {
        case 0?: return Array(repeating: 0, count: Self.mostTries)
        case let port?: return [port]
        case nil:
            let last = kept?.port.flatMap { settings.usualPorts.contains($0) ? $0 : nil }
            return [last].compactMap(\.self) + settings.usualPorts.filter { $0 != last }
        }
    }

    private func begin(port: UInt16, _ name: ViewerHostname?) throws(Trouble) {
        let begun = try listen(port: port, name)
        if let address = addressToReserve(name) {
            do throws(Trouble) {
                reservation = try reserve(begun[0].port, of: address)
            } catch {
                // Under the viewer's names, browsers would reach the other program first; under 127.0.0.1, they would send the cookie
                // to every port.
                for server in begun { server.stop() }
                throw Trouble(error.kind, "the pages cannot be shown: another program uses port \(begun[0].port) of \(address)")
            }
        }
        if let name { host = name.host }
        servers = begun
    }

    private func reserve(_ port: UInt16, of address: IPAddress) throws(Trouble) -> Descriptor? {
        guard let ports else { return try Listening.reserve(port: port, of: address) }
        return try ports.reserve(port: port, of: address)
    }

    /// An address whose port other programs must not use; `nil` for none. Browsers try IPv6 first, for the viewer's own name and
    /// for this machine's names on the network.
    private func addressToReserve(_ name: ViewerHostname?) -> IPAddress? {
        // The viewer's own socket for all IPv6 addresses already occupies the port of ::1. A socket for one IPv6 address keeps the
        // port from being reserved for all of them, so reserve only that of ::1.
        if let address = settings.network?.address { return address.isVersion6 ? (address.isAny || name == nil ? nil : .loopback6) : .any6 }
        return name == nil ? nil : .loopback6
    }

    /// Stores the port for the next start, and logs it.
    private func keep(_ port: UInt16, _ name: ViewerHostname?, formerly: UInt16?) {
        if let name, let folder = settings.nameFolder, formerly != port {
            do throws(SystemError) {
                try name.keep(in: folder)
            } catch {
                log.warning("the pages may be on another port next time, since this one could not be kept: \(error)")
            }
        }
        if let formerly, formerly != port {
            log.warning(
                "another program or user has port \(formerly), where the pages were, so they are on port \(port) from now on; "
                    + "bookmarks and tablets need the new address ('\(woodshed("open"))'), and viewer.port sets a port for good")
        } else if formerly == nil, port != settings.usualPorts.lowerBound {
            log.info("another program or user has port \(settings.usualPorts.lowerBound), so the pages are on port \(port)")
        } else {
            log.info("the pages are on port \(port)")
        }
    }

    private func listen(port: UInt16, _ name: ViewerHostname?) throws(Trouble) -> [WebServer] {
        let hosts = WebServer.loopbackNames + [name?.host].compactMap(\.self)
        do throws(Trouble) {
            guard let network = settings.network else { return [try server(.loopback(port: port), hosts)] }
            // A socket for all addresses occupies the port on 127.0.0.1, too, so one server is enough.
            if network.address.isAny { return [try server(.port(port, of: network.address), hosts + network.hosts)] }
            let first = try server(.loopback(port: port), hosts)
            return [first, try server(.port(first.port, of: network.address), network.hosts)]
        } catch {
            throw Trouble(error.kind, "the pages cannot be shown: \(error)")
        }
    }

    private func server(_ listening: Listening, _ hosts: [String]) throws(Trouble) -> WebServer {
        try WebServer(listening: listening, hosts: hosts, limits: Self.limits, ports: ports) { [routes] in routes.answer($0).fenced }
    }

    /// Stops listening and forgets all sessions; waiting requests receive an error. A page on this machine may return to the next
    /// agent (`ReturnKey`).
    public func stop() {
        hub.listen(to: nil)
        source.end()
        sessions.forget()
        for server in servers { server.stop() }
        servers = []
        reservation = nil
        ports?.rest()
        host = WebServer.loopbackNames[0]
    }

    private func ownName() -> ViewerHostname? {
        guard let folder = settings.nameFolder else { return nil }
        do throws(SystemError) {
            return try ViewerHostname(folder: folder)
        } catch {
            log.warning("the pages are at 127.0.0.1, since their own name could not be kept: \(error)")
            return nil
        }
    }

    public var port: UInt16? { servers.first?.port }

    /// Where other agents on the network reach the viewer: IP addresses with the port.
    public var networkAddresses: [String] {
        guard let port else { return [] }
        return (settings.network?.hosts ?? []).filter { IPAddress($0.filter { !"[]".contains($0) }) != nil }.map { "\($0):\(port)" }
    }

    /// An address that lets one browser in, once, within the next minute; `nil` while the viewer is not listening.
    public func invite(to place: ViewerPlace = .plans) -> String? { invitation(to: place)?.address }

    /// An address that lets one browser in, with a way to find out when it is no longer valid; `nil` while the viewer is not listening.
    public func invitation(to place: ViewerPlace) -> Invitation? {
        port.map { invitations.invite(to: place, at: host, port: $0) }
    }

    /// An address that lets one network browser in, once, within a few minutes; `nil` if no such browser can reach the viewer.
    public func tabletInvitation(to place: ViewerPlace) -> Invitation? {
        port.flatMap { invitations.inviteTablet(to: place, port: $0) }
    }

    /// The signed-in browsers on the network, in order of sign-in.
    public var browsers: [ViewerBrowser] { sessions.browsers }

    /// Signs out a browser on the network immediately. Returns whether there was one with this id.
    public func end(browser id: String) -> Bool {
        guard sessions.end(id) else { return false }
        hub.connectAnew()
        return true
    }

    /// Keeps these people on the network from signing in, with a token or a code, until the next call. Existing sessions continue.
    public func close(to door: ClosedDoor) { sessions.closed = door }

    /// Sets the function that is called before each check of a token that a browser sends.
    public func beforeSignIn(_ check: @escaping @LoopActor () -> Void) { entrance?.lookAtFiles = check }

    /// Takes over settings that differ only in the guests' token, so that only guests have to sign in again. Returns whether the
    /// settings were taken over.
    public func adopt(guestsOf fresh: ViewerSettings) -> Bool {
        var alike = fresh
        alike.network?.guestToken = settings.network?.guestToken
        guard alike == settings, fresh != settings, let entrance else { return false }
        entrance.adopt(guestToken: fresh.network?.guestToken)
        settings = fresh
        endAll(.guests)
        return true
    }

    /// Signs out these people's browsers on the network immediately.
    public func endAll(_ door: ClosedDoor) {
        if sessions.end(door) { hub.connectAnew() }
    }

    /// How many free ports are tried if the configured port is 0: one is rarely free on 127.0.0.1 but not on ::1.
    private static let mostTries = 8

    /// For a few browsers with a few tabs, each with one event stream and a few parallel requests. The longest requests are marks
    /// drawn while no agent was reachable: an hour of constant writing fits into a few of them.
    private static let limits = WebLimits(
        connections: 64, strangers: 16, connectionMemory: 32 << 10, body: 1 << 20, idle: .seconds(30), arrival: .seconds(5),
        eventStreams: 32)
}
