import Synchronization

/// Answers one request to which `WebReply.later` was given. If it is released without an answer, the answer is 503.
public final class Responder: Sendable {
    private struct State {
        var isAnswered = false
        var isGone = false
        var onGone: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let number: Int
    private let mailbox: Mailbox

    init(number: Int, mailbox: Mailbox) { (self.number, self.mailbox) = (number, mailbox) }

    deinit { answer(.text(status: 503, "No answer.\n")) }

    /// Answers the request, from any thread. Only the first answer counts, and answering a client that is gone does no harm.
    public func answer(_ reply: WebReply) {
        let isFirst = state.withLock { state in
            defer { (state.isAnswered, state.onGone) = (true, nil) }
            return !state.isAnswered
        }
        if !isFirst || !mailbox.post(.answer(number, reply)) { reply.abandon() }
    }

    /// Sets an action to call, once, if the client goes away or the server stops before an answer. If one of these has already
    /// happened, calls the action immediately.
    public func onGone(_ action: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.isGone, !state.isAnswered { state.onGone = action }
            return state.isGone
        }
        if isGone { action() }
    }

    /// Called when the client has gone or the server is stopping. Does nothing after an answer.
    func gone() {
        let action = state.withLock { state in
            guard !state.isAnswered else { return nil as (@Sendable () -> Void)? }
            state.isGone = true
            defer { state.onGone = nil }
            return state.onGone
        }
        action?()
    }
}
