package import Model

/// The decision on the plans that a poll returned. It depends only on the values passed in. The library carries it out.
package struct PollDecision {
    package struct KnownPlan: Hashable {
        package var contents: PlanContents
        package var held: Held?
        /// When the service first left the plan out of its list.
        package var goneSince: Timestamp?
        /// The charts that the plan no longer shows.
        package var lost: [Lost] = []

        package init(contents: PlanContents, held: Held? = nil, goneSince: Timestamp? = nil, lost: [Lost] = []) {
            (self.contents, self.held, self.goneSince, self.lost) = (contents, held, goneSince, lost)
        }
    }

    package struct Held: Hashable {
        package var sent: PlanContents
        package var since: Timestamp
        package var reason: HoldReason

        package init(sent: PlanContents, since: Timestamp, reason: HoldReason) {
            (self.sent, self.since, self.reason) = (sent, since, reason)
        }
    }

    /// Plans to write as a whole.
    package private(set) var replaced: [PlanContents] = []
    /// Attachments to write, for all plans that show them.
    package private(set) var attachments: [Attachment] = []
    /// Contents to hold back and, below, plans whose held contents are dropped.
    package private(set) var held: [PlanID: Held] = [:]
    package private(set) var released: [PlanID] = []
    /// The new lists of lost charts, for each plan whose list changes.
    package private(set) var lost: [PlanID: [Lost]] = [:]
    /// Plans to mark as gone and, below, plans that are listed again.
    package private(set) var gone: [PlanID] = []
    package private(set) var returned: [PlanID] = []
    /// The changes for the journal.
    package private(set) var changes: [LibraryChange] = []

    /// Decides. `unread` are listed plans whose contents could not be read. `named` are all listed plans; without them, no plan counts as
    /// gone. `accepted` are plans whose contents a person has accepted, however little is in them. `ahead` is how long before their time
    /// plans are kept ready. `isChoiceGiven` is whether somebody else than the musician chose which files are charts; then a plan may be
    /// left without any. `clockAhead` is how far this machine's clock is ahead of the service's.
    package init(
        known: [KnownPlan], sent: [PlanContents], unread: [Plan] = [], named: Set<PlanID>? = nil, declined: Set<PlanID> = [],
        accepted: Set<PlanID> = [], ahead: Duration? = nil, isChoiceGiven: Bool = false, clockAhead: Duration = .zero,
        at now: Timestamp
    ) {
        let before = Dictionary(known.map { ($0.contents.plan.id, $0) }) { _, last in last }
        let latest = Self.lastVersions(sent)
        let served = Set(latest.filter { !$0.attachments.isEmpty }.map(\.plan.serviceType))
        var settled = accepted
        let unaccepted = latest.filter { !accepted.contains($0.plan.id) }
        let together = Self.losingTogether(unaccepted, before, isPartial: !unread.isEmpty, at: now)
        let past = Past(known.filter { !accepted.contains($0.contents.plan.id) }, sent: unaccepted, clockAhead, at: now)
        let sent = latest.filter { contents in
            guard let kept = before[contents.plan.id], !accepted.contains(contents.plan.id),
                let reason = past.doubt(about: contents, after: kept)
                    ?? Self.doubt(about: contents, after: kept, served: served, ahead: ahead, isChoiceGiven: isChoiceGiven, at: now)
                    ?? Self.stillHidden(contents, after: kept) ?? together.flatMap({ $0.plans.contains(contents.plan.id) ? $0.1 : nil })
            else { return true }
            guard isConfirmed(contents, kept, reason, at: now) else { return false }
            settled.insert(contents.plan.id)
            return true
        }
        released = sent.map(\.plan.id).filter { before[$0]?.held != nil }
        for contents in sent {
            guard let kept = before[contents.plan.id] else { continue }
            let lost = Self.lost(by: kept, to: contents, isSettled: settled.contains(contents.plan.id), at: now)
            if Set(lost) != Set(kept.lost) { self.lost[contents.plan.id] = lost }
        }
        let sooner =
            latest.compactMap { broughtForward($0, before[$0.plan.id], ahead: ahead, at: now) }
            + unread.compactMap { plan in
                before[plan.id].flatMap { kept in
                    Self.isDoubtful(plan, after: kept.contents.plan, ahead: ahead, at: now) ? nil : Self.broughtForward(kept, to: plan)
                }
            }
        for contents in sent where before[contents.plan.id] == nil && !accepted.contains(contents.plan.id) {
            guard let reason = past.doubt(about: contents, after: nil) else { continue }
            held[contents.plan.id] = Held(sent: contents, since: now, reason: reason)
            changes.append(.planHeldBack(.init(contents.plan), reason))
        }
        // All plans must show the same version of a chart. So new contents get the versions that `past` keeps, unless a person accepted
        // the contents.
        let taken = Self.reconciled(sent).map { accepted.contains($0.plan.id) ? $0 : $0.settingAttachments(past.charts) }
        apply(taken, broughtForward: sooner, to: known)
        judgeMissing(known, named: named, declined: declined, sent: Set(latest.map(\.plan.id)), at: now)
    }

    /// Returns whether doubtful contents are accepted by now. If not, they are held back.
    private mutating func isConfirmed(_ contents: PlanContents, _ kept: KnownPlan, _ reason: HoldReason, at now: Timestamp) -> Bool {
        let id = contents.plan.id
        guard let former = kept.held else {
            held[id] = Held(sent: contents, since: now, reason: reason)
            changes.append(.planHeldBack(.init(kept.contents.plan), reason))
            return false
        }
        // If the contents have changed, or the former time is in the future because the clock was wrong, the waiting starts again.
        guard former.sent == contents, former.since <= now else {
            held[id] = Held(sent: contents, since: now, reason: reason)
            return false
        }
        if former.reason != reason { held[id] = Held(sent: contents, since: former.since, reason: reason) }
        return reason.confirmation.map { now - former.since >= $0 } ?? false
    }

    /// The plan with its new time, if the plan is held back but now begins sooner: with the old time, another plan would be called
    /// the next one. If the date itself is in doubt, nothing in the answer is accepted.
    private func broughtForward(_ contents: PlanContents, _ kept: KnownPlan?, ahead: Duration?, at now: Timestamp) -> PlanContents? {
        guard let kept, let held = held[contents.plan.id] ?? kept.held, held.sent == contents, !released.contains(contents.plan.id),
            !Self.isDoubtful(contents.plan, after: kept.contents.plan, ahead: ahead, at: now)
        else { return nil }
        return Self.broughtForward(kept, to: contents.plan)
    }

    /// The known contents with the plan's new time; `nil` if this time is not earlier. A plan without a time may be on any day, so
    /// every time counts as earlier.
    private static func broughtForward(_ kept: KnownPlan, to plan: Plan) -> PlanContents? {
        guard let start = plan.firstTime, kept.contents.plan.firstTime.map({ start < $0 }) ?? true else { return nil }
        var sooner = kept.contents
        sooner.plan = plan
        return sooner
    }

    private mutating func apply(_ sent: [PlanContents], broughtForward: [PlanContents], to known: [KnownPlan]) {
        let heldNow = known.map(\.contents)
        // Compare attachments without their origins: a song's chart has another origin in a plan that plays it in another key.
        let knownAttachments = Dictionary(heldNow.flatMap(\.attachments).map { ($0.id, $0.made(from: "")) }) { _, last in last }
        let latest = Self.latest(sent.flatMap(\.attachments)).mapValues { $0.made(from: "") }
        attachments = latest.values.filter { knownAttachments[$0.id] != $0 }.sorted { $0.id < $1.id }

        let before = Dictionary(heldNow.map { ($0.plan.id, $0.settingAttachments(latest)) }) { _, last in last }
        let new = sent + broughtForward.map { $0.settingAttachments(latest) }
        replaced = new.filter { before[$0.plan.id] != $0 }
        let given = Dictionary(new.map { ($0.plan.id, $0) }) { _, last in last }
        let after = before.merging(given) { _, new in new }
        changes =
            LibraryChange.between(heldNow, Array(after.values)) + changes.sorted { $0.sentence(in: .utc) < $1.sentence(in: .utc) }
    }

    private mutating func judgeMissing(
        _ known: [KnownPlan], named: Set<PlanID>?, declined: Set<PlanID>, sent: Set<PlanID>, at now: Timestamp
    ) {
        let present = sent.union(named ?? [])
        for plan in known.sorted(by: { $0.contents.plan.id < $1.contents.plan.id }) {
            let (id, start) = (plan.contents.plan.id, plan.contents.plan.firstTime)
            if present.contains(id) {
                if plan.goneSince != nil { returned.append(id) }
            } else if named != nil, plan.goneSince == nil, start.map({ $0 > now }) ?? true {
                // The service lists only coming plans, so a plan that has begun leaves the list by itself.
                gone.append(id)
                changes.append(declined.contains(id) ? .planDeclined(.init(plan.contents.plan)) : .planGone(.init(plan.contents.plan)))
            } else if plan.isPutBack, plan.contents.plan.isPast(at: now) {
                released.append(id)
            } else if let named, isDoubtOver(about: plan, at: now), Self.doubt(about: named, knowing: known, at: now) == nil {
                released.append(id)
            }
        }
    }

    /// True if held contents no longer matter, because the service has not listed the plan for as long as confirming them would
    /// have taken (an hour, if only a person can confirm them). The plan stays as it was. If it is listed again, it is judged anew.
    private func isDoubtOver(about plan: KnownPlan, at now: Timestamp) -> Bool {
        guard let held = plan.held, let since = plan.goneSince, since <= now else { return false }
        return now - since >= held.reason.confirmation ?? .seconds(3600)
    }

    /// Keeps the last version of each plan. An answer contains a plan twice if the lists changed between two of their pages.
    private static func lastVersions(_ plans: [PlanContents]) -> [PlanContents] {
        var seen: Set<PlanID> = []
        return Array(plans.reversed().filter { seen.insert($0.plan.id).inserted }.reversed())
    }

    /// Uses the newest version of an attachment that was sent in two versions. Otherwise, the same answer could change the
    /// plans again the next time.
    private static func reconciled(_ plans: [PlanContents]) -> [PlanContents] {
        let latest = latest(plans.flatMap(\.items).flatMap(\.attachments))
        return plans.map { $0.settingAttachments(latest) }
    }

    /// The newest version of each attachment, or the last one sent if their times are equal. The order of plans is no evidence,
    /// because a service may read each plan from another copy of its records, and some copies lag behind.
    static func latest(_ attachments: [Attachment]) -> [AttachmentID: Attachment] {
        let never = Timestamp(nanoseconds: .min)
        return Dictionary(attachments.map { ($0.id, $0) }) { ($0.updatedAt ?? never) > ($1.updatedAt ?? never) ? $0 : $1 }
    }
}

