package import Agent
import Catalogue
import CShims
package import CommandLine
package import Configuration
import Glibc
import HTTPClient
import Library
import LocalHTTP
package import Platform

/// Sends requests to the running agent over its control socket.
@LoopActor
package final class ControlClient {
    /// The id of the agent's process.
    package let process: Int32
    private let transport: CurlTransport
    private let clock: any TimeKeeper

    private init(socket: String, process: Int32, clock: any TimeKeeper) {
        (self.process, self.clock) = (process, clock)
        var limits = CurlLimits()
        // A slow response is no failure: an agent busy with long work sends little.
        limits.slowestBytesPerSecond = 0
        transport = CurlTransport(
            userAgent: Release.userAgent, allowsInsecureLoopback: true, unixSocket: socket, limits: limits, time: clock)
    }

    isolated deinit {
        transport.close()
    }

    /// The agent that listens in this runtime folder; nil if none does.
    package static func find(_ paths: Paths, clock: any TimeKeeper = SystemClock()) -> ControlClient? {
        find(runtime: paths.runtime, library: paths.data, clock: clock)
    }

    package static func find(runtime: String, library: String, clock: any TimeKeeper = SystemClock()) -> ControlClient? {
        let path = ControlDesk.socket(in: runtime, library: library)
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Descriptor(owning: Glibc.socket(AF_UNIX, flags, 0))
        var process: pid_t = 0
        var user: uid_t = 0
        // A socket opened by another user does not belong to our agent.
        guard let address = UnixAddress(path), address.connect(socket.number),
            woodshed_peer(socket.number, &process, &user) == 0, user == geteuid()
        else { return nil }
        return ControlClient(socket: path, process: process, clock: clock)
    }

    /// The failure to report if an agent is running but does not respond; nil if no agent is running or it has no socket yet.
    package static func lost(_ paths: Paths) -> CommandFailure? {
        guard let process = AgentLock.runner(in: paths.data), let socket = AgentLock.socket(in: paths.data) else { return nil }
        let expected = ControlDesk.socket(in: paths.runtime, library: paths.data)
        var status = stat()
        let advice =
            if socket == expected, stat(paths.runtime, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
                "\(paths.runtime) is a file where its runtime folder belongs. Move that file away, and \(AgentLock.restarting(process))"
            } else if socket == expected {
                "\(socket) does not answer. If it was removed, the agent opens it again: try again in a moment, otherwise \(AgentLock.restarting(process))"
            } else {
                "it listens on \(socket), but this command tried \(expected). Give both the same XDG_RUNTIME_DIR and configuration"
            }
        return CommandFailure(.locked, "an agent is running (process \(process)) but cannot be reached: \(advice)".printable)
    }

    /// How long an agent may send nothing. It normally reports every few seconds, unless the machine is busy or its disk hangs.
    package nonisolated static let patience: Duration = .seconds(60)

    /// Sends a request and returns the JSON response, however long that takes. Fails if nothing arrives for `patience`.
    package func ask(
        _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)] = [], body: [UInt8] = [],
        patience: Duration = .seconds(10), onProgress: @escaping @LoopActor (Progress) -> Void = { _ in }
    ) async throws(ControlFailure) -> [UInt8] {
        let parameters = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        let url = "http://localhost" + path + (parameters.isEmpty ? "" : "?" + parameters)
        let request = HTTPRequest(method, url, body: body, maximumBytes: Self.mostBytes, timeout: Self.longest)
        let lines = AnswerLines(onProgress)
        let response = try await exchange(request, patience, lines)
        guard (200..<300).contains(response.status) else {
            throw .refused(status: response.status, Self.reason(String(decoding: response.body, as: UTF8.self)))
        }
        let isInLines = response.headers["content-type"] == ControlReply.lines
        let answer = isInLines ? lines.last : lines.all
        if isInLines, let refusal = ControlRefusal(line: answer) {
            throw .refused(status: refusal.status, Self.reason(refusal.description))
        }
        return answer
    }

    /// No response is larger.
    private static let mostBytes = 64 << 20
    /// No work takes longer. A user who has waited long enough presses Ctrl-C.
    private static let longest: Duration = .seconds(14 * 86_400)

    private static func reason(_ text: String) -> String { String(text.split(separator: "\n").first ?? "no reason given") }

    private func exchange(_ request: HTTPRequest, _ patience: Duration, _ lines: AnswerLines) async throws(ControlFailure) -> HTTPResponse {
        let start = clock.now
        let silence = SilenceWatch(clock, patience)
        let sending = spawn { [transport] () -> Result<HTTPResponse, HTTPFailure> in
            do throws(HTTPFailure) {
                return .success(
                    try await transport.send(request) { piece in
                        silence.noteWord()
                        lines.receive(piece)
                        return true
                    })
            } catch {
                return .failure(error)
            }
        }
        silence.begin { sending.cancel() }
        let result = await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            sending.cancel()
        }
        silence.end()
        do throws(HTTPFailure) {
            return try result.get()
        } catch {
            if silence.isTooLong { throw .noAnswer(process: process, patience: patience) }
            throw error.kind == .unreachable ? .gone(process: process) : .brokeOff(process: process, after: clock.now - start)
        }
    }

    /// Notifies a running agent that the library was changed. If that fails, nothing is lost: the agent checks regularly. If no agent
    /// is running, backs up the user's choices here, since they exist nowhere else.
    package static func reportChange(_ paths: Paths, _ context: CommandContext) async {
        guard let client = find(paths, clock: context.clock) else {
            if let failure = lost(paths) { return context.output.message("Done, but the agent could not be told: \(failure.message)") }
            // A failure of the backup is ignored, for example on a full disk: the change itself has been made.
            try? Library.backUpChoices(inLibraryAt: paths.data, at: context.clock.timestamp)
            return
        }
        do throws(ControlFailure) {
            _ = try await client.ask(.post, "/v1/changed")
        } catch {
            context.output.message("Done, but the agent could not be told: \(error)".printable)
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

extension ControlClient {
    /// Lets the agent do a command's work, however long that takes, and returns the command's output. An agent that hangs is found out
    /// first, as fast as by any question: the work itself may be silent for longer.
    package func command(
        _ path: String, query: [(name: String, value: String)] = [], onProgress: @escaping @LoopActor (Progress) -> Void = { _ in }
    ) async throws(CommandFailure) -> CommandAnswer {
        let json: [UInt8]
        do {
            _ = try await ask(.get, "/v1/status")
            json = try await ask(.post, path, query: query, patience: Self.patience, onProgress: onProgress)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        return try CommandAnswer(json: json)
    }
}

/// Why a request to the running agent failed.
package enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The agent has just ended.
    case gone(process: Int32)
    /// Nothing arrived from the agent for `patience`.
    case noAnswer(process: Int32, patience: Duration)
    /// The connection broke off during the response.
    case brokeOff(process: Int32, after: Duration)
    /// The agent refused the request for this reason.
    case refused(status: Int, String)

    package var description: String {
        switch self {
        case .gone(let process): "the agent (process \(process)) has just stopped"
        case .noAnswer(let process, let patience):
            "the agent (process \(process)) has not answered for \(Self.seconds(patience)); if it hangs, \(AgentLock.restarting(process, hangs: true))"
        case .brokeOff(let process, let time):
            "the agent (process \(process)) broke off after \(Self.seconds(time)): it stopped, or reloaded its configuration. What was complete by then is kept; try again"
        case .refused(_, let reason): reason
        }
    }

    private static func seconds(_ duration: Duration) -> String { max(Int(duration.components.seconds), 1).counted("second") }
}

/// Collects an agent's response as it arrives, and reports progress if the response consists of lines.
@LoopActor
final class AnswerLines {
    /// All bytes received so far.
    private(set) var all: [UInt8] = []
    /// How many bytes have been passed on as complete lines.
    private var printed = 0
    private let onProgress: @LoopActor (Progress) -> Void

    init(_ onProgress: @escaping @LoopActor (Progress) -> Void) { self.onProgress = onProgress }

    /// The last line, which contains the result.
    var last: [UInt8] { all.split(separator: Self.end).last.map(Array.init) ?? [] }

    func receive(_ piece: UnsafeRawBufferPointer) {
        var searched = all.count
        all += piece
        while let end = all[searched...].firstIndex(of: Self.end) {
            let line = all[printed..<end]
            if line.count <= Self.longest, let progress = ControlProgress(line: Array(line))?.progress { onProgress(progress) }
            (printed, searched) = (end + 1, end + 1)
        }
    }

    /// No progress line is longer, but the result may be.
    private static let longest = 4096
    private static let end = UInt8(ascii: "\n")
}

/// Detects that nothing has arrived for too long.
@LoopActor
final class SilenceWatch {
    private let clock: any TimeKeeper
    private let patience: Duration
    private var lastWord: Moment
    private let alarm: Alarm
    private(set) var isTooLong = false

    init(_ clock: any TimeKeeper, _ patience: Duration) {
        (self.clock, self.patience, alarm) = (clock, patience, Alarm(clock))
        lastWord = clock.now
    }

    /// Calls `action` when nothing has arrived for `patience`.
    func begin(_ action: @escaping @LoopActor () -> Void) {
        let deadline = lastWord + patience
        alarm.set(at: deadline) { [self] in
            let late = clock.now - deadline
            if late > min(Self.sleep, patience / 4) { lastWord = clock.now }
            guard clock.now - lastWord >= patience else { return begin(action) }
            isTooLong = true
            action()
        }
    }

    /// If the timer fires later than this, or later than a quarter of the patience, the machine was asleep or this process was too
    /// busy to read. Neither is the agent's fault, so the wait starts again.
    private static let sleep: Duration = .seconds(5)

    func noteWord() { lastWord = clock.now }

    func end() { alarm.cancel() }
}
