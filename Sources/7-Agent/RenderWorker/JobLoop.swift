import CShims
import Glibc
import Model
import PageRaster
import Platform
import Rendering

/// Takes one job after the other from the socket and answers each.
struct JobLoop {
    private let socket: Int32
    /// The gaps in the sandbox.
    private let gaps: [SandboxGap]
    private let workshop = Workshop()

    /// After this long without a job, memory that is kept for the next one is released.
    private static let restAfterMilliseconds: Int32 = 2000

    init(socket: Int32, gaps: [SandboxGap]) { (self.socket, self.gaps) = (socket, gaps) }

    /// Returns when the parent closes the socket, or when an answer cannot be sent.
    func run() {
        while let message = try? MessageSocket.receive(from: socket) {
            let reply = answer(message.bytes, files: message.files.numbers)
            guard let bytes = try? reply.encoded(), (try? MessageSocket.send(bytes, descriptors: [], over: socket)) != nil else { return }
            restUnlessBusy()
        }
    }

    /// The folders of fonts that the sandbox hides. They are determined only on request, since reading fontconfig's rules takes
    /// longer than starting the worker.
    private func fontGaps() -> [SandboxGap] {
        let allowed = FontPaths.all { name in getenv(name).map { String(cString: $0) } }.map { path in
            realpath(path, nil).map { real in
                defer { free(real) }
                return String(cString: real)
            } ?? path
        }
        return FontPaths.gaps(named: FontFolders.named(), within: allowed)
    }

    /// Releases memory once after a pause, and then sleeps until the next job.
    private func restUnlessBusy() {
        var socket = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&socket, 1, Self.restAfterMilliseconds) == 0 { woodshed_give_memory_back() }
    }

    private func answer(_ bytes: [UInt8], files: [Int32]) -> ReplyMessage {
        var number = 0
        do throws(RenderFailure) {
            let message = try JobMessage(bytes: bytes)
            number = message.number
            switch message.job {
            case .hello: return ReplyMessage(number: number, reply: .hello(.thisProcess, gaps: gaps + fontGaps()))
            case .describe:
                let warnings = try workshop.describe(files)
                return ReplyMessage(number: number, reply: .described, warnings: warnings)
            case .render(let order):
                let warnings = try workshop.render(order, files)
                return ReplyMessage(number: number, reply: .rendered, warnings: warnings)
            case .compose(let order):
                let warnings = try workshop.compose(order, files)
                return ReplyMessage(number: number, reply: .rendered, warnings: warnings)
            case .part(let order): return ReplyMessage(number: number, reply: try workshop.part(order, files))
            case .annotations: return ReplyMessage(number: number, reply: try workshop.annotations(files))
            case .follow: return ReplyMessage(number: number, reply: try workshop.follow(files))
            case .song:
                let (reply, remarks) = try workshop.song(files)
                return ReplyMessage(number: number, reply: reply, warnings: remarks)
            case .picture: return ReplyMessage(number: number, reply: try workshop.picture(files))
            case .bind: return ReplyMessage(number: number, reply: try workshop.bind(files))
            }
        } catch {
            return ReplyMessage(number: number, reply: .failed(error))
        }
    }
}
