import Catalogue
import Freshness
import Library
import Model
import Rendering

/// An image that could not be made.
struct ImageFailure: Hashable, Sendable {
    let reason: String
    /// The fault of the image itself; `nil` if it was something that passes, like a full disk.
    let fault: RenderFault?
    /// True if the library knows of it; if not, only this run does.
    let isRecorded: Bool

    /// True if the page took the renderer down. A fault of the page itself is final at once, and is found quickly.
    fileprivate var isFatal: Bool { fault.map { $0.tries > ($0.isFinal ? 1 : 0) } ?? false }
}

/// The images that could not be made. What is known of their pages and charts follows from that:
///
/// | what failed | what follows |
/// |---|---|
/// | something that passes: a disk, the renderer's program | it is due again after a while |
/// | a page's images together, with marks among them | they are made apart, which shows whether it was the marks |
/// | an image, for good | it is left alone until its name changes |
/// | a plain image, for good | its annotated one is left alone, too |
/// | a page, taking the renderer down | its chart comes after all others, since each try may take as long as the limit allows |
/// | several pages of a chart, taking the renderer down | the chart is doubtful: its other pages are tried once, briefly, with rests |
struct ImageFailures {
    /// By the folder of their chart.
    private var charts: [ImageFolder: [ImageName: ImageFailure]] = [:]

    /// A chart is doubtful once this many of its pages took the renderer down. Its other pages may be good, so each is still tried; that
    /// way a PDF of hundreds of pages that hang costs next to nothing, and a single bad page costs the others nothing.
    private static let mostFatalPages = 3
    /// How long the renderer may work on a page of a doubtful chart. Most take a tenth of a second.
    static let patience = Duration.seconds(10)

    private var all: some Sequence<ImageFailure> { charts.values.lazy.flatMap(\.values) }

    var count: Int { charts.values.reduce(0) { $0 + $1.count } }
    /// Why images failed because of something else, and how many images each reason affected.
    var passing: [String: Int] { all.reduce(into: [:]) { if $1.fault == nil { $0[$1.reason, default: 0] += 1 } } }
    /// The pages with a failure that is, or may be, the page's own fault.
    var pages: Set<WantedImage.Page> {
        Set(all.compactMap(\.fault).compactMap { fault in fault.image.map { WantedImage.Page(chart: fault.chart, index: $0.page) } })
    }

    /// The doubtful charts, with the pages that took the renderer down.
    var doubtful: [ChartHash: Set<PageIndex>] {
        charts.values.reduce(into: [:]) { doubtful, failures in
            let fatal = Self.fatalPages(failures)
            guard fatal.count >= Self.mostFatalPages, let chart = failures.values.lazy.compactMap(\.fault).first?.chart else { return }
            doubtful[chart] = fatal
        }
    }

    /// The charts that took the renderer down.
    var risky: Set<ImageFolder> { Set(charts.lazy.filter { $0.value.values.contains(where: \.isFatal) }.map(\.key)) }

    func isDoubtful(_ chart: ChartHash) -> Bool {
        charts[ImageFolder(of: chart)].map { Self.fatalPages($0).count >= Self.mostFatalPages } ?? false
    }

    private static func fatalPages(_ failures: [ImageName: ImageFailure]) -> Set<PageIndex> {
        Set(failures.lazy.filter(\.value.isFatal).map(\.key.page))
    }

    subscript(name: ImageName) -> ImageFailure? { charts[name.folder]?[name] }

    /// True if it is worth trying to make an image, again or for the first time.
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

    /// Notes a failure that is neither the page's fault nor that of its marks. Known faults stay.
    mutating func notePassing(_ reason: String, of name: ImageName) {
        let former = self[name]
        charts[name.folder, default: [:]][name] = ImageFailure(
            reason: reason, fault: former?.fault, isRecorded: former?.isRecorded ?? false)
    }

    /// Forgets the failure of an image that was made after all.
    mutating func forget(_ name: ImageName) -> ImageFailure? {
        guard let former = charts[name.folder]?.removeValue(forKey: name) else { return nil }
        if charts[name.folder]?.isEmpty == true { charts[name.folder] = nil }
        return former
    }

    /// Replaces the faults that were read from the library before, and keeps only those of `wanted` images.
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

/// The meaning of a failure to make images of one page together.
struct FailureMeaning {
    /// The meaning for each of the images.
    enum Blame {
        /// We cancelled it ourselves: it is still due, and nothing is wrong with it.
        case none
        /// The disk or the renderer's program failed: that proves nothing about the page.
        case passing
        /// It may be the page: it counts as this many tries, after which it may be final.
        case page(tries: Int, mostTries: Int?)
    }

    let blame: Blame
    /// True if another try is due at once. A possible fault of the machine is tried once more; a full disk waits.
    let isDueAtOnce: Bool
    private let wasHeldUp: Bool
    private let tookTheRendererDown: Bool

    init(_ error: any Error, of variants: [Variant], isDoubtfulChart: Bool) {
        let failure = error as? RenderFailure
        let isLasting = failure?.isLasting == true
        tookTheRendererDown = failure?.tookTheRendererDown == true
        wasHeldUp = if case .heldUp = failure { true } else { false }
        // Was it the page, or the marks on it? Making the images separately will show it. Until then, nothing is final.
        let isAmbiguous = variants.contains(.annotated) && variants.count > 1
        let most = RenderFailure.mostMisfortunes
        blame =
            if failure == .stopped || failure == .cancelled {
                .none
            } else if isLasting {
                // A possible fault of the marks is not held against the page beneath them.
                .page(tries: isAmbiguous ? 0 : 1, mostTries: isAmbiguous ? nil : 0)
            } else if tookTheRendererDown {
                // Each further page of a doubtful chart is tried once.
                .page(tries: isDoubtfulChart ? most : 1, mostTries: isAmbiguous ? nil : most)
            } else {
                .passing
            }
        // With other fonts, the image has another name by now.
        isDueAtOnce =
            wasHeldUp || tookTheRendererDown || isLasting && isAmbiguous || failure == .fontsChanged
            || (error as? LibraryError)?.isOfChangedChart == true
    }

    /// True if the chart rests before another of its pages is tried.
    func restsChart(isDoubtful: Bool) -> Bool { wasHeldUp || tookTheRendererDown && isDoubtful }
}
