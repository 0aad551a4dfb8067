import Glibc
import LocalHTTP
package import Model
public import Platform
import Synchronization

/// A stand-in for the service that plans come from, on this machine: an API, signed files on a second port, annotations, and a
/// control path for edits during a run.
///
/// Within a day, the state is always the same at the start. The stand-in stops with `stop()`, or when it is released.
public final class DemoService: Sendable {
    /// The token that all stand-ins require, `application id:secret`.
    public static let token = Secret("\(applicationID):\(secret)")
    public static let applicationID = "woodshed-demo"
    /// The second half of the token; not confidential, since only stand-ins accept it.
    public static let secret = "for-practice-only"
    public static let personID = "104"

    /// The ids of all plans in the band's state.
    public static let planIDs = Set(DemoState.initial(now: Stamp(seconds: 0)).plans.map(\.id))

    /// The address of the API: `http://127.0.0.1:<port>/services/v2`.
    public let apiURL: String
    /// The address of the annotation extension: `http://127.0.0.1:<port>/annotations/v1`.
    public let annotationsURL: String
    /// The root of the file server.
    package let fileRoot: String
    /// The address for edits, sent as `POST <controlURL>/edit`: `http://127.0.0.1:<port>/control/<key>`. Whoever has the address may edit.
    public let controlURL: String

    private let backend: DemoBackend
    private let apiServer: WebServer
    private let fileServer: WebServer

    /// Starts both servers; port 0 for the API takes any free port.
    ///
    /// `load` replaces the band's plans for measurements. The band's services begin at ten where the clocks are `secondsFromUTC`
    /// ahead of UTC. `clock` sets the dates of the plans, by the day at the start, and drives limits and expiry. `onEdit` is called
    /// with a line for each edit, on the thread of the edit.
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

    /// Stops both servers, even in the middle of an answer; further calls do nothing.
    public func stop() {
        apiServer.stop()
        fileServer.stop()
    }

    /// Makes an edit without HTTP; returns a line that describes it.
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
