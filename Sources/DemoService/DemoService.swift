import LocalHTTP
public import Platform
import Synchronization

/// A stand-in for the service that plans come from, on this machine: an API, signed files on a second port, annotations, and a
/// control path through which its state is edited while it runs.
///
/// The same day gives the same state. It stops with `stop()` or when it is let go.
public final class DemoService: Sendable {
    /// What the stand-in asks for, `application id:secret`; the same for every one of them.
    public static let token = Secret("\(applicationID):\(secret)")
    /// The first half of the token.
    public static let applicationID = "woodshed-demo"
    /// The second half of the token. It opens nothing but stand-ins, so it may be known.
    public static let secret = "for-practice-only"
    /// The musician whose token it is.
    public static let personID = "104"

    /// Where the API is: `http://127.0.0.1:<port>/services/v2`.
    public let apiURL: String
    /// Where the annotation extension is: `http://127.0.0.1:<port>/annotations/v1`.
    public let annotationsURL: String
    /// Where edits go, as `POST <controlURL>/edit`: `http://127.0.0.1:<port>/control/<key>`. Whoever knows it may edit.
    public let controlURL: String

    private let backend: DemoBackend
    private let apiServer: WebServer
    private let fileServer: WebServer

    /// Starts both servers.
    ///
    /// - Parameters:
    ///   - port: of the API; 0 takes any that is free.
    ///   - limit: how many requests are answered in a period; the real service's own limit by default.
    ///   - servesAnnotations: without it the annotation extension answers 404, as the real service does.
    ///   - load: plans and charts for measuring, in place of the band's.
    ///   - clock: wall time since 1970; its day decides the dates of the plans, later it moves limits and expiry.
    ///   - onEdit: told in one line of each edit made over the control path or `edit`, on the thread that made it.
    /// - Returns: the running service.
    /// - Throws: `DemoServiceError.cannotStart` when the port is taken.
    public static func start(
        port: UInt16 = 0, limit: RateLimit = RateLimit(), servesAnnotations: Bool = true, load: DemoLoad? = nil,
        clock: @escaping @Sendable () -> Duration = { systemTime() }, onEdit: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(DemoServiceError) -> DemoService {
        let backend = DemoBackend(clock: clock, limit: limit, servesAnnotations: servesAnnotations, load: load, onEdit: onEdit)
        do throws(LocalHTTPError) {
            return DemoService(
                backend: backend, apiServer: try WebServer(port: port) { backend.answerAPI($0) },
                fileServer: try WebServer { backend.answerFile($0) })
        } catch {
            throw .cannotStart(error)
        }
    }

    private init(backend: DemoBackend, apiServer: WebServer, fileServer: WebServer) {
        self.backend = backend
        self.apiServer = apiServer
        self.fileServer = fileServer
        let root = "http://127.0.0.1:\(apiServer.port)"
        let fileRoot = "http://127.0.0.1:\(fileServer.port)"
        apiURL = root + "/services/v2"
        annotationsURL = root + "/annotations/v1"
        controlURL = root + "/control/" + backend.key.revealed
        backend.inner.withLock {
            $0.root = root
            $0.fileRoot = fileRoot
        }
    }

    /// Ends both servers, also in the midst of an answer; does nothing the second time.
    public func stop() {
        apiServer.stop()
        fileServer.stop()
    }

    /// What was asked for so far.
    public var statistics: DemoStatistics { backend.inner.withLock(\.statistics) }

    /// Counts from nothing again, but for the downloads that are under way.
    public func resetStatistics() {
        backend.inner.withLock {
            let inFlight = $0.statistics.downloadsInFlight
            $0.statistics = DemoStatistics()
            $0.statistics.downloadsInFlight = inFlight
            $0.statistics.mostDownloadsInFlight = inFlight
        }
    }

    /// Switches the annotation extension on or off.
    public func serveAnnotations(_ isOn: Bool) {
        backend.inner.withLock { $0.servesAnnotations = isOn }
    }

    /// Switches a fault on for a route, for so many requests or until it is switched off with `nil`.
    ///
    /// Over HTTP it is `POST <controlURL>/fault` with `{"route": …, "fault": …, "times": …}`.
    public func setFault(_ fault: DemoFault?, on route: DemoRoute, times: Int? = nil) {
        backend.setFault(fault, on: route, times: times)
    }

    /// An attachment's bytes as they are now; `nil` for what has none here.
    public func bytes(of attachment: String) -> [UInt8]? {
        backend.inner.withLock { $0.state.attachments.first { $0.id == attachment }?.bytes }
    }

    /// Makes an edit without the way over HTTP; says in one line what changed.
    @discardableResult
    public func edit(_ edit: DemoEdit) throws(DemoServiceError) -> String {
        try backend.apply(edit)
    }

    /// What there is, with the ids that edits name, as JSON text.
    public var listing: String { backend.inner.withLock { $0.state.listing.text } }
}
