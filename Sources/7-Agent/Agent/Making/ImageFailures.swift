import Freshness
import Library
import Model

/// An image that could not be made.
struct ImageFailure: Hashable, Sendable {
    let reason: String
    /// What is wrong with the image itself; `nil` if it was something that passes, like a full disk.
    let fault: RenderFault?
    /// Whether the library knows of it; if not, only this run does.
    let isRecorded: Bool
}

/// The images that could not be made: which of them are left alone, and why.
struct ImageFailures {
    private var failures: [ImageName: ImageFailure] = [:]
    /// Pages that cannot be drawn even without marks.
    private var hopeless: Set<WantedImage.Page> = []
    /// Pages on which something failed that is, or may be, the page's own fault.
    private(set) var pages: Set<WantedImage.Page> = []
    /// Pages of each chart that took the renderer down.
    private var fatal: [ChartHash: Set<PageIndex>] = [:]

    var count: Int { failures.count }
    /// Why images could not be made that are not at fault themselves, and how many images each reason affected.
    var passing: [String: Int] {
        failures.values.reduce(into: [:]) { if $1.fault == nil { $0[$1.reason, default: 0] += 1 } }
    }

    subscript(name: ImageName) -> ImageFailure? { failures[name] }

    /// The doubtful charts, with the pages that took the renderer down.
    var doubtful: [ChartHash: Set<PageIndex>] { fatal.filter { $0.value.count >= DoubtfulCharts.mostPages } }

    /// Whether a chart is doubtful.
    func isDoubtful(_ chart: ChartHash) -> Bool { (fatal[chart]?.count ?? 0) >= DoubtfulCharts.mostPages }

    /// Whether it is worth trying to make an image, again or for the first time.
    func mayTry(_ image: WantedImage) -> Bool {
        guard !failures.isEmpty else { return true }
        if failures[image.name]?.fault?.isFinal == true { return false }
        return image.inputs.variant != .annotated || !hopeless.contains(image.page)
    }

    mutating func note(_ fault: RenderFault, isRecorded: Bool) {
        guard let image = fault.image else { return }
        failures[image] = ImageFailure(reason: fault.reason, fault: fault, isRecorded: isRecorded)
        let page = WantedImage.Page(chart: fault.chart, index: image.page)
        pages.insert(page)
        // A fault of the page itself is final at once, and is found quickly.
        if fault.tries > (fault.isFinal ? 1 : 0) { fatal[fault.chart, default: []].insert(image.page) }
        if fault.isFinal, image.variant == .plain { hopeless.insert(page) }
    }

    /// Notes a failure that is neither the page's fault nor that of its marks. What was known about them stays.
    mutating func notePassing(_ reason: String, of name: ImageName) {
        let former = failures[name]
        failures[name] = ImageFailure(reason: reason, fault: former?.fault, isRecorded: former?.isRecorded ?? false)
    }

    /// Forgets the failure of an image that was made after all.
    mutating func forget(_ name: ImageName) -> ImageFailure? {
        guard let former = failures[name] else { return nil }
        failures[name] = nil
        self = recalled([], wanted: Set(failures.keys), keepsRecorded: true)
        return former
    }

    /// What is known when the library's faults replace those taken from it before, limited to `wanted` images.
    func recalled(_ faults: [RenderFault], wanted: Set<ImageName>, keepsRecorded: Bool = false) -> ImageFailures {
        var result = ImageFailures()
        for fault in faults where fault.image.map(wanted.contains) == true { result.note(fault, isRecorded: true) }
        for (name, failure) in failures where wanted.contains(name) && (keepsRecorded || !failure.isRecorded) {
            if let fault = failure.fault { result.note(fault, isRecorded: failure.isRecorded) } else { result.failures[name] = failure }
        }
        return result
    }
}
