package import Model

/// Rules for accepting a plan's new contents. The first rule that applies decides. A plan that is held back stays as it was.
///
/// | the service's answer | held back as | accepted |
/// |---|---|---|
/// | a person accepted the plan | – | immediately |
/// | the plan shows or loses charts that are here in a newer version | `putBack` | when a person accepts, or the plan is over |
/// | the plan's date is past, missing, too far from the former date, or too far away | `dateDoubtful` | after a day without change |
/// | most of the plan's charts are gone, but still listed as its files | `listsDisagree` | when a person accepts |
/// | most of the plan's charts are gone, or all of them | `chartsLost` | after an hour without change |
/// | the musician's settings choose no chart in the plan, nor in other plans of its type | `nothingChosen` | when a person accepts |
/// | in a set, half of the charts or songs are gone, and more than one or all | `chartsLost` | after an hour without change |
/// | charts are gone from items that stay: in several plans, or in one if the answer is incomplete | `chartsHidden` | after an hour |
/// | anything else, and any part of a new plan that is not held back | – | immediately |
///
/// The new time of a plan that is held back is accepted immediately if the plan now begins earlier and its date is not in doubt. A plan
/// that is no longer listed is kept until it is over. A list that lacks most of the plans changes nothing for an hour.
extension PollDecision {
    /// A chart that a plan no longer shows.
    package struct Lost: Hashable {
        package var attachment: AttachmentID
        package var filename: String
        package var since: Timestamp
        /// True if the chart still counts when the plan loses more charts. False if it was left out by choice, was replaced, or its
        /// loss was accepted.
        package var counts: Bool

        package init(attachment: AttachmentID, filename: String, since: Timestamp, counts: Bool) {
            (self.attachment, self.filename, self.since, self.counts) = (attachment, filename, since, counts)
        }
    }

    /// How long a lost chart counts when a plan loses more charts, since a plan may also lose its charts step by step. A week,
    /// because plans are rebuilt from week to week.
    package static let memory: Duration = .seconds(7 * 86_400)
    /// The farthest that a plan is moved. Plans are postponed by weeks, so a date farther away is more likely a wrong year.
    private static let farthestMove: Duration = .seconds(183 * 86_400)

    /// Why contents are not accepted immediately; `nil` if they are. `served` are the service types that the present configuration
    /// shows charts for, in any plan of this poll.
    package static func doubt(
        about sent: PlanContents, after kept: KnownPlan, served: Set<ServiceTypeID>, ahead: Duration?, isChoiceGiven: Bool,
        at now: Timestamp
    ) -> HoldReason? {
        if isDoubtful(sent.plan, after: kept.contents.plan, ahead: ahead, at: now) {
            // If the plan has no time any more, the message names the former time of the service itself, not of a rehearsal before it.
            let from = sent.plan.firstTime == nil ? kept.contents.plan.mainTime : kept.contents.plan.firstTime
            return .dateDoubtful(from: from, to: sent.plan.firstTime)
        }
        let loss = loss(of: kept, in: sent, at: now)
        if isSet(sent.plan) {
            // A list that was cut short may have had songs without charts, too.
            let songs = [kept.contents, sent].map { contents in contents.items.count { $0.kind == "song" } }
            for (lost, shown) in [loss, (lost: songs[0] - songs[1], shown: songs[0])]
            where lost * 2 >= shown && (lost > 1 || lost == 1 && shown == 1) {
                return .chartsLost(lost, of: shown)
            }
        }
        if loss.lost * 2 > loss.shown || loss.lost > 0 && sent.attachments.isEmpty {
            let listed = stillListed(in: sent, of: kept)
            return listed * 2 > loss.lost ? .listsDisagree(listed, of: loss.shown) : .chartsLost(loss.lost, of: loss.shown)
        }
        // If somebody else made the choice, the musician cannot mend it.
        guard sent.attachments.isEmpty, !kept.contents.attachments.isEmpty, !served.contains(sent.plan.serviceType), !isChoiceGiven
        else { return nil }
        return .nothingChosen(rule: sent.rules)
    }

