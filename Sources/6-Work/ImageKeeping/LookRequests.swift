package import Platform

/// Requests to work out again what is wanted. Any part may ask, any number of times; one run serves them all.
@LoopActor
package final class LookRequests {
    private let hints: PacedHints
    private var look: @Sendable @LoopActor () async -> Void = {}

    package init(time: any TimeKeeper) { hints = PacedHints(time: time) }

    /// Sets the function that looks.
    package func follow(by look: @escaping @Sendable @LoopActor () async -> Void) { self.look = look }

    package func soon() { hints.hint(look) }

    /// For hints that come in large numbers: looks soon, but never so often that looking costs more than what caused it.
    package func patiently() { hints.hintPatiently(look) }

    package var isQuiet: Bool { hints.isQuiet }

    /// Waits until every hint has been followed.
    package func quiet() async { await hints.quiet() }
}
