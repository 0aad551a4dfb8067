import Glibc
import Rendering
import TestSupport

/// A PDF that means harm, and the fate that it must have.
struct HostileChart: Sendable, CustomStringConvertible {
    /// The fate of a page, or of a whole chart.
    enum Fate: Hashable, Sendable {
        case drawn
        /// Drawn, with a warning.
        case warned
        /// Missing or unreadable; the other pages are shown.
        case bad
        /// Ended after the computing time of one job.
        case timedOut
        /// The process that drew it ended in the middle.
        case crashed
        case refused(RenderFailure)
    }

    enum Outcome: Hashable, Sendable {
        /// Opened, with the fates of the pages that were looked at.
        case pages([Fate])
        /// Not even opened.
        case unopened(Fate)
    }

    let family: String
    let name: String
    let expected: Outcome
    let bytes: [UInt8]

    var description: String { "\(family): \(name)" }

    /// All families, one after the other.
    static let all: [HostileChart] = [
        trees, boxes, blending, glyphs, shadings, forms, images, tables, annotations, numbers,
    ].flatMap(\.charts)

    /// So many of them, evenly from all families: a sample by default, WOODSHED_TEST_HOSTILE of them on demand.
    static var chosen: [HostileChart] {
        let count = min(max(1, Asked.number("HOSTILE", everyday: 20)), all.count)
        return (0..<count).map { all[$0 * all.count / count] }
    }

    /// Whether all of them run, so that a table of them is worth its lines.
    static var isWhole: Bool { chosen.count == all.count }
}

extension HostileChart {
    /// 1e308 as PDFs write it, which have no exponents; and almost nothing.
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

    /// One page of `content`, with the resources and other objects that it needs.
    mutating func page(
        _ name: String, _ fate: HostileChart.Fate, _ content: String, _ resources: (inout TestPDF) -> String = { _ in "" }
    ) {
        var pdf = TestPDF()
        let names = resources(&pdf)
        pdf.addPage(resources: names, content)
        add(name, fate, bytes: pdf.bytes)
    }

    /// One page that is drawn.
    mutating func page(_ name: String, _ content: String, _ resources: (inout TestPDF) -> String = { _ in "" }) {
        page(name, .drawn, content, resources)
    }

    /// An object with data.
    static func stream(_ content: String, _ entries: String = "") -> String {
        "<< \(entries) /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream"
    }
}
