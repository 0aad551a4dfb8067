package import Model

/// The decision on a layer that a poll returned. The good copy stays until its replacement can be trusted.
///
/// | the service's answer | doubted as | accepted |
/// |---|---|---|
/// | marks that are here are missing, in a lower revision | `older` | when a person accepts |
/// | marks are missing, in an earlier version, or after the service was restored to an older state | `putBack` | when a person accepts |
/// | unreadable marks | `unreadable` | never; the readable part is kept if there is no complete version here |
/// | a deletion at an impossible time | `deleted` | after an hour without change |
/// | marks on another chart than the former one and its successor | `elsewhere` | after an hour without change |
/// | marks are missing, without a new revision or time | `contradictory` | after an hour without change |
/// | no marks, in a new revision | `emptied` | after an hour without change |
/// | marks of which none is visible any more | `outOfSight` | after an hour without change |
/// | anything else | – | immediately |
package struct LayerDecision: Hashable {
    /// The state of a layer in the library.
    package struct KnownLayer: Hashable {
        /// `nil` if no part of the layer could ever be read.
        package var kept: Layer?
        package var doubt: Doubt?
        /// The chart that replaces the layer's chart in the plans, if the file was uploaded again. The layers of the old chart move to it.
        package var successor: AttachmentID?
        /// True if the same poll showed that the service was restored to an older state.
        package var isSuspect: Bool
        /// How far this machine's clock is ahead of the service's clock, which gives the layers their times.
        package var clockAhead: Duration

        package init(
            kept: Layer? = nil, doubt: Doubt? = nil, successor: AttachmentID? = nil, isSuspect: Bool = false, clockAhead: Duration = .zero
        ) {
            (self.kept, self.doubt, self.successor, self.isSuspect, self.clockAhead) = (kept, doubt, successor, isSuspect, clockAhead)
        }
    }

    /// A version of a layer that was not accepted, or was accepted only in part.
    package struct Doubt: Hashable {
        package var since: Timestamp
        package var reason: LayerDoubt.Reason
        /// Identifies the version that the service sent.
        package var sent: Digest
        /// True if only the readable part of a layer is kept.
        package var isPartial: Bool
        /// True if a person accepted this version although it is older than the kept one.
        package var isAccepted: Bool

        package init(since: Timestamp, reason: LayerDoubt.Reason, sent: Digest, isPartial: Bool, isAccepted: Bool = false) {
            (self.since, self.reason, self.sent, self.isPartial, self.isAccepted) = (since, reason, sent, isPartial, isAccepted)
        }
    }

    /// True if the layer is stored as it was sent.
    package private(set) var isAdopted = true
    /// The doubt to keep; `nil` if there is none any more.
    package private(set) var doubt: Doubt?

    /// Decides on `sent`. If the layer could not be read in full, `fault` is the reason, and `sent` is the readable part. `digest`
    /// identifies the whole answer.
    package init(sent: Layer, digest: @autoclosure () -> Digest, fault: String?, known: KnownLayer, at now: Timestamp) {
        guard let reason = Self.reason(sent: sent, fault: fault, known: known, at: now) else { return }
        let digest = digest()
        var since = now
        if let former = known.doubt, former.sent == digest, former.since <= now {
            since = former.since
            if let confirmation = reason.confirmation, now - since >= confirmation { return }
        }
        let isGood = known.kept.map { !$0.marks.isEmpty && $0.deletedAt == nil } ?? false
        let isWhole = isGood && known.doubt?.isPartial != true
        if case .unreadable = reason {
            // If there is nothing to lose, some marks are better than none. A single garbled answer may have far fewer marks than
            // the part that is here, so such a loss is accepted only if it persists for an hour.
            let isLess = isGood && sent.marks.count < known.kept?.marks.count ?? 0
            isAdopted = !isWhole && !sent.marks.isEmpty && (!isLess || now - since >= .seconds(3600))
        } else {
            isAdopted = false
        }
        doubt = Doubt(
            since: since, reason: reason, sent: digest, isPartial: isAdopted || (known.doubt?.isPartial ?? false),
            isAccepted: known.doubt?.isAccepted ?? false)
    }

    private static func reason(sent: Layer, fault: String?, known: KnownLayer, at now: Timestamp) -> LayerDoubt.Reason? {
        if let reason = past(sent, isWhole: fault == nil, known: known, at: now) { return reason }
        if let fault { return .unreadable(fault) }
        let latestDeletion = now - known.clockAhead + .seconds(86_400)
        if let deleted = sent.deletedAt, deleted < earliestDeletion || deleted > latestDeletion { return .deleted(at: deleted) }
        guard let kept = known.kept, kept.deletedAt == nil, !kept.marks.isEmpty else { return nil }
        if sent.attachment != kept.attachment, sent.attachment != known.successor { return .elsewhere(sent.attachment) }
        // A deleted layer keeps its marks, so do not compare them.
        guard sent.deletedAt == nil else { return nil }
        let missing = Set(kept.marks).subtracting(sent.marks).count
        if isToBeExplained(missing, of: kept, after: sent) { return .contradictory(missing: missing, of: kept.marks.count) }
        if sent.marks.isEmpty { return .emptied(marks: kept.marks.count) }
        // If all marks have left the page, they are lost for anyone who plays from the page.
        let seen = kept.marks.count(where: \.canBeSeen)
        return seen > 0 && !sent.marks.contains(where: \.canBeSeen) ? .outOfSight(marks: seen) : nil
    }

    /// Why the service's version of a layer is out of date; `nil` if it is not. The newer version stays until a person accepts the
    /// older one, even if the older one has since been edited: nobody removed the marks that it lacks.
    private static func past(_ sent: Layer, isWhole: Bool, known: KnownLayer, at now: Timestamp) -> LayerDoubt.Reason? {
        guard let kept = known.kept, kept.deletedAt == nil, known.doubt?.isAccepted != true else { return nil }
        let isElsewhere = sent.attachment != kept.attachment && sent.attachment != known.successor
        let staying = sent.deletedAt != nil || isElsewhere ? [] : sent.marks
        let missing = Set(kept.marks).subtracting(staying).count
        guard missing > 0 else { return nil }
        // If part of the layer is unreadable, its revision may be wrong, too.
        if isWhole, sent.revision < kept.revision { return .older(revision: sent.revision, than: kept.revision) }
        let isEarlier = isWhole && Timestamp.runsBackwards(from: kept.updatedAt, to: sent.updatedAt, at: now - known.clockAhead)
        guard isEarlier || known.isSuspect || known.doubt?.reason.isOfThePast == true else { return nil }
        return .putBack(missing: missing, of: kept.marks.count)
    }

    /// True if this layer alone shows that the service was restored to an older state. A layer whose older version a person has accepted
    /// does not count as a sign.
    package static func isSign(_ sent: Layer, fault: String?, known: KnownLayer, at now: Timestamp) -> Bool {
        var alone = known
        (alone.doubt, alone.isSuspect) = (nil, false)
        // A higher revision with an earlier time may come from a single wrong clock. So it casts doubt on its own layer only.
        return fault == nil && sent.revision <= known.kept?.revision ?? .max && past(sent, isWhole: true, known: alone, at: now) != nil
            && known.doubt?.isAccepted != true
    }

    /// True if marks are missing although neither the revision nor the time is newer. If the service gives neither revisions nor
    /// times, only the loss of more than half of the marks counts.
    private static func isToBeExplained(_ missing: Int, of kept: Layer, after sent: Layer) -> Bool {
        guard missing > 0, sent.revision == kept.revision else { return false }
        if kept.revision != 0 { return true }
        guard kept.updatedAt != nil || sent.updatedAt != nil else { return missing * 2 > kept.marks.count }
        guard let before = kept.updatedAt, let after = sent.updatedAt else { return true }
        return after <= before
    }

    /// The beginning of the year 2000. An earlier time of deletion is impossible.
    private static let earliestDeletion = Timestamp(nanoseconds: 946_684_800_000_000_000)
}

extension Timestamp {
    /// True if a version has an earlier time than the former version. A former time more than a day in the future was wrong, so any
    /// time may follow it. `now` must be the time by the clock that gave those times, which is the service's.
    package static func runsBackwards(from former: Timestamp?, to sent: Timestamp?, at now: Timestamp) -> Bool {
        guard let former, let sent else { return false }
        return sent < former && former <= now + .seconds(86_400)
    }
}