    /// The reason `chartsHidden` if these very contents are already held back for it: they stay held back for their hour, even if the
    /// other plans have recovered in the meantime.
    static func stillHidden(_ sent: PlanContents, after kept: KnownPlan) -> HoldReason? {
        guard let held = kept.held, held.sent == sent, case .chartsHidden = held.reason else { return nil }
        return held.reason
    }

    /// The plans that lost charts together: at least a third of all charts of the plans in the answer, in more than one plan, from
    /// items that still exist. A person who removes songs also removes their items, while one fault of the service hides files
    /// everywhere. If the answer is incomplete, the unread plans may have lost more charts, so a single such chart is enough.
    static func losingTogether(
        _ sent: [PlanContents], _ before: [PlanID: KnownPlan], isPartial: Bool, at now: Timestamp
    ) -> (plans: Set<PlanID>, HoldReason)? {
        var (lost, shown, plans) = (Set<AttachmentID>(), Set<AttachmentID>(), Set<PlanID>())
        for contents in sent {
            guard let kept = before[contents.plan.id], !kept.contents.plan.isPast(at: now) else { continue }
            let items = Set(contents.items.map(\.id))
            let staying = Set(kept.contents.items.filter { items.contains($0.id) }.flatMap(\.attachments).map(\.id))
            let hidden = gone(from: kept, in: contents, at: now).lost.intersection(staying)
            // For a plan that loses nothing, count the charts that it shows from now on, since they will also count in the next poll.
            shown.formUnion((hidden.isEmpty ? contents : kept.contents).attachments.map(\.id))
            lost.formUnion(hidden)
            if !hidden.isEmpty { plans.insert(contents.plan.id) }
        }
        guard plans.count > 1 && lost.count > 1 && lost.count * 3 >= shown.count || isPartial && !plans.isEmpty else { return nil }
        return (plans, .chartsHidden(lost.count, of: shown.count, plans: plans.count))
    }

    /// How many charts were shown lately, and how many of them are gone. Charts that were left out by choice, or were replaced by
    /// another file of the same name, are not lost.
    private static func loss(of kept: KnownPlan, in sent: PlanContents, at now: Timestamp) -> (lost: Int, shown: Int) {
        let (lost, shown) = gone(from: kept, in: sent, at: now)
        return (lost.count, shown)
    }

    private static func gone(from kept: KnownPlan, in sent: PlanContents, at now: Timestamp) -> (lost: Set<AttachmentID>, shown: Int) {
        var shown = Dictionary(kept.contents.attachments.map { ($0.id, $0.filename) }) { first, _ in first }
        for chart in kept.lost where chart.counts && now < chart.since + memory { shown[chart.attachment] = chart.filename }
        let stays = Set(sent.attachments.map(\.id)).union(dropped(of: shown, from: kept, in: sent)).union(replaced(of: shown, by: sent))
        return (Set(shown.keys).subtracting(stays), shown.count)
    }

    /// How many of the plan's former charts are still listed as its files, although no item has them any more.
    private static func stillListed(in sent: PlanContents, of kept: KnownPlan) -> Int {
        let shown = Set(kept.contents.attachments.map(\.id))
        let present = Set(sent.attachments.map(\.id))
        return Set(
            sent.leftOut.filter { file in if case .ofNoItem = file.reason { true } else { false } }.map(\.attachment)
        ).intersection(shown).subtracting(present).count
    }

    /// The charts that were left out because the choice of charts changed. If the choice is the same, or the file has a new name,
    /// the service made the change, and the rule matches the file only by accident.
    static func dropped(
        of shown: [AttachmentID: String], from kept: KnownPlan, in sent: PlanContents
    ) -> Set<AttachmentID> {
        if let before = kept.contents.choice, before == sent.choice { return [] }
        return Set(sent.leftOut.filter { $0.isByChoice && shown[$0.attachment] == $0.filename }.map(\.attachment))
    }

