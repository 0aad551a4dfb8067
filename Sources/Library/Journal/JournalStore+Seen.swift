public import Catalogue
public import Model

extension JournalStore {
    /// What changed about a plan, its charts and their marks since somebody last read of it, in the order in which it was found.
    public func unseenChanges(of contents: PlanContents) throws(LibraryError) -> [LibraryChange] {
        let seen = try database.row("SELECT journal_number FROM seen_plans WHERE plan_id = ?", [.id(contents.plan.id)]) { $0.integer(0) }
        let charts = Set(contents.attachments.map(\.id))
        return try newestEntries().filter { $0.number > seen ?? 0 && $0.change.concerns(contents.plan.id, charts) }.map(\.change)
    }

    /// Remembers that the changes of a plan were read.
    public func noteSeen(_ plan: PlanID) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            guard try database.row("SELECT 1 FROM plans WHERE id = ?", [.id(plan)], { _ in true }) != nil else { throw .unknownPlan(plan) }
            try database.run(
                """
                INSERT INTO seen_plans (plan_id, journal_number) SELECT ?, coalesce(max(number), 0) FROM journal WHERE TRUE
                ON CONFLICT (plan_id) DO UPDATE SET journal_number = excluded.journal_number
                """, [.id(plan)])
        }
    }

    private func newestEntries() throws(LibraryError) -> [(number: Int, change: LibraryChange)] {
        let news = try database.rows(
            "SELECT number, change FROM journal WHERE number > ? ORDER BY number DESC LIMIT ?",
            [.integer(tail.last), .integer(JournalTail.length)]
        ) { row throws(LibraryError) in
            (number: row.integer(0), change: try StoredJSON.read(LibraryChange.self, row.text(1), in: database))
        }
        tail.append(news.reversed())
        return tail.entries
    }
}

extension LibraryChange {
    /// Whether it is about this plan, or one of these charts.
    fileprivate func concerns(_ plan: PlanID, _ charts: Set<AttachmentID>) -> Bool {
        switch self {
        case .planAdded(let reference), .planMoved(let reference, _, _), .planShrunk(let reference, _, _),
            .planShrinkHeldBack(let reference, _, _), .planHeldBack(let reference, _), .planGone(let reference),
            .itemMoved(let reference, _, _, _),
            .chartAdded(let reference, _), .chartReplaced(let reference, _), .chartRemoved(let reference, _):
            reference.id == plan
        case .layerAdded(let layer), .layerChanged(let layer), .layerDeleted(let layer), .layerGone(let layer), .layerDoubted(let layer, _):
            charts.contains(layer.attachment)
        case .chartSetAside(let chart, _), .marksOutdated(let chart, _): charts.contains(chart.id)
        }
    }
}

/// The newest entries of the journal: many questions are about them, and reading them anew each time would cost more.
struct JournalTail {
    private(set) var entries: [(number: Int, change: LibraryChange)] = []

    /// More changes than anybody reads about one plan.
    static let length = 2000

    /// The last entry that it knows.
    var last: Int { entries.last?.number ?? 0 }

    mutating func append(_ news: [(number: Int, change: LibraryChange)]) {
        entries = (entries + news).suffix(Self.length)
    }
}
