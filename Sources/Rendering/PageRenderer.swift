public import Model
public import Platform

/// What draws pages; a simulated one stands in for it in tests.
@LoopActor
public protocol PageRenderer: AnyObject {
    /// How many jobs run at once in the background; more of them wait in the order in which they came.
    var width: Int { get }

    /// Names everything about the renderer that changes pixels.
    func identity() async throws(RenderFailure) -> RendererIdentity

    /// Opens the PDF at `path` and measures its pages.
    func describe(chart path: String) async throws(RenderFailure) -> ChartDescription

    /// Draws one page and writes the images asked for. Nobody writes to their descriptors any more when it returns.
    ///
    /// A job that equals one which waits or runs is not done twice: its images are copied from that one's, whichever lane that
    /// is in; one that only waits moves to the live lane with the first caller there.
    ///
    /// A task that is cancelled gets `cancelled`: at once while its job waits, within moments while it runs. Where others wait
    /// for the same job it goes on for them, and may write on to files that the first caller opened for it.
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Makes an annotated image of the plain one, and of the annotated one that was there before: only what differs is painted.
    /// The image is byte for byte what `render` makes of the same page and marks. Else as `render`.
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Makes the live lane ready, so that the next job there waits for no process to start.
    func warm()

    /// Gives back what is kept for later jobs; the next one takes longer.
    func rest()

    /// Ends everything; jobs that run or wait fail with `stopped`, as do all that come later.
    func stop() async
}

extension PageRenderer {
    /// Draws one page ahead of time.
    public func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome {
        try await render(job, in: .background)
    }

    /// Puts marks on a page ahead of time.
    public func compose(_ job: ComposeJob) async throws(RenderFailure) -> PageOutcome {
        try await compose(job, in: .background)
    }
}
