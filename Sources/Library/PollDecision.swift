import Model

/// What to do with what a poll told of plans: decided from values alone, carried out by the library.
struct PollDecision {
    /// A plan that the library holds.
    struct Known: Hashable {
        var contents: PlanContents
        var held: Held?
        var isGone = false
    }

    /// Contents that were not taken over yet.
    struct Held: Hashable {
        var told: PlanContents
        var since: Timestamp
    }

    /// How long a plan must go on being told so much smaller before that is believed.
    static let confirmation: Duration = .seconds(3600)

    /// Plans to write as a whole.
    private(set) var replaced: [PlanContents] = []
    /// Attachments to write, whichever plans show them.
    private(set) var attachments: [Attachment] = []
    /// Contents to hold back, and plans that none are held back of any more.
    private(set) var held: [PlanID: Held] = [:]
    private(set) var released: [PlanID] = []
    /// Plans that are flagged as gone, and those that are named again.
    private(set) var gone: [PlanID] = []
    private(set) var returned: [PlanID] = []
    /// All of it, told.
    private(set) var changes: [LibraryChange] = []

    /// Decides. `accepted` are plans whose contents are taken however little they have.
    init(
        known: [Known], told: [PlanContents], named: Set<PlanID>? = nil, accepted: Set<PlanID> = [], at now: Timestamp
    ) {
        let before = Dictionary(known.map { ($0.contents.plan.id, $0) }) { _, last in last }
        let told = Self.lastWords(told).filter { contents in
            guard let kept = before[contents.plan.id], !accepted.contains(contents.plan.id),
                Self.losesMostCharts(from: kept.contents, to: contents)
            else { return true }
            return isConfirmed(contents, kept, at: now)
        }
        released = told.map(\.plan.id).filter { before[$0]?.held != nil }
        apply(Self.reconciled(told), to: known)
        judgeMissing(known, named: named, told: Set(told.map(\.plan.id)).union(held.keys), at: now)
    }

    /// Whether contents that lost most of their charts are believed by now; holds them back if not.
    private mutating func isConfirmed(_ contents: PlanContents, _ kept: Known, at now: Timestamp) -> Bool {
        let id = contents.plan.id
        guard let former = kept.held else {
            held[id] = Held(told: contents, since: now)
            changes.append(
                .planShrinkHeldBack(
                    .init(kept.contents.plan), from: kept.contents.attachments.count, to: contents.attachments.count))
            return false
        }
        // Other contents begin their hour anew, as does a clock that was wrong.
        guard former.told == contents, former.since <= now else {
            held[id] = Held(told: contents, since: now)
            return false
        }
        return now - former.since >= Self.confirmation
    }

    private mutating func apply(_ told: [PlanContents], to known: [Known]) {
        let heldNow = known.map(\.contents)
        // What a chart is made from is no word about its attachment.
        let knownAttachments = Dictionary(heldNow.flatMap(\.attachments).map { ($0.id, $0.made(from: "")) }) { _, last in last }
        let latest = Dictionary(told.flatMap(\.attachments).map { ($0.id, $0.made(from: "")) }) { _, last in last }
        attachments = latest.values.filter { knownAttachments[$0.id] != $0 }.sorted { $0.id < $1.id }

        let before = Dictionary(heldNow.map { ($0.plan.id, $0.settingAttachments(latest)) }) { _, last in last }
        replaced = told.filter { before[$0.plan.id] != $0 }
        let given = Dictionary(told.map { ($0.plan.id, $0) }) { _, last in last }
        let after = before.merging(given) { _, new in new }
        changes = LibraryChange.between(heldNow, Array(after.values)) + changes.sorted { $0.sentence < $1.sentence }
    }

    private mutating func judgeMissing(_ known: [Known], named: Set<PlanID>?, told: Set<PlanID>, at now: Timestamp) {
        let present = told.union(named ?? [])
        for plan in known.sorted(by: { $0.contents.plan.id < $1.contents.plan.id }) {
            let (id, start) = (plan.contents.plan.id, plan.contents.plan.firstTime)
            if present.contains(id) {
                if plan.isGone { returned.append(id) }
            } else if named != nil, !plan.isGone, start.map({ $0 > now }) ?? true {
                // The service lists coming plans: one that has begun drops out of the list by itself.
                gone.append(id)
                changes.append(.planGone(.init(plan.contents.plan)))
            }
        }
    }

    /// Whether less than half of a plan's charts would be left. What is left out by choice is not lost.
    private static func losesMostCharts(from old: PlanContents, to new: PlanContents) -> Bool {
        let before = Set(old.attachments.map(\.id))
        let present = Set(new.attachments.map(\.id))
        let notChosen = Set(
            new.leftOut.compactMap { file in
                if case .notChosen = file.reason { file.attachment } else { nil }
            })
        let stillThere = present.count + before.count { notChosen.contains($0) && !present.contains($0) }
        return stillThere * 2 < before.count
    }

    /// One answer may tell a plan twice, when the lists changed between two of their pages: the last word counts.
    private static func lastWords(_ plans: [PlanContents]) -> [PlanContents] {
        var seen: Set<PlanID> = []
        return Array(plans.reversed().filter { seen.insert($0.plan.id).inserted }.reversed())
    }

    /// So it does for an attachment that is told in two states, everywhere, so that the same answer taken over again
    /// changes nothing.
    private static func reconciled(_ plans: [PlanContents]) -> [PlanContents] {
        var latest: [AttachmentID: Attachment] = [:]
        for attachment in plans.flatMap(\.items).flatMap(\.attachments) { latest[attachment.id] = attachment }
        return plans.map { $0.settingAttachments(latest) }
    }
}

extension PlanContents {
    /// The same with the words of `latest` about its attachments.
    fileprivate func settingAttachments(_ latest: [AttachmentID: Attachment]) -> PlanContents {
        var contents = self
        for item in contents.items.indices {
            contents.items[item].attachments = contents.items[item].attachments.map {
                latest[$0.id]?.made(from: $0.generatedFrom) ?? $0
            }
        }
        return contents
    }
}

extension Attachment {
    /// The same where it is made from something else.
    fileprivate func made(from origin: String) -> Attachment {
        var attachment = self
        attachment.generatedFrom = origin
        return attachment
    }
}
