import Platform

/// A page that was selected and is waited for.
@LoopActor
final class Selection {
    typealias Answer = Result<ShownPage, ShowFailure>

    let request: PageRequest
    private var answer: Answer?
    private var waiters: [CheckedContinuation<Answer, Never>] = []
    /// Finds the page.
    private var task: Task<Void, Never>?

    init(_ request: PageRequest) {
        self.request = request
    }

    /// Whether nobody waits for it any more.
    var isAnswered: Bool { answer != nil }

    func begin(_ body: @escaping @Sendable @LoopActor (Selection) async -> Answer) {
        task = spawn { [self] in settle(await body(self)) }
    }

    /// Answers everybody who waits, once, and breaks off what is still under way.
    func settle(_ answer: Answer) {
        guard self.answer == nil else { return }
        self.answer = answer
        task?.cancel()
        for waiter in waiters { waiter.resume(returning: answer) }
        waiters = []
    }

    /// Waits for the answer. A caller who goes away meanwhile changes nothing: the musician has gone to that page.
    func answered() async throws(ShowFailure) -> ShownPage {
        let heard = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            if let answer { continuation.resume(returning: answer) } else { waiters.append(continuation) }
        }
        return try heard.get()
    }

    /// Waits until none of its work is under way.
    func ended() async { await task?.value }
}
