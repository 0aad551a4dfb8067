package import Platform

/// Requests that what is wanted be worked out again. Anyone may ask, any number of times; one run serves them all.
@LoopActor
package final class LookAnew {
    private let hints: PacedHints
    private var look: @Sendable @LoopActor () async -> Void = {}

    package init(time: any TimeKeeper) {
        hints = PacedHints(time: time)
    }

    /// Names who looks.
    package func follow(by look: @escaping @Sendable @LoopActor () async -> Void) { self.look = look }

    package func soon() { hints.hint(look) }

    /// For what comes in large numbers: soon, but never so often that it costs more than what came.
    package func patiently() { hints.hintPatiently(look) }

    package var isQuiet: Bool { hints.isQuiet }

    /// Waits until no wish is left to follow.
    package func quiet() async { await hints.quiet() }
}
