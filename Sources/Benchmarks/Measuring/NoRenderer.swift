import Model
import Platform
import Rendering

/// Takes the renderer's place where drawing is not what is measured.
@LoopActor
final class NoRenderer: PageRenderer {
    let width = 1
    private let passesFor: RendererIdentity

    /// Takes the identity of the renderer whose images should pass for its own.
    init(passingFor identity: RendererIdentity = RendererIdentity(tag: RendererTag("none"), fonts: FontSet(SHA256.digest(of: "")))) {
        passesFor = identity
    }

    func identity() async throws(RenderFailure) -> RendererIdentity { passesFor }
    /// Without pages, no images are wanted.
    func describe(chart path: String) async throws(RenderFailure) -> ChartDescription { ChartDescription(pages: []) }
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func rest() {}
    func warm() {}

    func stop() async {}
}
