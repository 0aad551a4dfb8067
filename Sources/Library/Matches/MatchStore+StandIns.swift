import Catalogue
import ChartLinks
import Model

/// A chart that is uploaded anew at the service is another attachment there. Until that one has come, the former one stands in its place,
/// as a former version would.
extension MatchStore {
    /// Has the chart that an item of `plan` showed until now stand for the one that an item of the same title shows in its place under the
    /// same file name, and that is not here yet; and its layers lie on that one. Where it could be for several, or be several, it is none.
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
            try database.run(
                "INSERT INTO attachment_charts (attachment_id, made_from, hash, version) VALUES (?, '', ?, ?)",
                [.id(comer), .hash(chart.hash), .text(Self.versionOfStandIns)])
        }
    }

    /// No version that the service tells, so that the attachment's own chart is still due.
    private static var versionOfStandIns: String { "another attachment's" }
}

/// What an item shows that somebody uploaded, by what people know it by.
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
