package import Platform

/// Requests to determine the wanted images again. They may come from anywhere, in any number; one run serves all requests so far.
@LoopActor
package final class LookRequests {
    private let hints: PacedHints
    private var look: @Sendable @LoopActor () async -> Void = {}

    package init(time: any TimeKeeper) { hints = PacedHints(time: time) }

    /// Sets the function that a request calls.
    package func follow(by look: @escaping @Sendable @LoopActor () async -> Void) { self.look = look }

    package func soon() { hints.hint(look) }

    /// For hints that come in large numbers: the runs of `look` are paced, so that they take only a small share of the time.
    package func patiently() { hints.hintPatiently(look) }

    package var isQuiet: Bool { hints.isQuiet }

    /// Waits until every request has been served.
    package func quiet() async { await hints.quiet() }
}
