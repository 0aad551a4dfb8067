import Glibc
import LocalHTTP
package import Model
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
    public static let personID = "104"

    /// The ids of all plans that any stand-in of the band's has.
    public static let planIDs = Set(DemoState.initial(now: Stamp(seconds: 0)).plans.map(\.id))

    /// The address of the API: `http://127.0.0.1:<port>/services/v2`.
    public let apiURL: String
    /// The address of the annotation extension: `http://127.0.0.1:<port>/annotations/v1`.
    public let annotationsURL: String
    /// The root of the file server.
    package let fileRoot: String
    /// The address for edits, as `POST <controlURL>/edit`: `http://127.0.0.1:<port>/control/<key>`. Knowing it is enough to edit.
    public let controlURL: String

    private let backend: DemoBackend
    private let apiServer: WebServer
    private let fileServer: WebServer

    /// Starts both servers; the API's port 0 takes any free one.
    ///
    /// `load` is for measuring, instead of the band's plans; their services begin at ten where the clocks are `secondsFromUTC` ahead. The
    /// clock's day at the start decides the dates of the plans, and it drives limits and expiry. `onEdit` is called with one line for each
    /// edit, on the thread that made it.
    package static func start(
        port: UInt16 = 0, limit: RateLimit = .generous, load: DemoLoad? = nil, secondsFromUTC: Int? = nil,
        clock: @escaping @Sendable () -> Duration = { systemTime() }, gate: (any DemoGate)? = nil,
        onEdit: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(Trouble) -> DemoService {
        let backend = DemoBackend(
            clock: clock, limit: limit, load: load, secondsFromUTC: secondsFromUTC, gate: gate, onEdit: onEdit)
        do throws(Trouble) {
            return DemoService(
                backend: backend, apiServer: try WebServer(port: port) { backend.answerAPI($0) },
                fileServer: try WebServer { backend.answerFile($0) })
        } catch {
            throw Trouble("cannot start the demo service: \(error)")
        }
    }

    private init(backend: DemoBackend, apiServer: WebServer, fileServer: WebServer) {
        (self.backend, self.apiServer, self.fileServer) = (backend, apiServer, fileServer)
        let root = "http://127.0.0.1:\(apiServer.port)"
        fileRoot = "http://127.0.0.1:\(fileServer.port)"
        apiURL = root + "/services/v2"
        annotationsURL = root + "/annotations/v1"
        controlURL = root + "/control/" + backend.key.revealed
        backend.inner.withLock { [fileRoot] in
            $0.root = root
            $0.fileRoot = fileRoot
        }
    }

    /// Stops both servers, even in the middle of an answer; does nothing the second time.
    public func stop() {
        apiServer.stop()
        fileServer.stop()
    }

    /// Makes an edit without HTTP; returns a line about it.
    @discardableResult
    package func edit(_ edit: DemoEdit) throws(Trouble) -> String { try backend.apply(edit) }

    package var state: DemoState { backend.inner.withLock(\.state) }
}

extension DemoService {
    /// This machine's wall time since 1970.
    public static func systemTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
