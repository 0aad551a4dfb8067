import Model
import Platform

/// Joins items and attachments, which the service lists separately.
struct PlanAssembly {
    private let plan: Plan
    let rules: ChartChoice.Rules
    let items: [Resource]
    /// For each item, the resources whose attachments it shows.
    let owners: [Set<Reference>]
    let included: [Reference: Resource]
    /// The attachments that may be shown, in the order of the service's list.
    let attachments: [Resource]

    init(plan: Plan, rules: ChartChoice.Rules, items: [Resource], included: [Resource], attachments: [Resource]) {
        (self.plan, self.rules) = (plan, rules)
        // Items with the same sequence number stay in the service's order.
        let items = items.enumerated()
            .sorted { (Self.sequence($0.element) ?? $0.offset, $0.offset) < (Self.sequence($1.element) ?? $1.offset, $1.offset) }
            .map(\.element)
        self.items = items
        owners = items.map(Self.owners)
        self.included = Dictionary(included.map { ($0.reference, $0) }) { first, _ in first }
        // Leave out ids that look like those of charts drawn here. Leave out blank ids, too: in decisions about sharing marks, they
        // stand for all charts, or for leaving the band.
        self.attachments = attachments.filter {
            $0.text(.deletedAt) == nil && AttachmentID($0.id).song == nil && !$0.id.allSatisfy(\.isWhitespace)
        }
    }

    var contents: PlanContents {
        var leftOut: [LeftOut] = []
        var charts: [Resource] = []
        for attachment in attachments {
            if let reason = reason(against: attachment) {
                leftOut.append(
                    LeftOut(
                        attachment: AttachmentID(attachment.id), filename: Self.filename(attachment), item: itemTitle(attachment),
                        reason: reason))
            } else {
                charts.append(attachment)
            }
        }
        var contents = PlanContents(plan: plan, items: items(showing: charts), leftOut: leftOut, choice: rules.text)
        contents.texts = items.compactMap(text)
        return contents
    }

    private func items(showing charts: [Resource]) -> [PlanItem] {
        var shown = items.indices.map { index in
            let item = items[index]
            let mine = charts.filter { $0.reference(.attachable).map(owners[index].contains) ?? false }
            return PlanItem(
                id: ItemID(item.id), sequence: Self.sequence(item) ?? index + 1, title: item.text(.title) ?? "",
                keyName: keyName(item), attachments: mine.map { attachment($0, madeFor: item) }, kind: item.text(.itemType),
                arrangement: arrangement(of: item)?.text(.name), tempo: tempo(of: item),
                length: item.number(.length, in: 0...Self.longest).flatMap { $0 > 0 ? $0 : nil },
                description: item.text(.description).flatMap { $0.isEmpty ? nil : $0 }, song: song(of: item) ?? song(in: mine))
        }
        // Files attached to the plan itself belong to no item: an extra item at the end shows them, with an id that no real item can have.
        let plans = charts.filter { $0.reference(.attachable) == planReference }
        if !plans.isEmpty {
            shown.append(
                PlanItem(
                    id: Self.wholePlan(plan.id), sequence: (shown.map(\.sequence).max() ?? 0) + 1, title: "The whole plan",
                    attachments: plans.map { attachment($0) }))
        }
        return shown
    }

    /// The id of the extra item that shows the files attached to the plan itself.
    static func wholePlan(_ plan: PlanID) -> ItemID { ItemID("plan/\(plan)") }

    /// Why a file is not shown; `nil` if it is a chart.
    private func reason(against attachment: Resource) -> LeftOut.Reason? {
        guard Self.isPDF(attachment) else { return .notAPDF }
        let owners = kinds(ofOwner: attachment)
        guard !owners.isEmpty else { return .ofNoItem(owner: attachment.reference(.attachable)?.type ?? "") }
        let rule = rules.ruleAgainst(filename: Self.filename(attachment), owners: owners, generated: Self.generated(attachment))
        if let rule { return .notChosen(rule: rule) }
        if isDrawnHere(attachment) { return .notChosen(rule: "own charts in place of the service's chord charts") }
        return attachment.flag(.isDownloadable) == false ? .noPermission : nil
    }

