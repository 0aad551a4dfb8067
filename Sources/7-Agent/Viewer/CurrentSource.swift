import LocalHTTP
import Model
import Platform
import Synchronization

/// The agent behind the viewer. While the agent restarts there is none, and requests wait.
@LoopActor
final class CurrentSource {
    private var source: (any ViewerSource)?
    private nonisolated let held: Mutex<(any ViewerImages)?> = Mutex(nil)
    private let waiters = Waiters()
    private var isOver = true

    nonisolated init() {}

    /// The agent's access to existing images, for the server's thread; `nil` while there is no agent.
    nonisolated var images: (any ViewerImages)? { held.withLock { $0 } }

    /// The agent, as soon as there is one; `nil` if no other agent will come.
    func current() async -> (any ViewerSource)? {
        while source == nil, !isOver { await waiters.wait { source != nil || isOver } }
        return source
    }

    /// Switches to this source.
    func set(_ source: any ViewerSource, _ images: any ViewerImages) {
        isOver = false
        self.source = source
        held.withLock { $0 = images }
        waiters.wake()
    }

    /// Removes the source; requests wait for another.
    func rest() {
        source = nil
        held.withLock { $0 = nil }
    }

    /// Ends all waiting: no other source will come.
    func end() {
        rest()
        isOver = true
        waiters.wake()
    }
}

/// Sends requests to the source, on the loop, if the server's thread cannot answer them.
@LoopActor
final class Answers {
    private let source: CurrentSource
    private let log: Log

    nonisolated init(source: CurrentSource, log: Log) { (self.source, self.log) = (source, log) }

    /// A reply prepared on the loop; if the browser disconnects, the work is cancelled.
    nonisolated func later(_ work: @escaping @Sendable @LoopActor (any ViewerSource) async throws -> WebReply) -> WebReply {
        .later { [self] responder in
            let task = spawn { responder.answer(await self.reply(work).fenced) }
            responder.onGone { task.cancel() }
        }
    }

    private func reply(_ work: @LoopActor (any ViewerSource) async throws -> WebReply) async -> WebReply {
        do {
            guard let source = await source.current() else { return .refusal(503, "Woodshed is shutting down.") }
            // A browser that gave up while the agent restarted was told that its wish failed.
            guard !Task.isCancelled else { return .refusal(503, "Nobody waits for the answer.") }
            return try await work(source)
        } catch let refusal as Trouble {
            return refusal.reply
        } catch {
            log.warning("a request could not be answered: \(error)")
            return .refusal(500, "Woodshed could not answer.")
        }
    }
}
