import Catalogue
import ChartLinks
import Model

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

/// A chart that somebody uploaded for an item, by the names that people know it by.
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
