public import Following
public import Model
public import Platform

/// Draws pages; tests use a simulated one.
@LoopActor
public protocol PageRenderer: AnyObject {
    /// How many background jobs run at the same time. Further jobs wait in the order of their arrival.
    var width: Int { get }

    /// Identifies everything about the renderer that affects pixels.
    func identity() async throws(RenderFailure) -> RendererIdentity

    func describe(chart path: String, in lane: RenderLane) async throws(RenderFailure) -> ChartDescription

    /// Draws one page and writes the requested images. After the return, nothing more is written to their descriptors, unless cancelled.
    ///
    /// If an equal job is waiting or running in either lane, the page is drawn once and the images are copied. If a caller in the
    /// live lane joins a job that is waiting in the background, the job moves to the live lane.
    ///
    /// A cancelled task gets `cancelled`: immediately if its job is waiting or other callers share the job, otherwise within
    /// moments. If other callers share the job, it continues for them, and may still write to the files of the cancelled caller.
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Makes an annotated image from the plain image and, if there is one, a former annotated image, whose common marks are not painted
    /// again. The bytes are the same as if `render` had drawn the page with these marks. Sharing and cancelling work as for `render`.
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome

    /// Finds where the marks of one chart are in another one. Returns each mark at its new place, or `nil` if no place was found.
    func follow(_ job: FollowJob, in lane: RenderLane) async throws(RenderFailure) -> [Following.Moved?]

    /// Starts the process of the live lane, so that the next job there does not have to wait for it.
    func warm()

    var processCount: Int { get }

    /// Ends idle processes; the next job then takes longer.
    func rest()

    /// Ends everything. Jobs that are running or waiting fail with `stopped`, as do all later jobs.
    func stop() async
}

extension PageRenderer {
    /// The number for renderers without processes: 0.
    public var processCount: Int { 0 }

    public func describe(chart path: String) async throws(RenderFailure) -> ChartDescription {
        try await describe(chart: path, in: .background)
    }

    public func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome { try await render(job, in: .background) }

    public func compose(_ job: ComposeJob) async throws(RenderFailure) -> PageOutcome { try await compose(job, in: .background) }
}

/// Selects the processes for a job, so that pages that a screen waits for do not queue behind pages that are rendered ahead.
public enum RenderLane: Hashable, Sendable, CaseIterable {
    /// A screen is waiting: the job gets a separate process at normal priority.
    case live
    /// The job is done ahead of need, with computing time that nothing else needs.
    case background
}
