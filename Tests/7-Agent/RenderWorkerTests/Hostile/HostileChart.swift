import Glibc
import Rendering
import TestSupport

/// A hostile PDF, and the fate that it must have.
struct HostileChart: Sendable, CustomStringConvertible {
    /// The fate of a page, or of a whole chart.
    enum Fate: Hashable, Sendable {
        case drawn
        /// Drawn, with a warning.
        case warned
        /// The page is missing or unreadable; the other pages are shown.
        case bad
        /// The job was ended when it had used its computing time.
        case timedOut
        /// The process that drew it ended in the middle of the job.
        case crashed
        case refused(RenderFailure)
    }

    enum Outcome: Hashable, Sendable {
        /// Opened, with the fates of the pages that were tried.
        case pages([Fate])
        /// The chart could not even be opened.
        case unopened(Fate)
    }

    let family: String
    let name: String
    let expected: Outcome
    let bytes: [UInt8]

    var description: String { "\(family): \(name)" }

    /// The charts of all families, one family after the other.
    static let all: [HostileChart] = [
        trees, boxes, blending, glyphs, shadings, forms, images, tables, annotations, numbers,
    ].flatMap(\.charts)

    /// The charts to test, taken evenly from all families: a sample by default, WOODSHED_TEST_HOSTILE of them on demand.
    static var chosen: [HostileChart] {
        let count = min(max(1, Asked.number("HOSTILE", everyday: 20)), all.count)
        return (0..<count).map { all[$0 * all.count / count] }
    }

    /// Whether all charts run; only then are their results printed.
    static var isWhole: Bool { chosen.count == all.count }
}

extension HostileChart {
    /// 1e308, and almost nothing, written without exponents, which PDFs do not have.
    static let vast = "1" + String(repeating: "0", count: 308)
    static let tiny = "0." + String(repeating: "0", count: 299) + "1"
}

extension HostileChart.Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .pages(let fates): fates.map { "\($0)" }.joined(separator: ", ")
        case .unopened(let fate): "unopened, \(fate)"
        }
    }
}

extension HostileChart.Fate: CustomStringConvertible {
    var description: String {
        switch self {
        case .drawn: "drawn"
        case .warned: "drawn with a warning"
        case .bad: "bad"
        case .timedOut: "timed out"
        case .crashed: "crashed"
        case .refused(let failure): "refused: \(failure)"
        }
    }
}

/// Files that do the same kind of harm.
struct HostileFamily {
    let name: String
    private(set) var charts: [HostileChart] = []

    init(_ name: String) { self.name = name }

    mutating func add(_ name: String, _ fates: HostileChart.Fate..., bytes: [UInt8]) {
        add(name, .pages(fates), bytes)
    }

    mutating func add(_ name: String, unopened fate: HostileChart.Fate, bytes: [UInt8]) {
        add(name, .unopened(fate), bytes)
    }

    private mutating func add(_ name: String, _ expected: HostileChart.Outcome, _ bytes: [UInt8]) {
        let name = name.replacing(HostileChart.vast, with: "1e308").replacing(HostileChart.tiny, with: "1e-300")
        charts.append(HostileChart(family: self.name, name: name, expected: expected, bytes: bytes))
    }

    /// Adds a page with `content`, and with the resources and other objects that it needs.
    mutating func page(
        _ name: String, _ fate: HostileChart.Fate, _ content: String, _ resources: (inout TestPDF) -> String = { _ in "" }
    ) {
        var pdf = TestPDF()
        let names = resources(&pdf)
        pdf.addPage(resources: names, content)
        add(name, fate, bytes: pdf.bytes)
    }

    /// Adds a page that must be drawn.
    mutating func page(_ name: String, _ content: String, _ resources: (inout TestPDF) -> String = { _ in "" }) {
        page(name, .drawn, content, resources)
    }

    /// A stream object with this content.
    static func stream(_ content: String, _ entries: String = "") -> String {
        "<< \(entries) /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream"
    }
}
