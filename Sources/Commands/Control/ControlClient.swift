import Agent
import CShims
import Glibc
import HTTPClient
import LocalHTTP
import Platform

/// Asks the running agent over its control socket.
@LoopActor
final class ControlClient {
    /// The agent's process.
    let process: Int32
    private let transport: CurlTransport

    private init(socket: String, process: Int32, clock: any TimeKeeper) {
        self.process = process
        transport = CurlTransport(userAgent: Woodshed.userAgent, allowsInsecureLoopback: true, unixSocket: socket, time: clock)
    }

    isolated deinit {
        transport.close()
    }

    /// The agent that listens in this runtime folder; `nil` when none does.
    static func find(_ paths: Paths, clock: any TimeKeeper = SystemClock()) -> ControlClient? {
        find(runtime: paths.runtime, library: paths.data, clock: clock)
    }

    static func find(runtime: String, library: String, clock: any TimeKeeper = SystemClock()) -> ControlClient? {
        let path = ControlDesk.socket(in: runtime, library: library)
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Descriptor(owning: Glibc.socket(AF_UNIX, flags, 0))
        var process: pid_t = 0
        var user: uid_t = 0
        // Only what our own user made is our agent.
        guard let address = UnixAddress(path), address.connect(socket.number),
            woodshed_peer(socket.number, &process, &user) == 0, user == geteuid()
        else { return nil }
        return ControlClient(socket: path, process: process, clock: clock)
    }

    /// What is to be said where nobody was found although an agent runs; `nil` where none does.
    static func lost(_ paths: Paths) -> CommandFailure? {
        guard let process = AgentLock.runner(in: paths.data), let socket = AgentLock.socket(in: paths.data) else { return nil }
        let expected = ControlDesk.socket(in: paths.runtime, library: paths.data)
        let advice =
            if socket == expected {
                "\(socket) does not answer. It opens that anew by itself when it was removed: try again in a moment, else end it with 'kill \(process)' and start it again"
            } else {
                "it listens at \(socket), and this command asks at \(expected). Give both the same XDG_RUNTIME_DIR and configuration"
            }
        return CommandFailure(.locked, "an agent runs (process \(process)) but cannot be reached: \(advice)".printable)
    }

    /// Asks, and answers the JSON that comes. `patience` is how long the agent may take.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)] = [], body: [UInt8] = [],
        patience: Duration = .seconds(10)
    ) async throws(ControlFailure) -> [UInt8] {
        let parameters = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        let url = "http://localhost" + path + (parameters.isEmpty ? "" : "?" + parameters)
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await transport.send(HTTPRequest(method, url, body: body, timeout: patience))
        } catch {
            throw error.kind == .unreachable ? .gone(process: process) : .noAnswer(process: process, patience: patience)
        }
        guard (200..<300).contains(response.status) else {
            let text = String(decoding: response.body, as: UTF8.self)
            throw .refused(status: response.status, String(text.split(separator: "\n").first ?? "no reason given"))
        }
        return response.body
    }

    /// Tells the agent, if one runs, that the library was changed. It looks by itself before long, so nothing is lost without.
    static func tellChange(_ paths: Paths, _ context: CommandContext) async {
        guard let client = find(paths, clock: context.clock) else {
            if let failure = lost(paths) { context.output.message("It is done, but the agent was not told: \(failure.message)") }
            return
        }
        do throws(ControlFailure) {
            _ = try await client.ask(.post, "/v1/changed")
        } catch {
            context.output.message("It is done, but the agent was not told: \(error)".printable)
        }
    }

    private static func encoded(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
