import Glibc
public import LocalHTTP
public import Platform
import Synchronization

/// A stand-in on this machine for the service that plans come from: an API, signed files on a second port, annotations, and a
/// control path for editing its state while it runs.
///
/// On the same day it always has the same state. It stops with `stop()`, or when it is released.
public final class DemoService: Sendable {
    /// The token that the stand-in requires, `application id:secret`; the same for every stand-in.
    public static let token = Secret("\(applicationID):\(secret)")
    public static let applicationID = "woodshed-demo"
    /// The second half of the token. It is only good for stand-ins, so it need not be kept secret.
    public static let secret = "for-practice-only"
    /// The applications through which people sign in with a browser: one without a secret, and one with the same as the token's.
    public static let publicApplication = "woodshed-demo-public"
    public static let confidentialApplication = "woodshed-demo-confidential"
    public static let personID = "104"

    /// The ids of all plans that any stand-in of the band's has.
    public static let planIDs = Set(DemoState.initial(now: Stamp(seconds: 0)).plans.map(\.id))

    /// The address of the API: `http://127.0.0.1:<port>/services/v2`.
    public let apiURL: String
    /// The address of the annotation extension: `http://127.0.0.1:<port>/annotations/v1`.
    public let annotationsURL: String
    /// The address for edits, as `POST <controlURL>/edit`: `http://127.0.0.1:<port>/control/<key>`. Knowing it is enough to edit.
    public let controlURL: String

    private let backend: DemoBackend
    private let apiServer: WebServer
    private let fileServer: WebServer

    /// Starts both servers; the API's port 0 takes any free one.
    ///
    /// Without `servesAnnotations`, the annotation extension answers 404, as the real service does. `load` is for measuring, instead of the
    /// band's plans; their services begin at ten where the clocks are `secondsFromUTC` ahead. The clock's day at the start decides the dates
    /// of the plans, and it drives limits and expiry. `onEdit` is called with one line for each edit, on the thread that made it.
    public static func start(
        port: UInt16 = 0, limit: RateLimit = RateLimit(), servesAnnotations: Bool = true, load: DemoLoad? = nil, secondsFromUTC: Int? = nil,
        clock: @escaping @Sendable () -> Duration = { systemTime() }, onEdit: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(DemoServiceError) -> DemoService {
        let backend = DemoBackend(
            clock: clock, limit: limit, servesAnnotations: servesAnnotations, load: load,
            secondsFromUTC: secondsFromUTC, onEdit: onEdit)
        do throws(LocalHTTPError) {
            return DemoService(
                backend: backend, apiServer: try WebServer(port: port) { backend.answerAPI($0) },
                fileServer: try WebServer { backend.answerFile($0) })
        } catch {
            throw .cannotStart(error)
        }
    }

    private init(backend: DemoBackend, apiServer: WebServer, fileServer: WebServer) {
        (self.backend, self.apiServer, self.fileServer) = (backend, apiServer, fileServer)
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

    /// Stops both servers, even in the middle of an answer; does nothing the second time.
    public func stop() {
        apiServer.stop()
        fileServer.stop()
    }

    public var statistics: DemoStatistics { backend.inner.withLock(\.statistics) }

    /// Starts counting from zero again, except for downloads that are under way.
    public func resetStatistics() {
        backend.inner.withLock {
            let inFlight = $0.statistics.downloadsInFlight
            $0.statistics = DemoStatistics()
            $0.statistics.downloadsInFlight = inFlight
            $0.statistics.mostDownloadsInFlight = inFlight
        }
    }

    public func serveAnnotations(_ isOn: Bool) { backend.inner.withLock { $0.servesAnnotations = isOn } }

    /// Has tokens of those who sign in from now on expire after this many seconds.
    public func setSignInsLast(_ seconds: Int) { backend.inner.withLock { $0.signIns.lasts = seconds } }

    /// As if all sign-ins with a browser had been withdrawn at the service.
    public func withdrawSignIns() { backend.inner.withLock { $0.signIns.forgetAll() } }

    /// Switches a fault on for a route, for a number of requests or until it is switched off with `nil`.
    ///
    /// Over HTTP, that is `POST <controlURL>/fault` with `{"route": …, "fault": …, "times": …}`.
    public func setFault(_ fault: DemoFault?, on route: DemoRoute, times: Int? = nil) { backend.setFault(fault, on: route, times: times) }

    /// An attachment's current bytes; `nil` if it has none here.
    public func bytes(of attachment: String) -> [UInt8]? {
        backend.inner.withLock { $0.state.attachments.first { $0.id == attachment }?.bytes }
    }

    /// Makes an edit without HTTP; says in one line what changed.
    @discardableResult
    public func edit(_ edit: DemoEdit) throws(DemoServiceError) -> String { try backend.apply(edit) }

    /// Everything there is, with the ids that edits refer to, as JSON text.
    public var listing: String { backend.inner.withLock { [now = backend.now] in $0.state.listing(now: now).text } }
}

extension DemoService {
    /// This machine's wall time since 1970.
    public static func systemTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

public enum DemoServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotStart(LocalHTTPError)
    /// An edit refers to something that does not exist; the message says which ids there are.
    case unknown(String)
    case badEdit(String)

    public var description: String {
        switch self {
        case .cannotStart(let error): "cannot start the demo service: \(error)"
        case .unknown(let message), .badEdit(let message): message
        }
    }
}