    /// Whether the plan is a set of the musician's own. There, the loss of half is doubted: a folder may be half copied, a list half saved.
    private static func isSet(_ plan: Plan) -> Bool { plan.id.source == .sets }

    /// The missing charts that were replaced: each by one new file of the same name, apart from capitals. In a set, a new version often
    /// has another name, so any new file counts.
    private static func replaced(of shown: [AttachmentID: String], by sent: PlanContents) -> Set<AttachmentID> {
        let present = Set(sent.attachments.map(\.id))
        var free: [String: Int] = [:]
        for chart in sent.attachments where shown[chart.id] == nil { free[chart.filename.lowercased(), default: 0] += 1 }
        var replaced: Set<AttachmentID> = []
        for (id, name) in shown.sorted(by: { $0.key < $1.key }) where !present.contains(id) {
            guard let count = free[name.lowercased()], count > 0 else { continue }
            free[name.lowercased()] = count - 1
            replaced.insert(id)
        }
        guard isSet(sent.plan) else { return replaced }
        let others = shown.keys.filter { !present.contains($0) && !replaced.contains($0) }.sorted()
        // A file that is played in two keys is one chart, though it may have replaced two by its name.
        return replaced.union(others.prefix(max(0, present.count { shown[$0] == nil } - replaced.count)))
    }

    static func isDoubtful(_ sent: Plan, after kept: Plan, ahead: Duration?, at now: Timestamp) -> Bool {
        if sent.isPast(at: now), !kept.isPast(at: now) { return true }
        guard let before = kept.firstTime else { return false }
        guard let after = sent.firstTime else { return true }
        // A plan that was over is now kept ready again, which loses nothing. Only a date too far in the future is doubtful.
        if kept.isPast(at: now), after > before { return after > now + farthestMove }
        // With its former date, the plan was kept ready; with the new date, it would be too far away for that.
        if let ahead, before <= now + ahead, after > now + ahead { return true }
        return after > before + farthestMove || after < before - farthestMove
    }

    /// The charts that a plan no longer shows once it has the new contents. If these contents were doubted and then accepted
    /// (`isSettled`), their losses do not count later.
    package static func lost(by kept: KnownPlan, to new: PlanContents, isSettled: Bool, at now: Timestamp) -> [Lost] {
        let present = Set(new.attachments.map(\.id))
        let shown = Dictionary(kept.contents.attachments.map { ($0.id, $0.filename) }) { first, _ in first }
        let excused = dropped(of: shown, from: kept, in: new).union(replaced(of: shown, by: new))
        var lost = Dictionary(kept.lost.map { ($0.attachment, $0) }) { first, _ in first }
        for chart in kept.contents.attachments {
            lost[chart.id] = Lost(attachment: chart.id, filename: chart.filename, since: now, counts: !excused.contains(chart.id))
        }
        return lost.values.filter { !present.contains($0.attachment) }.map { chart in
            var chart = chart
            if isSettled { chart.counts = false }
            return chart
        }.sorted { $0.attachment < $1.attachment }
    }

    /// How many coming plans are missing from a list that should contain all of them, and how many coming plans there are. `nil` if
    /// at most half of them are missing, or if all the missing ones have been missing for an hour.
    package static func doubt(about named: Set<PlanID>, knowing known: [KnownPlan], at now: Timestamp) -> (missing: Int, of: Int)? {
        let expected = known.filter { plan in plan.contents.plan.firstTime.map { $0 > now } ?? false }
        let missing = expected.filter { !named.contains($0.contents.plan.id) }
        let isNews = missing.contains { plan in
            guard let since = plan.goneSince else { return true }
            return since > now || now - since < .seconds(3600)
        }
        return missing.count * 2 > expected.count && isNews ? (missing.count, expected.count) : nil
    }
}
