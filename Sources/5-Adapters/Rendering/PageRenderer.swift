public import Model
public import Platform

/// Draws pages; a simulated one replaces it in tests.
@LoopActor
public protocol PageRenderer: AnyObject {
    /// How many jobs run at once in the background; further ones wait in the order in which they came.
    var width: Int { get }

    /// Identifies everything about the renderer that affects pixels.
    func identity() async throws(RenderFailure) -> RendererIdentity

    func describe(chart path: String) async throws(RenderFailure) -> ChartDescription

    /// Draws one page and writes the images asked for. When it returns, their descriptors are no longer written to.
    ///
    /// A job that equals one which is waiting or running is not done twice: its images are copied from that one's, in whichever lane; a job
    /// that is still waiting moves to the live lane with the first caller there.
    ///
    /// A task that is cancelled gets `cancelled`: at once while its job is waiting, within moments while it is running. If others wait
    /// for the same job, it continues for them, and may go on writing to files that the first caller opened for it.
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Makes an annotated image from the plain one and a former annotated one: only what differs is painted. The image is byte for byte
    /// what `render` makes of the same page and marks. Otherwise like `render`.
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Prepares the live lane, so that the next job there does not have to wait for a process to start.
    func warm()

    var processCount: Int { get }

    /// Releases what is kept for later jobs; the next job takes longer.
    func rest()

    /// Ends everything; jobs that are running or waiting fail with `stopped`, as do all later ones.
    func stop() async
}

extension PageRenderer {
    /// None, for renderers that need none.
    public var processCount: Int { 0 }

    public func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome { try await render(job, in: .background) }

    public func compose(_ job: ComposeJob) async throws(RenderFailure) -> PageOutcome { try await compose(job, in: .background) }
}

/// Which processes do a job: pages that a screen waits for do not queue behind those rendered ahead.
public enum RenderLane: Hashable, Sendable, CaseIterable {
    /// A screen waits for it: done by a process of its own, at normal priority.
    case live
    /// Made ahead, with computing time that is not needed otherwise.
    case background
}
