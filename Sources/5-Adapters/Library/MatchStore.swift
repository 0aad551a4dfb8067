public import Catalogue
public import ChartFiles
import Glibc
public import Model
import Platform

/// Finds the chart that a file or a layer of marks belongs to.
public final class MatchStore: Store {
    let charts: ChartStore
    let links: LinkStore

    /// The index, kept because building it takes all links and charts, and the number of changes to links and charts when it was built.
    private(set) var kept: (index: MarkFileIndex, chartChanges: Int)?

    init(_ catalogue: OpenCatalogue, charts: ChartStore, links: LinkStore) {
        self.charts = charts
        self.links = links
        super.init(catalogue)
    }

    /// The index that maps mark files to charts, for the library's present state.
    public func index() throws(LibraryError) -> MarkFileIndex {
        // Only this process changes charts and links, unless the library is open for reading only.
        if let kept, kept.chartChanges == catalogue.chartChanges { return kept.index }
        let index = try database.read { () throws(LibraryError) in
            let attachments = try database.rows("SELECT id FROM attachments") { AttachmentID($0.text(0)) }
            @LoopActor func charts(in table: String) throws(LibraryError) -> [(attachment: AttachmentID, hash: ChartHash)] {
                try database.rows("SELECT DISTINCT attachment_id, hash FROM \(table)") { row throws(LibraryError) in
                    (attachment: AttachmentID(row.text(0)), hash: try database.hash(row.text(1)))
                }
            }
            let folder = links.linkedChartsFolder
            return MarkFileIndex(
                attachments: Set(attachments), links: try links.recordedLinks(), charts: try charts(in: "attachment_charts"),
                formerCharts: try charts(in: "former_charts"),
                chartsFolders: [folder] + (Self.followingLinks(folder).map { $0 == folder ? [] : [$0] } ?? []))
        }
        if !catalogue.isForReading { kept = (index, catalogue.chartChanges) }
        return index
    }

    /// The chart of a file whose PDF cannot be found from the file's present place: the file's chart before it was moved, or the
    /// chart of another file, present or former, that names the same PDF and has the same marks or the same inode number.
    public func formerMatch(
        of file: WrittenFile, knownAs former: WrittenFile?, _ index: MarkFileIndex
    ) throws(LibraryError) -> MarkFileMatch? {
        guard let said = file.file.content?.reference, let pdf = said.pdf else { return nil }
        if let former, former.file.content?.reference == said, let attachment = former.file.attachment {
            return index.has(attachment) ? MarkFileMatch(attachment) : nil
        }
        let found = try database.rows(
            """
            SELECT attachment_id FROM former_files WHERE said_pdf = ?1 AND marks_sum = ?2
            UNION
            SELECT attachment_id FROM local_files
            WHERE said_pdf = ?1 AND path <> ?3
                AND (marks_version = ?2 AND marks <> '[]' OR device = ?4 AND inode = ?5 AND inode <> 0 AND size = ?6)
            """, [.text(pdf), .optional(file.version?.hex), .text(file.file.path)] + file.file.stamp.identity
        ) { $0.optionalText(0).map { AttachmentID($0) } }.compactMap { $0 }.filter { index.has($0) }
        // If there are two candidates, neither is used.
        return found.count == 1 ? MarkFileMatch(found[0]) : nil
    }

    /// The folded paths of PDFs that the user's files name, with the attachments that those files belong to. No other chart may
    /// get a link at such a path, since the files' marks would then belong to that chart.
    func pathsNamedByLocalFiles() throws(LibraryError) -> [String: AttachmentID] {
        let named = try database.rows(
            "SELECT path, said_pdf, attachment_id FROM local_files WHERE said_pdf IS NOT NULL AND attachment_id IS NOT NULL ORDER BY path"
        ) { row in
            (FileName.folded(MarkFileIndex.joined(Folder.parent(of: row.text(0)), row.text(1))), AttachmentID(row.text(2)))
        }
        return Dictionary(named) { first, _ in first }
    }

    /// The path's target when all links in it are followed; `nil` if the target does not exist.
    public nonisolated static func followingLinks(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}

/// A chart that is uploaded again at the service becomes another attachment there. Until the new attachment is downloaded, the
/// former one stands in for it, as a former version would.
extension MatchStore {
    /// If an item of `plan` shows a new chart in place of a former chart with the same title and file name, the former chart stands
    /// in until the new chart is downloaded, and the former chart's layers move to the new chart. Does nothing if several charts
    /// could be the former or the new one.
    func letFormerChartsStand(
        in plan: PlanContents, showingFormerly former: PlanContents, at now: Timestamp
    ) throws(LibraryError) {
        let (comers, goers) = (plan.uploads(notIn: former), former.uploads(notIn: plan))
        for (name, comers) in comers {
            guard comers.count == 1, let comer = comers.first, let goers = goers[name], goers.count == 1, let goer = goers.first
            else { continue }
            try passLayers(on: goer, to: comer, at: now)
            guard try charts.chart(of: comer) == nil, let chart = try charts.chart(of: goer) else { continue }
            catalogue.noteOtherCharts()
            try database.put(
                "attachment_charts",
                ["attachment_id": .id(comer), "made_from": .text(""), "hash": .hash(chart.hash), "version": .text(Self.versionOfStandIns)])
        }
    }

    /// The service never uses this version, so the attachment's own chart still counts as missing.
    private static var versionOfStandIns: String { "another attachment's" }
}

extension PlanContents {
    /// The charts uploaded for items that `other` does not show, keyed by the names that people know: title and file name.
    fileprivate func uploads(notIn other: PlanContents) -> [[String]: Set<AttachmentID>] {
        let others = Set(other.attachments.map(\.id))
        var uploads: [[String]: Set<AttachmentID>] = [:]
        for item in items {
            for chart in item.attachments where !chart.isGenerated && !others.contains(chart.id) {
                uploads[[FileName.folded(item.title), FileName.folded(chart.filename)], default: []].insert(chart.id)
            }
        }
        return uploads
    }
}
