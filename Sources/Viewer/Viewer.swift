import LocalHTTP
public import Platform

/// The pages that a musician looks at: HTTP on 127.0.0.1, for browsers that `woodshed open` let in.
///
/// Page images and the pages' own files are answered on the server's thread; all else hops to the loop and is asked of the
/// source there.
@LoopActor
public final class Viewer {
    private let source: any ViewerSource
    private let settings: ViewerSettings
    private let clock: any TimeKeeper
    private let log: Log
    private let hub: EventHub
    private let sessions: Sessions
    private let desk: ViewerDesk
    private var server: WebServer?
    /// Of the addresses it gives.
    private var host = WebServer.loopbackNames[0]
    private var reservation: OwnName.Reservation?

    /// Makes a viewer that nobody can reach yet.
    public init(
        source: any ViewerSource, images: any ViewerImages, settings: ViewerSettings, clock: any TimeKeeper, log: Log
    ) {
        self.source = source
        self.settings = settings
        self.clock = clock
        self.log = log
        hub = EventHub(source: source)
        sessions = Sessions(path: settings.sessionsFolder.map { $0 + "/viewer-sessions" })
        desk = ViewerDesk(images: images, answers: Answers(source: source, log: log), hub: hub, sessions: sessions)
    }

    /// Begins to listen.
    public func start() throws(ViewerFailure) {
        guard server == nil else { return }
        if let folder = settings.sessionsFolder {
            do throws(SystemError) {
                try Folder.create(folder)
            } catch {
                log.warning("browsers have to be let in anew after the next start: \(error)")
            }
        }
        let name = ownName()
        let server: WebServer
        do throws(LocalHTTPError) {
            let hosts = WebServer.loopbackNames + [name?.host].compactMap(\.self)
            server = try WebServer(listening: .loopback(port: settings.port), hosts: hosts, limits: Self.limits) { [desk] request in
                desk.answer(request).fenced
            }
        } catch {
            throw ViewerFailure("the pages cannot be shown: \(error)")
        }
        self.server = server
        if let name {
            reservation = OwnName.reserve(port: server.port)
            if reservation == nil { log.warning("somebody listens on port \(server.port) of ::1, so the pages are at 127.0.0.1") }
            if reservation != nil { host = name.host }
        }
        source.setNewsHandler { [weak hub] in hub?.tell($0) }
    }

    /// Ends it; whoever waits for an answer is told that there will be none.
    public func stop() {
        guard let server else { return }
        source.setNewsHandler(nil)
        hub.close()
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
    public func invite(to place: ViewerPlace = .plans) -> String? {
        guard let server else { return nil }
        let secret = sessions.invite(to: place.path)
        _ = clock.schedule(at: clock.now + .seconds(60)) { [sessions] in sessions.withdraw(secret) }
        return "http://\(host):\(server.port)/open?secret=\(secret)"
    }

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
