public import Catalogue
public import ChartFiles
import Glibc
public import Model
import Platform

/// Which chart a file or a layer of marks is for.
public final class MatchStore: Store {
    let charts: ChartStore
    let links: LinkStore

    /// The index, kept between saves because it is built from all links and charts, and the number of changes to those when it was built.
    private(set) var kept: (index: MarkFileIndex, chartChanges: Int)?

    init(_ catalogue: OpenCatalogue, charts: ChartStore, links: LinkStore) {
        self.charts = charts
        self.links = links
        super.init(catalogue)
    }

    /// The index that says which chart a mark file is for, as the library is now.
    public func index() throws(LibraryError) -> MarkFileIndex {
        // Only this process changes charts and links, unless the library is open for reading only.
        if let kept, kept.chartChanges == catalogue.chartChanges { return kept.index }
        let index = try database.read { () throws(LibraryError) in
            let attachments = try database.rows("SELECT id FROM attachments") { AttachmentID($0.text(0)) }
            let charts = try database.rows("SELECT DISTINCT attachment_id, hash FROM attachment_charts") { row throws(LibraryError) in
                (attachment: AttachmentID(row.text(0)), hash: try database.hash(row.text(1)))
            }
            let former = try database.rows("SELECT attachment_id, hash FROM former_charts") { row throws(LibraryError) in
                (attachment: AttachmentID(row.text(0)), hash: try database.hash(row.text(1)))
            }
            let folder = links.linkedChartsFolder
            return MarkFileIndex(
                attachments: Set(attachments), links: try links.recordedLinks(), charts: charts,
                formerCharts: former, chartsFolders: [folder] + (Self.followingLinks(folder).map { $0 == folder ? [] : [$0] } ?? []))
        }
        if !catalogue.isForReading { kept = (index, catalogue.chartChanges) }
        return index
    }

    /// The chart of a file that names a PDF which cannot be found from the file's present place: the chart that it was for before it was
    /// moved, or that of another file, present or former, that names the same PDF and has the same marks or is the same file by its number.
    public func formerMatch(
        of file: WrittenFile, knownAs former: WrittenFile?, _ index: MarkFileIndex
    ) throws(LibraryError) -> MarkFileMatch? {
        guard let said = file.file.content?.reference, let pdf = said.pdf else { return nil }
        if let former, former.file.content?.reference == said, let attachment = former.file.attachment {
            return index.has(attachment) ? MarkFileMatch(attachment) : nil
        }
        let stamp = file.file.stamp
        let found = try database.rows(
            """
            SELECT attachment_id FROM former_files WHERE said_pdf = ?1 AND marks_sum = ?2
            UNION
            SELECT attachment_id FROM local_files
            WHERE said_pdf = ?1 AND path <> ?3
                AND (marks_version = ?2 AND marks <> '[]' OR inode = ?4 AND inode <> 0 AND device = ?5 AND size = ?6)
            """,
            [
                .text(pdf), .optional(file.version?.hex), .text(file.file.path), .integer(Int64(bitPattern: stamp.inode)),
                .integer(Int64(bitPattern: stamp.device)), .integer(stamp.size),
            ]
        ) { $0.optionalText(0).map { AttachmentID($0) } }.compactMap { $0 }.filter { index.has($0) }
        // If it could be either of two, it is neither.
        return found.count == 1 ? MarkFileMatch(found[0]) : nil
    }

    /// The folded paths of PDFs that the user's files name, with the attachments that those files are for: a link to another chart
    /// under such a path would give that chart their marks.
    func pathsNamedByLocalFiles() throws(LibraryError) -> [String: AttachmentID] {
        let named = try database.rows(
            "SELECT path, said_pdf, attachment_id FROM local_files WHERE said_pdf IS NOT NULL AND attachment_id IS NOT NULL ORDER BY path"
        ) { row in
            (FileName.folded(MarkFileIndex.joined(Folder.parent(of: row.text(0)), row.text(1))), AttachmentID(row.text(2)))
        }
        return Dictionary(named) { first, _ in first }
    }

    /// Where a path leads when all links in it are followed; `nil` if there is nothing.
    public nonisolated static func followingLinks(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}

/// A chart that is uploaded again at the service becomes another attachment there. Until that one is here, the former one stands in for
/// it, just as a former version would.
extension MatchStore {
    /// If an item of `plan` shows a new chart instead of one with the same file name, for the same title, lets the former chart stand in
    /// until the new one is here, and moves its layers to the new one. Does nothing if there are several candidates on either side.
    func letFormerChartsStand(
        in plan: PlanContents, showingFormerly former: PlanContents, at now: Timestamp
    ) throws(LibraryError) {
        let shown = Set(plan.attachments.map(\.id))
        let known = Set(former.attachments.map(\.id))
        let new = plan.namedUploads.filter { !known.contains($0.attachment) }
        guard !new.isEmpty else { return }
        let replaced = Dictionary(grouping: former.namedUploads.filter { !shown.contains($0.attachment) }, by: \.name)
        for (name, uploads) in Dictionary(grouping: new, by: \.name) {
            let (comers, goers) = (Set(uploads.map(\.attachment)), Set((replaced[name] ?? []).map(\.attachment)))
            guard comers.count == 1, goers.count == 1, let comer = comers.first, let goer = goers.first else { continue }
            try passLayers(on: goer, to: comer, at: now)
            guard try charts.chart(of: comer) == nil, let chart = try charts.chart(of: goer) else { continue }
            catalogue.noteOtherCharts()
            try database.run(
                "INSERT INTO attachment_charts (attachment_id, made_from, hash, version) VALUES (?, '', ?, ?)",
                [.id(comer), .hash(chart.hash), .text(Self.versionOfStandIns)])
        }
    }

    /// Not a version that the service ever uses, so that the attachment's own chart is still to be downloaded.
    private static var versionOfStandIns: String { "another attachment's" }
}

/// A chart that was uploaded for an item, by the names that people know it by.
private struct NamedUpload {
    struct Name: Hashable {
        let title: String
        let file: String
    }

    let name: Name
    let attachment: AttachmentID
}

extension PlanContents {
    fileprivate var namedUploads: [NamedUpload] {
        items.flatMap { item in
            item.attachments.filter { !$0.isGenerated }.map {
                NamedUpload(
                    name: NamedUpload.Name(title: FileName.folded(item.title), file: FileName.folded($0.filename)), attachment: $0.id)
            }
        }
    }
}
