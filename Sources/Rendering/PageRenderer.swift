public import Model
public import Platform

/// What draws pages; a simulated one stands in for it in tests.
@LoopActor
public protocol PageRenderer: AnyObject {
    /// How many jobs run at once; more of them wait in the order in which they came.
    var width: Int { get }

    /// Names everything about the renderer that changes pixels.
    func identity() async throws(RenderFailure) -> RendererIdentity

    /// Opens the PDF at `path` and measures its pages.
    func describe(chart path: String) async throws(RenderFailure) -> ChartDescription

    /// Draws one page and writes the images asked for. Nobody writes to their descriptors any more when it returns.
    ///
    /// A task that is cancelled while its job waits gets `cancelled`; a job that runs is seen through.
    func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome

    /// Ends everything; jobs that run or wait fail with `stopped`, as do all that come later.
    func stop() async
}
