import Freshness
import Model
import Platform
import Rendering

/// The charts and image names for viewers: determined by each reconcile run, read many times.
@LoopActor
final class Viewing {
    /// The charts that are kept ready, as of the last reconcile run.
    private(set) var snapshots: [ChartUse: ChartSnapshot] = [:]
    private var images: [ChartUse: PageImages] = [:]

    nonisolated init() {}

    /// Takes over the result of a reconcile run, and returns the charts that have changed.
    func adopt(_ snapshot: LibrarySnapshot) -> Set<AttachmentID> {
        let former = snapshots
        snapshots = Dictionary(snapshot.plans.lazy.flatMap(\.charts).map { ($0.use, $0) }) { first, _ in first }
        images = images.filter { snapshots[$0.key] == $0.value.snapshot }
        return Set(Set(former.keys).union(snapshots.keys).filter { former[$0] != snapshots[$0] }.map(\.attachment))
    }

    /// The names of a chart's images, computed once for each state of the chart.
    func images(of snapshot: ChartSnapshot, by renderer: RendererIdentity, _ settings: RenderSettings) -> PageImages {
        if let known = images[snapshot.use], known.snapshot == snapshot, known.renderer == renderer { return known }
        let new = PageImages(of: snapshot, by: renderer, settings)
        if snapshots[snapshot.use] != nil { images[snapshot.use] = new }
        return new
    }
}

struct PageImages {
    struct Page {
        let plain: WantedImage
        let annotated: WantedImage
        let thumbnail: WantedImage
    }

    let snapshot: ChartSnapshot
    let renderer: RendererIdentity
    let pages: [Page]

    init(of snapshot: ChartSnapshot, by renderer: RendererIdentity, _ settings: RenderSettings) {
        (self.snapshot, self.renderer) = (snapshot, renderer)
        pages = (0..<snapshot.pageCount).map { index in
            let page = PageIndex(index)
            func image(_ variant: Variant, marks: MarkDigest? = nil) -> WantedImage {
                WantedImage(
                    onScreen: ImageInputs(
                        renderer: renderer, chart: snapshot.hash, chartNeedsFonts: snapshot.needsFonts, page: page, variant: variant,
                        settings: settings, marks: marks))
            }
            let plain = image(.plain)
            let marks = snapshot.marks[page]
            return Page(
                plain: plain, annotated: marks == nil ? plain : image(.annotated, marks: marks), thumbnail: image(.thumbnail))
        }
    }

    /// Each image once: without marks, the annotated image is the plain one.
    var wanted: [WantedImage] {
        pages.flatMap { $0.annotated.name == $0.plain.name ? [$0.plain, $0.thumbnail] : [$0.plain, $0.annotated, $0.thumbnail] }
    }
}

extension WantedImage {
    /// An image for a screen, with the highest priority.
    init(onScreen inputs: ImageInputs) {
        self.init(inputs, priority: RenderPriority(planRank: 0, chartPlace: 0, page: inputs.page, variant: inputs.variant))
    }
}
