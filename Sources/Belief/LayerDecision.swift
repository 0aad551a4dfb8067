package import Model

/// What to do with a layer that a poll returned: the good copy stays until its replacement is understood.
package struct LayerDecision: Hashable {
    /// A layer that the library holds, or has heard of.
    package struct Known: Hashable {
        /// `nil` where nothing of it could ever be read.
        package var kept: Layer?
        package var doubt: Doubt?
        /// The chart that plans show in the place of the one that the layer lies on: it was uploaded anew, and its layers move there.
        package var successor: AttachmentID?

        package init(kept: Layer? = nil, doubt: Doubt? = nil, successor: AttachmentID? = nil) {
            self.kept = kept
            self.doubt = doubt
            self.successor = successor
        }
    }

    /// What was told last of a layer and not taken over, or not all of it.
    package struct Doubt: Hashable {
        package var since: Timestamp
        package var reason: LayerDoubt.Reason
        /// Names what was told.
        package var told: Digest
        /// Whether what is kept is the readable part of something.
        package var isPartial: Bool

        package init(since: Timestamp, reason: LayerDoubt.Reason, told: Digest, isPartial: Bool) {
            self.since = since
            self.reason = reason
            self.told = told
            self.isPartial = isPartial
        }
    }

    /// Whether the layer is written as it was told.
    package private(set) var isTaken = true
    /// What remains doubtful; `nil` ends every doubt.
    package private(set) var doubt: Doubt?

    /// Decides. `fault` says why not all of it could be read; then `told` is what could be. `digest` names what was told.
    package init(told: Layer, digest: @autoclosure () -> Digest, fault: String?, known: Known, at now: Timestamp) {
        guard let reason = Self.reason(told: told, fault: fault, known: known, at: now) else { return }
        let digest = digest()
        var since = now
        if let former = known.doubt, former.told == digest, former.since <= now {
            since = former.since
            if let confirmation = reason.confirmation, now - since >= confirmation { return }
        }
        let isGood = known.kept.map { !$0.marks.isEmpty && $0.deletedAt == nil } ?? false
        let isWhole = isGood && known.doubt?.isPartial != true
        if case .unreadable = reason {
            // Where there is nothing to lose, some marks are better than none.
            isTaken = !isWhole && !told.marks.isEmpty
        } else {
            isTaken = false
        }
        doubt = Doubt(since: since, reason: reason, told: digest, isPartial: isTaken || (known.doubt?.isPartial ?? false))
    }

    private static func reason(told: Layer, fault: String?, known: Known, at now: Timestamp) -> LayerDoubt.Reason? {
        if let fault { return .unreadable(fault) }
        if let deleted = told.deletedAt, deleted < earliestDeletion || deleted > now + .seconds(86_400) { return .deleted(at: deleted) }
        guard let kept = known.kept, kept.deletedAt == nil, !kept.marks.isEmpty else { return nil }
        if told.revision < kept.revision { return .older(revision: told.revision, than: kept.revision) }
        if told.attachment != kept.attachment, told.attachment != known.successor { return .elsewhere(told.attachment) }
        // Who deletes a layer need not touch its marks, which are kept with it.
        guard told.deletedAt == nil else { return nil }
        let missing = Set(kept.marks).subtracting(told.marks).count
        if isToBeExplained(missing, of: kept, after: told) { return .contradictory(missing: missing, of: kept.marks.count) }
        return told.marks.isEmpty ? .emptied(marks: kept.marks.count) : nil
    }

    /// Whether marks that are not told any more should have come with another version of the layer. Where the service counts none,
    /// only a loss of most of them is as good as a contradiction.
    private static func isToBeExplained(_ missing: Int, of kept: Layer, after told: Layer) -> Bool {
        guard missing > 0, told.revision == kept.revision else { return false }
        if kept.revision != 0 { return true }
        guard kept.updatedAt != nil || told.updatedAt != nil else { return missing * 2 > kept.marks.count }
        guard let before = kept.updatedAt, let after = told.updatedAt else { return true }
        return after <= before
    }

    /// 2000-01-01: nobody had such layers before.
    private static let earliestDeletion = Timestamp(nanoseconds: 946_684_800_000_000_000)
}
