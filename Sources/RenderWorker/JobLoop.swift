import FoundationEssentials
import Model
import PageRaster
import Platform
import Rendering

/// Takes one job after the other off the socket and answers each.
struct JobLoop {
    private let socket: Int32
    private let workshop = Workshop()

    init(socket: Int32) {
        self.socket = socket
    }

    /// Returns when the parent closes the socket, or talks so that no answer is possible.
    func run() {
        while let message = try? MessageSocket.receive(from: socket) {
            let reply = answer(message.bytes, files: message.files.numbers)
            guard let bytes = try? reply.encoded(), (try? MessageSocket.send(bytes, descriptors: [], over: socket)) != nil else { return }
        }
    }

    private func answer(_ bytes: [UInt8], files: [Int32]) -> ReplyMessage {
        var number = 0
        do throws(RenderFailure) {
            let message = try JobMessage(bytes: bytes)
            number = message.number
            switch message.job {
            case .hello: return ReplyMessage(number: number, reply: .hello(.thisProcess))
            case .describe:
                let warnings = try workshop.describe(files)
                return ReplyMessage(number: number, reply: .described, warnings: warnings)
            case .render(let order):
                let warnings = try workshop.render(order, files)
                return ReplyMessage(number: number, reply: .rendered, warnings: warnings)
            }
        } catch {
            return ReplyMessage(number: number, reply: .failed(error))
        }
    }
}
