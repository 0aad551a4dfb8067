import Model

/// Puts items and attachments together: the service lists them apart.
struct PlanAssembly {
    private let items: [Resource]
    private let included: [Reference: Resource]
    private let attachments: [Resource]

    init(items: [Resource], included: [Resource], attachments: [Resource]) {
        // Equal places keep the service's order.
        self.items = items.enumerated()
            .sorted { ($0.element.number(.sequence) ?? $0.offset, $0.offset) < ($1.element.number(.sequence) ?? $1.offset, $1.offset) }
            .map(\.element)
        self.included = Dictionary(included.map { ($0.reference, $0) }) { first, _ in first }
        self.attachments = attachments.filter(Self.isChart)
    }

    /// PDFs, and what the service makes into PDFs.
    private static func isChart(_ attachment: Resource) -> Bool {
        guard attachment.text(.deletedAt) == nil else { return false }
        if isGenerated(attachment) { return true }
        guard attachment.text(.kind) == "AttachmentS3" else { return false }
        let type = attachment.text(.contentType)?.split(separator: ";").first?.lowercased()
        return type == "application/pdf" || attachment.text(.filename)?.lowercased().hasSuffix(".pdf") == true
    }

    private static func isGenerated(_ attachment: Resource) -> Bool {
        ["AttachmentChart::Chord", "AttachmentChart::Lyric", "AttachmentChartPro"].contains(attachment.text(.kind))
    }

    var planItems: [PlanItem] {
        let owners = items.map(owners)
        return items.indices.map { index in
            let item = items[index]
            // In the order of the service's list.
            let mine = attachments.filter { $0.reference(.attachable).map(owners[index].contains) ?? false }
            return PlanItem(
                id: ItemID(item.id), sequence: item.number(.sequence) ?? index + 1, title: item.text(.title) ?? "",
                keyName: keyName(item), attachments: mine.map { attachment($0, owners: owners) })
        }
    }

    /// Whose attachments an item shows: its own and those of its song, arrangement and key.
    private func owners(of item: Resource) -> Set<Reference> {
        Set([item.reference] + [Resource.Relation.song, .arrangement, .key].compactMap { item.reference($0) })
    }

    private func keyName(_ item: Resource) -> String {
        item.text(.keyName) ?? item.reference(.key).flatMap { included[$0]?.text(.name) } ?? ""
    }

    private func attachment(_ resource: Resource, owners: [Set<Reference>]) -> Attachment {
        let isGenerated = Self.isGenerated(resource)
        return Attachment(
            id: AttachmentID(resource.id),
            filename: resource.text(.filename) ?? resource.text(.displayName) ?? "",
            // Of a generated chart the service tells no type.
            contentType: resource.text(.contentType) ?? "application/pdf",
            fileSize: resource.number(.fileSize) ?? 0, updatedAt: resource.time(.updatedAt), isGenerated: isGenerated,
            generatedFrom: isGenerated ? origin(of: resource, owners: owners) : "")
    }

    /// What a generated chart is made from: the arrangements and keys of all items that show it, so that the text
    /// is the same wherever the chart stands and whichever way the items are moved.
    private func origin(of attachment: Resource, owners: [Set<Reference>]) -> String {
        guard let owner = attachment.reference(.attachable) else { return "" }
        var parts: Set<String> = []
        for (item, owners) in zip(items, owners) where owners.contains(owner) {
            let arrangement = item.reference(.arrangement).flatMap { included[$0]?.text(.updatedAt) }
            parts.insert([arrangement, keyName(item)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " "))
        }
        return parts.sorted().joined(separator: ", ")
    }
}
