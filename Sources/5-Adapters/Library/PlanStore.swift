import Acceptance
public import Catalogue
public import Model

/// The plans, and what the service says of them that is not believed yet.
public final class PlanStore: Store {
    let journal: JournalStore
    let matches: MatchStore

    init(_ catalogue: OpenCatalogue, journal: JournalStore, matches: MatchStore) {
        self.journal = journal
        self.matches = matches
        super.init(catalogue)
    }

    /// Takes over what a poll returned, all of it or, when it throws, nothing. Returns what changed, and journals it;
    /// writes nothing if nothing did.
    ///
    /// A given plan is replaced as a whole, unless what the service sent is doubtful, as when the plan lost more than half of its charts:
    /// then it stays as it was until the change is accepted or confirmed (`heldBack`). Plans that are not given stay as they are. `named`
    /// are all plans that the poll listed, whether or not their contents came; a plan that is not among them is kept and flagged as gone;
    /// `nil` says nothing about other plans. `declined` are those of them that the musician declined. `unread` are those whose contents
    /// did not come, and are remembered until they do, or until they are not among the `expected` ones any more, if these are known.
    /// `ahead` says how long before their time plans are kept ready. An attachment that several plans show is one attachment: the latest
    /// news about it holds for all of them, except for what a chart is made from, which belongs to its place in a plan.
    @discardableResult
    public func update(
        _ plans: [PlanContents], unread: [UnreadPlan] = [], named: Set<PlanID>? = nil, declined: Set<PlanID> = [],
        expected: Set<PlanID>? = nil, ahead: Duration? = nil, at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        try database.write { () throws(LibraryError) in
            let known = try knownPlans()
            let decision = PollDecision(
                known: known, told: plans, unread: unread.map(\.plan), named: named, declined: declined, ahead: ahead,
                clockAhead: try ServiceRecord(catalogue).clockAhead ?? .zero, at: time)
            try carryOut(decision, at: time)
            try replace(unread: PollDecision.unread(after: try self.unread(), unread, known: known, told: plans, expected: expected))
            return decision.changes
        }
    }

    /// Every plan with its running order: by first time, those without times last; then by id.
    public func all() throws(LibraryError) -> [PlanContents] {
        let all = try database.read { () throws(LibraryError) in try allContents() }
        let never = Timestamp(nanoseconds: .max)
        return all.sorted { ($0.plan.firstTime ?? never, $0.plan.id) < ($1.plan.firstTime ?? never, $1.plan.id) }
    }

    /// When each plan was last found to have changed.
    public func planChanges() throws(LibraryError) -> [PlanID: Timestamp] {
        return try database.dictionary("SELECT id, changed_at FROM plans") { row in
            (PlanID(row.text(0)), row.moment(1))
        }
    }

    /// These plans as they are kept, which may differ from what the service sent if that is held back.
    public func asKept(_ plans: [PlanContents]) throws(LibraryError) -> [PlanContents] {
        try database.read { () throws(LibraryError) in
            var kept: [PlanContents] = []
            for plan in plans { kept.append(try contents(of: plan.plan.id) ?? plan) }
            return kept
        }
    }

    func allContents() throws(LibraryError) -> [PlanContents] {
        let ids = try database.rows("SELECT id FROM plans") { PlanID($0.text(0)) }
        var all: [PlanContents] = []
        for id in ids {
            if let contents = try contents(of: id) { all.append(contents) }
        }
        return all
    }

    func store(_ attachment: Attachment) throws(LibraryError) {
        let changes = try database.run(
            """
            INSERT INTO attachments (id, filename, content_type, file_size, updated_at, is_generated, page_order)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                filename = excluded.filename, content_type = excluded.content_type, file_size = excluded.file_size,
                updated_at = excluded.updated_at, is_generated = excluded.is_generated,
                page_order = excluded.page_order
            WHERE (filename, content_type, file_size, updated_at, is_generated, page_order)
                IS NOT (excluded.filename, excluded.content_type, excluded.file_size, excluded.updated_at,
                    excluded.is_generated, excluded.page_order)
            """,
            [
                .id(attachment.id), .text(attachment.filename), .text(attachment.contentType), .integer(attachment.fileSize),
                .time(attachment.updatedAt), .flag(attachment.isGenerated), .text(attachment.pageOrder),
            ])
        if changes > 0 { catalogue.noteOtherCharts() }
    }

