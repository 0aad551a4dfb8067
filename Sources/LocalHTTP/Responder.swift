import Synchronization

/// Who owes an answer; given by `WebReply.later`. One that is let go of without an answer says 503.
public final class Responder: Sendable {
    private let ticket: Ticket

    init(_ ticket: Ticket) {
        self.ticket = ticket
    }

    deinit {
        ticket.answer(.text(status: 503, "No answer.\n"))
    }

    /// Answers, from any thread; only the first answer counts, and one to a client that is gone costs nothing.
    public func answer(_ reply: WebReply) {
        ticket.answer(reply)
    }

    /// Sets what is called, once, when the client goes away before the answer or the server stops; at once if that has been.
    public func onGone(_ action: @escaping @Sendable () -> Void) {
        ticket.onGone(action)
    }
}

/// What a responder and the server know of one request that waits.
final class Ticket: Sendable {
    private struct State {
        var isAnswered = false
        var isGone = false
        var onGone: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let number: Int
    private let mailbox: Mailbox

    init(number: Int, mailbox: Mailbox) {
        self.number = number
        self.mailbox = mailbox
    }

    func answer(_ reply: WebReply) {
        let isFirst = state.withLock { state in
            defer {
                state.isAnswered = true
                state.onGone = nil
            }
            return !state.isAnswered
        }
        if !isFirst || !mailbox.post(.answer(number, reply)) { reply.abandon() }
    }

    func onGone(_ action: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.isGone, !state.isAnswered { state.onGone = action }
            return state.isGone
        }
        if isGone { action() }
    }

    /// The client has gone, or the server goes. Does nothing after an answer.
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
