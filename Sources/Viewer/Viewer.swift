import LocalHTTP
public import Platform

/// The pages that a musician looks at: HTTP on 127.0.0.1, for browsers that `woodshed open` let in.
///
/// Page images and the pages' own files are answered on the server's thread; all else hops to the loop and is asked of the
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
    private var server: WebServer?
    /// Of the addresses it gives.
    private var host = WebServer.loopbackNames[0]
    private var reservation: OwnName.Reservation?

    /// Makes a viewer that nobody can reach yet.
    public init(settings: ViewerSettings, clock: any TimeKeeper, log: Log) {
        self.settings = settings
        self.clock = clock
        self.log = log
        hub = EventHub(source)
        desk = ViewerDesk(source: source, answers: Answers(source: source, log: log), hub: hub, sessions: sessions)
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
        guard server == nil else { return }
        let name = ownName()
        guard let name else {
            server = try listen(port: settings.port, name)
            return
        }
        var port = settings.port
        for _ in 0..<Self.mostTries {
            let server = try listen(port: port, name)
            if let reservation = OwnName.reserve(port: server.port) {
                self.server = server
                self.reservation = reservation
                host = name.host
                if port != settings.port {
                    log.warning("somebody listens on port \(settings.port) of ::1, so the pages are at port \(server.port)")
                }
                return
            }
            // Under its own name a browser would ask them first, and under 127.0.0.1 the cookie goes to every port.
            server.stop()
            port = 0
        }
        throw ViewerFailure("the pages cannot be shown: somebody listens on port \(settings.port) of ::1")
    }

    private func listen(port: UInt16, _ name: OwnName?) throws(ViewerFailure) -> WebServer {
        do throws(LocalHTTPError) {
            let hosts = WebServer.loopbackNames + [name?.host].compactMap(\.self)
            return try WebServer(listening: .loopback(port: port), hosts: hosts, limits: Self.limits) { [desk] request in
                desk.answer(request).fenced
            }
        } catch {
            throw ViewerFailure("the pages cannot be shown: \(error)")
        }
    }

    /// Ends it, and lets no browser in any more; whoever waits for an answer is told that there will be none.
    public func stop() {
        hub.listen(to: nil)
        source.end()
        sessions.forget()
        guard let server else { return }
        server.stop()
        self.server = nil
        reservation = nil
        host = WebServer.loopbackNames[0]
    }

    private func ownName() -> OwnName? {
        guard let folder = settings.nameFolder else { return nil }
        do throws(SystemError) {
            return try OwnName(folder: folder)
        } catch {
            log.warning("the pages are at 127.0.0.1, since their own name cannot be kept: \(error)")
            return nil
        }
    }

    /// The port it listens at, once it does.
    public var port: UInt16? { server?.port }

    /// An address that lets one browser in, once, within the next minute; `nil` while it does not listen.
    public func invite(to place: ViewerPlace = .plans) -> String? { invitation(to: place)?.address }

    /// The same with what becomes of it.
    public func invitation(to place: ViewerPlace) -> Invitation? {
        guard let server else { return nil }
        let secret = sessions.invite(to: place.path)
        _ = clock.schedule(at: clock.now + .seconds(60)) { [sessions] in sessions.withdraw(secret) }
        return Invitation(address: "http://\(host):\(server.port)/open?secret=\(secret)", secret: secret, sessions: sessions)
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