    func replace(_ contents: PlanContents, at time: Timestamp) throws(LibraryError) {
        let plan = contents.plan
        let former = try self.contents(of: plan.id)
        try database.run(
            """
            INSERT INTO plans (id, service_type, service_type_name, title, dates, first_time, last_time, service_time, choice, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                service_type = excluded.service_type, service_type_name = excluded.service_type_name, title = excluded.title,
                dates = excluded.dates, first_time = excluded.first_time, last_time = excluded.last_time,
                service_time = excluded.service_time, choice = excluded.choice, changed_at = excluded.changed_at
            """,
            [
                .id(plan.id), .id(plan.serviceType), .text(plan.serviceTypeName), .text(plan.title), .text(plan.dates),
                .time(plan.firstTime), .time(plan.lastTime), .time(plan.serviceTime), .optional(contents.choice),
                .time(time),
            ])
        try database.run("DELETE FROM items WHERE plan_id = ?", [.id(plan.id)])
        for (itemPlace, item) in contents.items.enumerated() {
            try database.run(
                """
                INSERT INTO items (plan_id, place, id, sequence, title, key_name, kind, arrangement, tempo, length, description)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .id(plan.id), .integer(itemPlace), .id(item.id), .integer(item.sequence), .text(item.title),
                    .text(item.keyName), .optional(item.kind), .optional(item.arrangement), .optional(item.tempo),
                    .optional(item.length), .optional(item.description),
                ])
            for (place, attachment) in item.attachments.enumerated() {
                try database.run(
                    "INSERT INTO item_attachments (plan_id, item_place, place, attachment_id, made_from) VALUES (?, ?, ?, ?, ?)",
                    [.id(plan.id), .integer(itemPlace), .integer(place), .id(attachment.id), .text(attachment.generatedFrom)])
            }
        }
        try replace(leftOut: contents.leftOut, of: plan.id)
        guard let former else { return }
        try matches.letFormerChartsStand(in: contents, showingFormerly: former, at: time)
        try noteMarksLeftBehind(in: contents, showingFormerly: former)
    }

    func contents(of id: PlanID) throws(LibraryError) -> PlanContents? {
        let found = try database.row(
            "SELECT service_type, service_type_name, title, dates, first_time, last_time, service_time, choice FROM plans WHERE id = ?",
            [.id(id)]
        ) { row in
            let plan = Plan(
                id: id, serviceType: ServiceTypeID(row.text(0)), serviceTypeName: row.text(1), title: row.text(2),
                dates: row.text(3), firstTime: row.time(4), lastTime: row.time(5), serviceTime: row.time(6))
            return (plan: plan, choice: row.optionalText(7))
        }
        guard let (plan, choice) = found else { return nil }
        var items = try database.rows(
            """
            SELECT id, sequence, title, key_name, kind, arrangement, tempo, length, description
            FROM items WHERE plan_id = ? ORDER BY place
            """, [.id(id)]
        ) { row in
            PlanItem(
                id: ItemID(row.text(0)), sequence: row.integer(1), title: row.text(2), keyName: row.text(3), kind: row.optionalText(4),
                arrangement: row.optionalText(5), tempo: row.optionalInteger(6), length: row.optionalInteger(7),
                description: row.optionalText(8))
        }
        let attachments = try database.rows(
            """
            SELECT item_place, id, filename, content_type, file_size, updated_at, is_generated, made_from, page_order
            FROM item_attachments JOIN attachments ON id = attachment_id
            WHERE plan_id = ? ORDER BY item_place, place
            """, [.id(id)]
        ) { row in
            (
                row.integer(0),
                Attachment(
                    id: AttachmentID(row.text(1)), filename: row.text(2), contentType: row.text(3), fileSize: row.integer(4),
                    updatedAt: row.time(5), isGenerated: row.integer(6) != 0, generatedFrom: row.text(7), pageOrder: row.text(8))
            )
        }
        for (place, attachment) in attachments { items[place].attachments.append(attachment) }
        return PlanContents(plan: plan, items: items, leftOut: try leftOut(of: id), choice: choice)
    }

    /// The plans that are kept, with their charts and images, whatever their date.
    public func pinned() throws(LibraryError) -> Set<PlanID> {
        Set(try database.rows("SELECT plan_id FROM pins") { PlanID($0.text(0)) })
    }

    /// Keeps a plan until it is unpinned. Returns whether it was not pinned before.
    @discardableResult
    public func pin(_ plan: PlanID) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            guard try has(plan) else { throw .unknownPlan(plan) }
            return try database.run("INSERT INTO pins (plan_id) VALUES (?) ON CONFLICT (plan_id) DO NOTHING", [.id(plan)]) > 0
        }
    }

    /// Restores normal cleanup for a plan. Returns whether it was pinned.
    @discardableResult
    public func unpin(_ plan: PlanID) throws(LibraryError) -> Bool {
        try database.run("DELETE FROM pins WHERE plan_id = ?", [.id(plan)]) > 0
    }
}

/// Files that are attached to a plan but not shown.
extension PlanStore {
    func leftOut(of plan: PlanID) throws(LibraryError) -> [LeftOut] {
        try database.rows(
            "SELECT attachment_id, filename, item, reason, rule FROM left_out WHERE plan_id = ? ORDER BY place", [.id(plan)]
        ) { row throws(LibraryError) in
            let reason: LeftOut.Reason =
                switch row.text(3) {
                case "not a PDF": .notAPDF
                case "not chosen": .notChosen(rule: row.text(4))
                case "of no item": .ofNoItem(owner: row.text(4))
                case "no permission": .noPermission
                case let other: throw .damaged(path: database.path, message: "a file is left out because \"\(other)\"")
                }
            return LeftOut(attachment: AttachmentID(row.text(0)), filename: row.text(1), item: row.text(2), reason: reason)
        }
    }

    func replace(leftOut: [LeftOut], of plan: PlanID) throws(LibraryError) {
        try database.run("DELETE FROM left_out WHERE plan_id = ?", [.id(plan)])
        for (place, file) in leftOut.enumerated() {
            let (reason, rule) =
                switch file.reason {
                case .notAPDF: ("not a PDF", "")
                case .notChosen(let rule): ("not chosen", rule)
                case .ofNoItem(let owner): ("of no item", owner)
                case .noPermission: ("no permission", "")
                }
            try database.run(
                """
                INSERT INTO left_out (plan_id, place, attachment_id, filename, item, reason, rule) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .id(plan), .integer(place), .id(file.attachment), .text(file.filename), .text(file.item), .text(reason),
                    .text(rule),
                ])
        }
    }
}