extension PlanContents {
    /// The same contents with the `latest` version of each attachment, but with the origin that each has here.
    func settingAttachments(_ latest: [AttachmentID: Attachment]) -> PlanContents {
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
    /// The same attachment with another origin.
    func made(from origin: String) -> Attachment {
        var attachment = self
        attachment.generatedFrom = origin
        return attachment
    }
}

extension PollDecision {
    /// The listed plans that remain to be read after a poll, sorted by id.
    ///
    /// A plan that is here is left out if its listed time is unchanged: its contents here are as good as the service's last full
    /// answer. `expected` are all listed plans that will be kept ready; `nil` if there may be others, so that none is left out.
    package static func unread(
        after former: [UnreadPlan], _ failed: [UnreadPlan], known: [KnownPlan], sent: [PlanContents], expected: Set<PlanID>?
    ) -> [UnreadPlan] {
        let read = Set(sent.map(\.plan.id))
        let kept = Dictionary(known.map { ($0.contents.plan.id, $0.contents.plan) }) { first, _ in first }
        var unread = Dictionary(former.map { ($0.plan.id, $0) }) { first, _ in first }
        for var plan in failed {
            let id = plan.plan.id
            if let before = unread[id] {
                (plan.since, plan.reason) = (min(before.since, plan.since), plan.reason ?? before.reason)
            } else if let kept = kept[id], kept.firstTime == plan.plan.firstTime {
                continue
            }
            unread[id] = plan
        }
        return unread.values.filter { !read.contains($0.plan.id) && expected?.contains($0.plan.id) ?? true }
            .sorted { $0.plan.id < $1.plan.id }
    }
}
