import Glibc
import LocalHTTP
import Model
public import Platform

/// The agent's control socket for other processes of the same user: HTTP on a socket in the runtime folder, answered on the loop.
///
/// A request goes from the server's thread to the loop. Every few seconds, a waiting caller receives the progress of the work. If
/// the caller disconnects, the work is cancelled.
@LoopActor
public final class ControlDesk {
    public typealias Handler = @LoopActor (ControlRequest) async throws -> ControlReply

    private struct Route: Hashable {
        let method: String
        let path: String
    }

    /// The progress of the work, sent as a line of JSON until the answer is ready.
    private var progress: @LoopActor () -> ControlProgress = { ControlProgress() }
    private let log: Log
    private let time: any TimeKeeper
    private let rhythm: Duration
    private var routes: [Route: Handler] = [:]
    private var server: WebServer?
    /// The folders that determine the socket's path, and a stamp that distinguishes this socket from another one with that path.
    private var place: (runtime: String, library: String, socket: FileStamp?)?
    /// Callers who wait for their answers.
    private var waiting = 0

    /// Creates a desk without a socket. Waiting callers receive the progress once in every `rhythm`.
    public init(log: Log, time: any TimeKeeper, rhythm: Duration = .seconds(2)) { (self.log, self.time, self.rhythm) = (log, time, rhythm) }

    /// The path of the socket for a library's agent. Agents of two libraries may share a runtime folder, but not a socket.
    public nonisolated static func socket(in runtime: String, library: String) -> String {
        runtime + "/control-" + String(SHA256.digest(of: Folder.real(library)).shortHex.prefix(12))
    }

    /// Sets the function that reports the progress while callers wait.
    func setProgressSource(_ progress: @escaping @LoopActor () -> ControlProgress) { self.progress = progress }

    /// Lets `handler` answer requests with this method and path.
    public func answer(_ method: String, _ path: String, with handler: @escaping Handler) {
        routes[Route(method: method, path: path)] = handler
    }

    /// Opens the socket in the folder, which is created if necessary; both are accessible only to the user. The caller must hold
    /// the library's lock, since a dead agent's socket is replaced.
    public func open(in runtime: String, library: String) throws {
        let path = Self.socket(in: runtime, library: library)
        place = (runtime, library, nil)
        try Folder.create(runtime)
        guard chmod(runtime, 0o700) == 0 else { throw SystemError("protect", path: runtime) }
        server = try WebServer(listening: .unixSocket(path: path), limits: Self.limits) { [weak self] request in
            .later { [weak self] responder in self?.receive(request, responder) }
        }
        place?.socket = Self.stamp(ofSocket: path)
    }

    public enum Standing: Hashable, Sendable {
        /// The socket exists, or was never opened.
        case there
        /// The socket was gone, and has been opened again.
        case openedAnew
        /// The socket is gone, but an earlier caller still waits for an answer: check again later.
        case busy
    }

    /// Opens the socket again if the socket or its folder was removed, or if the socket could not be opened before. While a caller
    /// waits for an answer, leaves the socket as it is, and returns `busy`.
    public func keepOpen() throws -> Standing {
        guard let place else { return .there }
        let path = Self.socket(in: place.runtime, library: place.library)
        if server != nil, let socket = place.socket, Self.stamp(ofSocket: path) == socket { return .there }
        guard waiting == 0 else { return .busy }
        server?.stop()
        server = nil
        try open(in: place.runtime, library: place.library)
        return .openedAnew
    }

    /// A stamp that distinguishes this socket from another; `nil` if no socket has this path. The stamp stays the same, since a
    /// socket's file is only written when it is created.
    private static func stamp(ofSocket path: String) -> FileStamp? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return FileStamp(status).ofContent
    }

    /// Closes the desk, and releases the functions that answer; waiting callers receive an error.
    public func close() {
        place = nil
        routes = [:]
        progress = { ControlProgress() }
        server?.stop()
        server = nil
    }

    /// Enough for commands and a status line or two, which send few requests.
    private static let limits = WebLimits(
        connections: 32, connectionMemory: 16 << 10, body: 1 << 20, idle: .seconds(10), arrival: .seconds(5), eventStreams: 32)

    private nonisolated func receive(_ request: WebRequest, _ responder: Responder) {
        spawn { [weak self] in self?.begin(request, responder) }
    }

    private func begin(_ request: WebRequest, _ responder: Responder) {
        let answer = AwaitedAnswer(responder, every: rhythm, time) { [weak self] in self?.progress() ?? ControlProgress() }
        waiting += 1
        answer.begin {
            [weak self] in
            await self?.reply(to: request)
        } onEnd: {
            [weak self] in
            self?.waiting -= 1
        }
    }

    private func reply(to request: WebRequest) async -> ControlOutcome {
        // A HEAD is a GET whose answer has no body.
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let handler = routes[Route(method: method, path: request.path)] else {
            let others = routes.keys.filter { $0.path == request.path }.map(\.method).sorted()
            if others.isEmpty { return .refused(ControlRefusal(404, "this agent does not know \(request.path)")) }
            return .refused(ControlRefusal(405, "\(request.path) accepts only \(others.joined(separator: " or "))"), allowing: others)
        }
        do {
            return .answered(try await handler(ControlRequest(request)))
        } catch let refusal as ControlRefusal {
            return .refused(refusal)
        } catch {
            log.warning("\(method) \(request.path) of the control socket: \(error)")
            return .refused(ControlRefusal(500, "\(error)"))
        }
    }
}

extension ControlDesk {
    /// Answers requests for the agent's state, and passes changes and pauses on to the agent. `more` adds what other parts report.
    public func serve(
        _ agent: Agent, version: String, more: @escaping @LoopActor (inout AgentReport) -> Void = { _ in },
        watching: @escaping @LoopActor () -> AgentReport.Watching
    ) {
        let since = agent.core.now
        setProgressSource { [weak agent] in ControlProgress(agent?.progress) }
        answer("GET", "/v1/live") { _ in
            ControlReply(json: Array(#"{"version":"\#(version)","pid":\#(getpid()),"since":"\#(since)"}"#.utf8))
        }
        answer("GET", "/v1/status") { [weak agent] _ in
            guard let agent else { throw ControlRefusal(503, "the agent is shutting down") }
            var report = agent.report(version: version, since: since, watching: watching())
            more(&report)
            return ControlReply(json: report.json)
        }
        answer("POST", "/v1/pause") { [weak agent] request in
            // A number of seconds, up to a month.
            let seconds = try request.number("for", in: 1...31 * 86_400)
            agent?.pause(for: seconds.map { .seconds($0) })
            return ControlReply()
        }
        answer("POST", "/v1/resume") { [weak agent] _ in
            agent?.resume()
            return ControlReply()
        }
        answer("POST", "/v1/changed") { [weak agent] _ in
            agent?.noteChange()
            return ControlReply(status: 202)
        }
    }
}