    /// Returns whether the attachment is a PDF, or the service or this program can make a PDF from it.
    static func isPDF(_ attachment: Resource) -> Bool {
        if generated(attachment) != nil || isSong(attachment) { return true }
        guard attachment.text(.kind) == "AttachmentS3" else { return false }
        let type = attachment.text(.contentType)?.split(separator: ";").first?.lowercased()
        return type == "application/pdf" || attachment.text(.filename)?.lowercased().hasSuffix(".pdf") == true
    }

    static func generated(_ attachment: Resource) -> ChartChoice.Generated? {
        switch attachment.text(.kind) {
        case "AttachmentChart::Chord": .chordChart
        case "AttachmentChart::Lyric": .lyricChart
        case "AttachmentChartPro": .chordChartPro
        default: nil
        }
    }

    private static func filename(_ attachment: Resource) -> String { attachment.text(.filename) ?? attachment.text(.displayName) ?? "" }

    private var planReference: Reference { Reference("Plan", plan.id.text) }

    /// The kind of resource in this plan that a file is attached to; empty if the file is attached to anything else.
    private func kinds(ofOwner attachment: Resource) -> Set<ChartChoice.Owner> {
        guard let owner = attachment.reference(.attachable) else { return [] }
        if owner == planReference { return [.plan] }
        guard owners.contains(where: { $0.contains(owner) }), let kind = ChartChoice.Owner(rawValue: owner.type.lowercased()) else {
            return []
        }
        return [kind]
    }

    private func itemTitle(_ attachment: Resource) -> String {
        guard let owner = attachment.reference(.attachable) else { return "" }
        return zip(items, owners).first { $0.1.contains(owner) }?.0.text(.title) ?? ""
    }

    /// The resources whose attachments an item shows: the item itself, its song, arrangement and key.
    static func owners(of item: Resource) -> Set<Reference> {
        Set([item.reference] + [Resource.Relation.song, .arrangement, .key].compactMap { item.reference($0) })
    }

    func arrangement(of item: Resource) -> Resource? { item.reference(.arrangement).flatMap { included[$0] } }

    /// The beats per minute, rounded to a whole number; `nil` outside 1 to 999. The service may write a number or a text.
    func tempo(of item: Resource) -> Int? {
        let sent = arrangement(of: item)?.text(.tempo).flatMap { OutsideNumber(leading: $0)?.whole(in: 0...Self.fastest + 1) }
        return sent.flatMap { (1...Self.fastest).contains($0) ? $0 : nil }
    }

    func keyName(_ item: Resource) -> String {
        item.text(.keyName) ?? item.reference(.key).flatMap { included[$0]?.text(.name) } ?? ""
    }

    /// The item's position in the running order.
    private static func sequence(_ item: Resource) -> Int? { item.number(.sequence, in: -1_000_000...1_000_000) }
    /// The greatest tempo, in beats per minute: faster than anybody plays.
    private static let fastest = 999
    /// The longest possible length of an item, in seconds: a year.
    private static let longest = 366 * 86_400
    /// The largest possible size of a file, in bytes: more than a laptop's disk can hold.
    private static let largest = 1 << 50

    /// Describes a file as `item` shows it.
    func attachment(_ resource: Resource, madeFor item: Resource? = nil) -> Attachment {
        let isGenerated = Self.generated(resource) != nil
        return Attachment(
            id: AttachmentID(resource.id),
            filename: Self.filename(resource),
            // The service gives no type for generated charts.
            contentType: resource.text(.contentType) ?? "application/pdf",
            // Ignore impossible sizes.
            fileSize: resource.number(.fileSize, within: 0...Self.largest) ?? 0, updatedAt: resource.time(.updatedAt),
            isGenerated: isGenerated,
            generatedFrom: isGenerated ? item.map(origin) ?? "" : drawnFrom(resource, for: item), pageOrder: resource.text(.pageOrder) ?? ""
        )
    }

    /// The origin of a generated chart that `item` shows: the time when the arrangement last changed, and the item's key.
    private func origin(of item: Resource) -> String {
        [arrangement(of: item)?.text(.updatedAt), keyName(item)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
