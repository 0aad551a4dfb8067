import Glibc
import Platform

/// Equal jobs are one order: the worker writes the first caller's files, and the other callers get copies.
extension Order {
    /// Whether it can serve another caller: its files must be readable to be copied.
    var canBeShared: Bool {
        identity != nil && !isAbandoned && outputs.numbers.allSatisfy { fcntl($0, F_GETFL) & O_ACCMODE == O_RDWR }
    }

    /// Adds a caller.
    func join(_ request: Request) {
        request.order = self
        requests.append(request)
    }

    /// Removes a caller, to whose files nothing is copied any more.
    func leave(_ request: Request) {
        requests.removeAll { $0 === request }
        request.finish(.failure(.cancelled))
    }

    /// Answers everybody who waits, once each has its bytes; only the first result counts.
    func finish(_ result: Result<ReplyMessage, RenderFailure>) {
        let result: Result<ReplyMessage, RenderFailure> = isAbandoned ? .failure(.cancelled) : result
        let answers = requests.map { ($0, answer(to: $0, result)) }
        requests = []
        for (request, result) in answers { request.finish(result) }
    }

    private func answer(to request: Request, _ result: Result<ReplyMessage, RenderFailure>) -> Result<ReplyMessage, RenderFailure> {
        guard !request.broughtFiles, case .success(let reply) = result, case .rendered = reply.reply else { return result }
        for (source, target) in zip(outputs.numbers, request.outputs) {
            if let code = Self.copy(source, to: target) { return .failure(.cannotWrite(code)) }
        }
        return result
    }

    /// Copies an image; usually less than a megabyte, which is faster than handing it to another thread. Answers what went wrong.
    private static func copy(_ source: Int32, to target: Int32) -> Int32? {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var offset: off_t = 0
        while true {
            let count = pread(source, &chunk, chunk.count, offset)
            if count == 0 { return ftruncate(target, offset) == 0 || errno == EINVAL ? nil : errno }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            var written = 0
            while written < count {
                let more = chunk.withUnsafeBytes { pwrite(target, $0.baseAddress! + written, count - written, offset + off_t(written)) }
                if more < 0, errno != EINTR { return errno }
                written += max(more, 0)
            }
            offset += off_t(count)
        }
    }
}
