import Catalogue
import Freshness
import Library
import Model
import Rendering

/// An image that could not be made.
struct ImageFailure: Hashable, Sendable {
    let reason: String
    /// The fault of the image itself; `nil` if the cause was temporary, like a full disk.
    let fault: RenderFault?
    /// Whether the library has recorded the failure. Otherwise, the failure is forgotten when this run ends.
    let isRecorded: Bool

    /// Whether the page crashed the renderer. A fault that the renderer itself reports is final after a single try, so a final
    /// failure counts as a crash only after more than one try.
    fileprivate var isFatal: Bool { fault.map { $0.tries > ($0.isFinal ? 1 : 0) } ?? false }
}

/// The images that could not be made, and the consequences for their pages and charts:
///
/// | what failed | consequence |
/// |---|---|
/// | something temporary: a disk, the renderer's program | the image is tried again after a while |
/// | a page's images together, with marks among them | they are made separately, to find out whether the marks are at fault |
/// | an image, for good | it is not tried again until its name changes |
/// | a plain image, for good | its annotated image is not tried, either |
/// | a page that crashed the renderer | its chart comes after all others, since each try may take as long as the limit allows |
/// | several pages of a chart that crashed the renderer | the chart is doubtful: its other pages are tried once, briefly, with pauses |
struct ImageFailures {
    /// The failures of each chart, by the folder of its images.
    private var charts: [ImageFolder: [ImageName: ImageFailure]] = [:]

    /// A chart is doubtful once this many of its pages crashed the renderer. Each other page may be good, so it is still tried
    /// once. This way a PDF with hundreds of hanging pages costs next to nothing, and one bad page costs the others nothing.
    private static let mostFatalPages = 3
    /// How long the renderer may work on a page of a doubtful chart. Most pages take a tenth of a second.
    static let patience = Duration.seconds(10)

    private var all: some Sequence<ImageFailure> { charts.values.lazy.flatMap(\.values) }

    var count: Int { charts.values.reduce(0) { $0 + $1.count } }
    /// The temporary causes of failures, and how many images each affected.
    var passing: [String: Int] { all.reduce(into: [:]) { if $1.fault == nil { $0[$1.reason, default: 0] += 1 } } }
    /// The pages with a failure that is, or may be, their own fault.
    var pages: Set<WantedImage.Page> {
        Set(all.compactMap(\.fault).compactMap { fault in fault.image.map { WantedImage.Page(chart: fault.chart, index: $0.page) } })
    }

    /// The doubtful charts, with the pages that crashed the renderer.
    var doubtful: [ChartHash: Set<PageIndex>] {
        charts.values.reduce(into: [:]) { doubtful, failures in
            let fatal = Self.fatalPages(failures)
            guard fatal.count >= Self.mostFatalPages, let chart = failures.values.lazy.compactMap(\.fault).first?.chart else { return }
            doubtful[chart] = fatal
        }
    }

    /// The charts that crashed the renderer, given by the folders of their images.
    var risky: Set<ImageFolder> { Set(charts.lazy.filter { $0.value.values.contains(where: \.isFatal) }.map(\.key)) }

    func isDoubtful(_ chart: ChartHash) -> Bool {
        charts[ImageFolder(of: chart)].map { Self.fatalPages($0).count >= Self.mostFatalPages } ?? false
    }

    private static func fatalPages(_ failures: [ImageName: ImageFailure]) -> Set<PageIndex> {
        Set(failures.lazy.filter(\.value.isFatal).map(\.key.page))
    }

    subscript(name: ImageName) -> ImageFailure? { charts[name.folder]?[name] }

    /// Whether making an image is worth a first or another try.
    func mayTry(_ image: WantedImage) -> Bool {
        guard let failures = charts[image.name.folder] else { return true }
        if failures[image.name]?.fault?.isFinal == true { return false }
        return image.inputs.variant != .annotated
            || !failures.contains { $0.key.page == image.name.page && $0.key.variant == .plain && $0.value.fault?.isFinal == true }
    }

    mutating func note(_ fault: RenderFault, isRecorded: Bool) {
        guard let image = fault.image else { return }
        charts[image.folder, default: [:]][image] = ImageFailure(reason: fault.reason, fault: fault, isRecorded: isRecorded)
    }

    /// Notes a failure that neither the page nor its marks caused. Recorded faults stay.
    mutating func notePassing(_ reason: String, of name: ImageName) {
        let former = self[name]
        charts[name.folder, default: [:]][name] = ImageFailure(
            reason: reason, fault: former?.fault, isRecorded: former?.isRecorded ?? false)
    }

    /// Forgets the failure of an image that has been made; returns it.
    mutating func forget(_ name: ImageName) -> ImageFailure? {
        guard let former = charts[name.folder]?.removeValue(forKey: name) else { return nil }
        if charts[name.folder]?.isEmpty == true { charts[name.folder] = nil }
        return former
    }

    /// Replaces the faults read from the library earlier. Failures without a record stay. Only failures of `wanted` images are kept.
    mutating func recall(_ faults: [RenderFault], wanted: Set<ImageName>) {
        let former = charts
        charts = [:]
        for fault in faults where fault.image.map(wanted.contains) == true { note(fault, isRecorded: true) }
        for (folder, failures) in former {
            for (name, failure) in failures where wanted.contains(name) && !failure.isRecorded {
                charts[folder, default: [:]][name] = failure
            }
        }
    }
}

/// The consequences of a failure to make images of one page together.
struct FailureMeaning {
    /// The consequence for each of the images.
    enum Blame {
        /// The agent cancelled the work: the image is still to be made.
        case none
        /// The disk or the renderer's program failed, which proves nothing about the page.
        case passing
        /// The page may be at fault. The failure counts as `tries` tries, and is final once `mostTries` is reached; with `nil`, it
        /// is never final.
        case page(tries: Int, mostTries: Int?)
    }

    let blame: Blame
    /// Whether to try again immediately. A failure that the machine may have caused gets one more try at once. After a full disk,
    /// the next try has to wait.
    let isDueAtOnce: Bool
    private let wasHeldUp: Bool
    private let tookTheRendererDown: Bool

    init(_ error: any Error, of variants: [Variant], isDoubtfulChart: Bool) {
        let failure = error as? RenderFailure
        let isLasting = failure?.isLasting == true
        tookTheRendererDown = failure?.tookTheRendererDown == true
        wasHeldUp = if case .heldUp = failure { true } else { false }
        // Either the page or its marks may be at fault. Making the images separately will decide; until then, nothing is final.
        let isAmbiguous = variants.contains(.annotated) && variants.count > 1
        let most = RenderFailure.mostMisfortunes
        blame =
            if failure == .stopped || failure == .cancelled {
                .none
            } else if isLasting {
                // A possible fault of the marks does not count against the page beneath them.
                .page(tries: isAmbiguous ? 0 : 1, mostTries: isAmbiguous ? nil : 0)
            } else if tookTheRendererDown {
                // The remaining pages of a doubtful chart are tried once each.
                .page(tries: isDoubtfulChart ? most : 1, mostTries: isAmbiguous ? nil : most)
            } else {
                .passing
            }
        // After a change of fonts, the image has another name, so it can be made at once under that name.
        isDueAtOnce =
            wasHeldUp || tookTheRendererDown || isLasting && isAmbiguous || failure == .fontsChanged
            || (error as? LibraryError)?.isOfChangedChart == true
    }

    /// Whether to wait a while before the next page of the chart is tried.
    func restsChart(isDoubtful: Bool) -> Bool { wasHeldUp || tookTheRendererDown && isDoubtful }
}
