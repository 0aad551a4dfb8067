import Model

extension PollDecision {
    /// The present charts, if the service was restored to an older state. They are kept until a person accepts the older versions, even if
    /// the older versions have since been changed.
    struct Past {
        /// The charts that keep their present version in all plans.
        let charts: [AttachmentID: Attachment]
        /// True if this poll shows the older state. If so, no other loss of charts in this poll is accepted either.
        private let isSeen: Bool
        private let reason: HoldReason?

        init(_ known: [KnownPlan], sent: [PlanContents], _ clockAhead: Duration, at now: Timestamp) {
            let newer = Self.newer(known, than: sent, at: now - clockAhead)
            // A plan that is over keeps its charts, but does not hold back anything else.
            let standing = known.filter { $0.isPutBack && !$0.contents.plan.isPast(at: now) }
            isSeen = newer > 0
            charts = PollDecision.latest((isSeen ? known : standing).flatMap(\.contents.attachments))
            reason = isSeen ? .putBack(older: newer) : standing.min { $0.contents.plan.id < $1.contents.plan.id }?.held?.reason
        }

        /// Why contents are held back as older: they would replace one of these charts with another version, or lose a chart.
        func doubt(about sent: PlanContents, after kept: KnownPlan?) -> HoldReason? {
            let isOther = sent.attachments.contains { chart in
                charts[chart.id].map { $0.made(from: chart.generatedFrom).version != chart.version } ?? false
            }
            let isLess = kept.map { (isSeen || $0.isPutBack) && Self.takesAway(sent, from: $0) } ?? false
            return isOther || isLess ? reason : nil
        }

        /// How many charts are older in the answer than here.
        private static func newer(_ known: [KnownPlan], than sent: [PlanContents], at now: Timestamp) -> Int {
            let latest = PollDecision.latest(sent.flatMap(\.items).flatMap(\.attachments))
            let (origins, former) = (origins(sent), origins(known.map(\.contents)))
            return PollDecision.latest(known.flatMap(\.contents.attachments)).count { id, kept in
                Timestamp.runsBackwards(from: kept.updatedAt, to: latest[id]?.updatedAt, at: now)
                    || Timestamp.runsBackwards(from: former[id], to: origins[id], at: now)
            }
        }

        private static func takesAway(_ sent: PlanContents, from kept: KnownPlan) -> Bool {
            struct State: Hashable {
                let attachment: AttachmentID
                let version: String
            }
            func states(_ charts: [Attachment]) -> Set<State> { Set(charts.map { State(attachment: $0.id, version: $0.version) }) }
            let shown = kept.contents.attachments
            let names = Dictionary(shown.map { ($0.id, $0.filename) }) { first, _ in first }
            let dropped = PollDecision.dropped(of: names, from: kept, in: sent)
            return !states(shown.filter { !dropped.contains($0.id) }).isSubset(of: states(sent.attachments))
        }

        /// For each chart that is made on demand: the latest time at which its origin changed, according to any of these plans.
        private static func origins(_ plans: [PlanContents]) -> [AttachmentID: Timestamp] {
            let origins = plans.flatMap(\.attachments).compactMap { chart in
                Timestamp(String(chart.generatedFrom.prefix { $0 != " " })).map { (chart.id, $0) }
            }
            return Dictionary(origins, uniquingKeysWith: max)
        }
    }
}

extension PollDecision.KnownPlan {
    /// True if the plan's contents are held back as older than those here.
    var isPutBack: Bool {
        if case .putBack? = held?.reason { true } else { false }
    }
}
