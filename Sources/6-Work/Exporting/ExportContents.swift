import Freshness
import JSON
package import Library
package import Model
package import Platform

/// The contents of one PDF or booklet, in the order of playing, which is also the viewer's.
package struct ExportContents: Sendable {
    /// A chart as one item of the plan uses it.
    package struct Chart: Hashable, Sendable {
        package let attachment: Attachment
        /// `nil` if the chart is not here.
        package let hash: ChartHash?
        /// Whether the chart was here, and its file was removed or damaged.
        var isLost = false

        /// Why there is no chart.
        var absence: String {
            isLost ? "its file was removed or damaged; '\(woodshed("sync"))' fetches it again" : "it is not here yet"
        }

        var name: String { attachment.displayName }

        /// The pages in the order of playing; `nil` if every page is played once, in the chart's own order.
        func pages(of count: Int) -> [Int]? {
            let pages = PageSequence(attachment.pageOrder, pageCount: count).pages.map { Int($0.value) }
            return pages == Array(0..<count) ? nil : pages
        }
    }

    /// An item with its charts.
    package struct Section: Hashable, Sendable {
        let title: String
        package let charts: [Chart]

        /// The text of the item's bookmark: its title with the key, since a song may be played in several keys. An untitled item has the
        /// name of its first chart.
        var heading: String { title.isEmpty ? charts.first?.name ?? "" : title }
    }

    package let title: String
    package let sections: [Section]

    package var charts: [Chart] { sections.flatMap(\.charts) }

    /// The items of a plan that have charts.
    @LoopActor
    package init(_ contents: PlanContents, title: String, in library: Library) throws(LibraryError) {
        self.title = title
        var sections: [Section] = []
        for item in contents.items where !item.attachments.isEmpty {
            var charts: [Chart] = []
            for attachment in item.attachments { charts.append(try Chart(attachment, in: library)) }
            sections.append(Section(title: item.title + (item.keyName.isEmpty ? "" : " (\(item.keyName))"), charts: charts))
        }
        self.sections = sections
    }

    /// One chart by itself.
    package init(_ attachment: Attachment, hash: ChartHash) {
        title = attachment.displayName
        sections = [Section(title: "", charts: [Chart(attachment: attachment, hash: hash)])]
    }
}

extension ExportContents {
    /// A digest of everything that the PDF shows: while it stays the same, no new PDF is needed.
    @LoopActor
    package func key(
        longSide: Int, in library: Library, marks: @LoopActor (AttachmentID, ChartHash) async throws -> [PageIndex: MarkDigest]
    ) async throws -> Digest {
        var parts: [JSONText] = [.integer(Self.version), .text(title), .integer(longSide)]
        for section in sections {
            parts.append(.text(section.heading))
            for chart in section.charts {
                var drawn: [PageIndex: MarkDigest] = [:]
                if let hash = chart.hash { drawn = try await marks(chart.attachment.id, hash) }
                parts.append([
                    .text(chart.attachment.id.text), .text(chart.name), .text(chart.attachment.pageOrder),
                    .maybe(chart.hash?.digest.hex),
                    .texts(drawn.sorted { $0.key < $1.key }.map { "\($0.key.value) \($0.value.digest.hex)" }),
                ])
                if let hash = chart.hash {
                    let key = try library.charts.key(of: hash)
                    let places = try library.drawings.places(of: chart.attachment.id, in: key)
                    let titles = places.bookmarks.map { "\($0.place.page.value) \($0.title)" }
                    if !titles.isEmpty { parts.append(.texts(titles)) }
                }
                let older = try library.olderMarks.drawnOutdatedMarks(of: chart.attachment.id).filter { $0.chart == chart.hash }
                if !older.isEmpty { parts.append(.list(Set(older.flatMap(\.pages)).sorted().map { .integer($0.value) })) }
            }
        }
        return SHA256.digest(of: JSONText.list(parts).line)
    }

    /// Increase this whenever this program makes a different PDF of the same contents.
    private static let version = 2
}

extension ExportContents.Chart {
    @LoopActor
    fileprivate init(_ attachment: Attachment, in library: Library) throws(LibraryError) {
        let chart = try library.charts.chart(of: attachment.use)
        let isHere = try chart.map { chart throws(LibraryError) in try library.charts.hasBytes(of: chart.hash) } ?? false
        self.init(attachment: attachment, hash: isHere ? chart?.hash : nil, isLost: chart != nil && !isHere)
    }
}
