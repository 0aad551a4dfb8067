import LocalHTTP
import Platform

/// Asks the source, on the loop, for what the server's thread cannot answer.
@LoopActor
final class Answers {
    private let source: CurrentSource
    private let log: Log

    nonisolated init(source: CurrentSource, log: Log) {
        self.source = source
        self.log = log
    }

    /// A reply that the loop works out; if the browser goes away meanwhile, the work is cancelled.
    nonisolated func later(_ work: @escaping @Sendable @LoopActor (any ViewerSource) async throws -> WebReply) -> WebReply {
        .later { [self] responder in
            let task = spawn { responder.answer(await self.reply(work).fenced) }
            responder.onGone { task.cancel() }
        }
    }

    private func reply(_ work: @LoopActor (any ViewerSource) async throws -> WebReply) async -> WebReply {
        do {
            guard let source = await source.current() else { return .refusal(503, "Woodshed is shutting down.") }
            return try await work(source)
        } catch let refusal as ViewerRefusal {
            return refusal.reply
        } catch {
            log.warning("a request could not be answered: \(error)")
            return .refusal(500, "Woodshed could not answer.")
        }
    }
}
