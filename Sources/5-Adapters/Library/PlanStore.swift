import Acceptance
public import Catalogue
public import Model

/// The plans, and new contents from the service that still have to be confirmed.
public final class PlanStore: Store {
    let journal: JournalStore
    let matches: MatchStore
    let songs: SongStore

    init(_ catalogue: OpenCatalogue, journal: JournalStore, matches: MatchStore, songs: SongStore) {
        self.journal = journal
        self.songs = songs
        self.matches = matches
        super.init(catalogue)
    }

    /// Stores the contents that a poll returned, completely or, if this throws, not at all. Returns and journals the changes;
    /// writes nothing if there are none.
    ///
    /// A plan in `plans` is replaced as a whole, unless the new contents are doubtful, as when the plan lost more than half of its
    /// charts: then the plan stays unchanged until the new contents are accepted or confirmed (`heldBack`). Plans not in `plans`
    /// stay unchanged. `named` are the plans that the poll listed, with or without contents. A plan that is not listed is kept and
    /// flagged as gone; if `named` is `nil`, no plan is flagged. `declined` are the other plans, which the musician declined.
    /// `unread` are plans whose contents did not arrive. They are stored until the contents arrive, or until `expected` is known
    /// and lacks them. All plans are of one `source`; those of the other one are left alone. There is no doubt about `accepted` plans.
    /// `ahead` is how long before their time plans are kept ready. If `isChoiceGiven`, the musician did not choose which files are charts,
    /// so a plan that this choice empties is meant to be empty. An attachment that several plans show is stored once, with the latest
    /// data about it; only the origin of a chart made on demand is stored for each item.
    @discardableResult
    public func update(
        _ plans: [PlanContents], unread: [UnreadPlan] = [], named: Set<PlanID>? = nil, declined: Set<PlanID> = [],
        expected: Set<PlanID>? = nil, ahead: Duration? = nil, isChoiceGiven: Bool = false, of source: PlanSource = .service,
        accepted: Set<PlanID> = [], at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        try database.write { () throws(LibraryError) in
            try songs.keep(plans.flatMap(\.texts))
            let known = try knownPlans(of: source, beside: plans)
            let decision = PollDecision(
                known: known, sent: plans, unread: unread.map(\.plan), named: named, declined: declined,
                accepted: accepted, ahead: ahead, isChoiceGiven: isChoiceGiven,
                clockAhead: try ServiceRecord(catalogue).clockAhead ?? .zero, at: time)
            try carryOut(decision, at: time)
            guard source == .service else { return decision.changes }
            let empty = isChoiceGiven ? Set(plans.filter(\.attachments.isEmpty).map(\.plan.id)) : []
            for kept in known where !kept.contents.attachments.isEmpty && empty.contains(kept.contents.plan.id) {
                _ = try acceptChoice(of: kept.contents.plan.id)
            }
            if let named {
                let doubt = PollDecision.doubt(about: named.union(declined), knowing: known, at: time)
                try note(listIsDoubted: doubt != nil, at: time)
            }
            try replace(unread: PollDecision.unread(after: try self.unread(), unread, known: known, sent: plans, expected: expected))
            return decision.changes
        }
    }

    /// Every plan as it is played, by first time and then by id; plans without times come last.
    public func all() throws(LibraryError) -> [PlanContents] {
        Self.inOrder(try database.read { () throws(LibraryError) in try played(allContents()) })
    }

    /// Every plan as its source has it, in the order of `all()`, whatever the musician has changed for tonight.
    public func allAsPlanned() throws(LibraryError) -> [PlanContents] {
        Self.inOrder(try database.read { () throws(LibraryError) in try allContents() })
    }

    /// The plans that show an attachment, in the order of `all()`. Other plans are not read, however many there are. A plan in which the
    /// attachment is left out tonight is as its source has it: the chart may be on a stand.
    public func showing(_ attachment: AttachmentID) throws(LibraryError) -> [PlanContents] {
        let plans = try database.read { () throws(LibraryError) in
            let ids = try database.rows("SELECT DISTINCT plan_id FROM item_attachments WHERE attachment_id = ?", [.id(attachment)]) {
                PlanID($0.text(0))
            }
            let planned = try ids.map { id throws(LibraryError) in try contents(of: id) }.compactMap(\.self)
            return zip(planned, try played(planned)).map { planned, played in
                played.attachments.contains { $0.id == attachment } ? played : planned
            }
        }
        return Self.inOrder(plans)
    }

    private static func inOrder(_ plans: [PlanContents]) -> [PlanContents] {
        let never = Timestamp(nanoseconds: .max)
        return plans.sorted { ($0.plan.firstTime ?? never, $0.plan.id) < ($1.plan.firstTime ?? never, $1.plan.id) }
    }

    /// One plan as it is played; `nil` if it is not stored.
    public func plan(_ id: PlanID) throws(LibraryError) -> PlanContents? {
        try database.read { () throws(LibraryError) in try played(id) }
    }

    /// One plan as its source has it, whatever the musician has changed for tonight; `nil` if it is not stored.
    public func asPlanned(_ id: PlanID) throws(LibraryError) -> PlanContents? {
        try database.read { () throws(LibraryError) in try contents(of: id) }
    }

    /// When each plan was last found to have changed.
    public func planChanges() throws(LibraryError) -> [PlanID: Timestamp] {
        try database.dictionary("SELECT id, changed_at FROM plans") { (PlanID($0.text(0)), $0.moment(1)) }
    }

    /// The stored versions of these plans, as they are played. They differ from the sent versions if those are held back.
    public func asKept(_ plans: [PlanContents]) throws(LibraryError) -> [PlanContents] {
        try database.read { () throws(LibraryError) in
            try plans.map { plan throws(LibraryError) in try played(plan.plan.id) ?? plan }
        }
    }

    func allContents() throws(LibraryError) -> [PlanContents] {
        let ids = try database.rows("SELECT id FROM plans WHERE id <> ?", [.id(PlanID.songbook)]) { PlanID($0.text(0)) }
        return try ids.map { id throws(LibraryError) in try contents(of: id) }.compactMap(\.self)
    }

    func store(_ attachment: Attachment) throws(LibraryError) {
        let changes = try database.put(
            "attachments", key: "id", ifOther: true,
            [
                "id": .id(attachment.id), "filename": .text(attachment.filename), "content_type": .text(attachment.contentType),
                "file_size": .integer(attachment.fileSize), "updated_at": .time(attachment.updatedAt),
                "is_generated": .flag(attachment.isGenerated), "page_order": .text(attachment.pageOrder),
            ])
        if changes > 0 { catalogue.noteOtherCharts() }
    }

    /// Replaces a plan. If `isOwnChoice`, the musician chose a way to view a song and so knows which chart disappears: no marks
    /// are noted as left behind.
    func replace(_ contents: PlanContents, at time: Timestamp, isOwnChoice: Bool = false) throws(LibraryError) {
        for attachment in contents.attachments where attachment.id.song != nil { try store(attachment) }
        let plan = contents.plan
        let former = try self.contents(of: plan.id)
        try database.put(
            "plans", key: "id",
            [
                "id": .id(plan.id), "service_type": .id(plan.serviceType), "service_type_name": .text(plan.serviceTypeName),
                "title": .text(plan.title), "dates": .text(plan.dates), "first_time": .time(plan.firstTime),
                "last_time": .time(plan.lastTime), "service_time": .time(plan.serviceTime), "choice": .optional(contents.choice),
                "changed_at": .time(time),
            ])
        try database.run("DELETE FROM items WHERE plan_id = ? AND place < ?", [.id(plan.id), .integer(TonightPlaces.first)])
        for (place, item) in contents.items.enumerated() { try write(item, of: plan.id, at: place) }
        try replace(leftOut: contents.leftOut, of: plan.id)
        assert((try? self.contents(of: plan.id)) == contents, "a plan is read as it was written")
        guard let former else { return }
        try matches.letFormerChartsStand(in: contents, showingFormerly: former, at: time)
        guard !isOwnChoice else { return }
        try noteMarksLeftBehind(in: contents, showingFormerly: former)
    }

    /// Writes an item at a place where there is none.
    func write(_ item: PlanItem, of plan: PlanID, at itemPlace: Int) throws(LibraryError) {
        try database.put(
            "items",
            [
                "plan_id": .id(plan), "place": .integer(itemPlace), "id": .id(item.id), "sequence": .integer(item.sequence),
                "title": .text(item.title), "key_name": .text(item.keyName), "kind": .optional(item.kind),
                "arrangement": .optional(item.arrangement), "tempo": .optional(item.tempo), "length": .optional(item.length),
                "description": .optional(item.description),
            ])
        if let song = item.song {
            try database.put(
                "item_songs",
                [
                    "plan_id": .id(plan), "item_place": .integer(itemPlace), "song_id": .id(song.id), "title": .text(song.title),
                    "digest": .text(song.text.hex), "is_shown": .flag(song.isShown), "writing": .text(song.writing.rawValue),
                ])
        }
        if let capo = item.capo {
            try database.put("item_capos", ["plan_id": .id(plan), "item_place": .integer(itemPlace), "capo": .integer(capo)])
        }
        for (place, attachment) in item.attachments.enumerated() {
            try database.put(
                "item_attachments",
                [
                    "plan_id": .id(plan), "item_place": .integer(itemPlace), "place": .integer(place),
                    "attachment_id": .id(attachment.id), "made_from": .text(attachment.generatedFrom),
                ])
        }
    }

    /// A plan as its source has it; `nil` if it is not stored.
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
        let items = try items(of: id, at: 0..<TonightPlaces.first)
        return PlanContents(plan: plan, items: items, leftOut: try leftOut(of: id), choice: choice)
    }

    /// The items of a plan that are stored at these places, in order.
    func items(of id: PlanID, at places: Range<Int>) throws(LibraryError) -> [PlanItem] {
        let range: [SQLValue] = [.id(id), .integer(places.lowerBound), .integer(places.upperBound)]
        let rows = try database.rows(
            """
            SELECT id, sequence, items.title, key_name, kind, arrangement, tempo, length, description, song_id, song.title, digest, is_shown,
                writing, place, capo
            FROM items LEFT JOIN item_songs AS song ON song.plan_id = items.plan_id AND song.item_place = place
                LEFT JOIN item_capos AS capos ON capos.plan_id = items.plan_id AND capos.item_place = place
            WHERE items.plan_id = ? AND place >= ? AND place < ? ORDER BY place
            """, range
        ) { row in
            let song = row.optionalText(9).flatMap { song in
                Digest(hex: row.text(11)).map {
                    ItemSong(
                        SongID(song), title: row.text(10), text: $0, isShown: row.integer(12) != 0,
                        writing: SongView.Writing(rawValue: row.text(13)) ?? .letters)
                }
            }
            let item = PlanItem(
                id: ItemID(row.text(0)), sequence: row.integer(1), title: row.text(2), keyName: row.text(3), kind: row.optionalText(4),
                arrangement: row.optionalText(5), tempo: row.optionalInteger(6), length: row.optionalInteger(7),
                description: row.optionalText(8), song: song, capo: row.optionalInteger(15))
            return (place: row.integer(14), item: item)
        }
        let attachments = try database.rows(
            """
            SELECT item_place, id, filename, content_type, file_size, updated_at, is_generated, made_from, page_order
            FROM item_attachments JOIN attachments ON id = attachment_id
            WHERE plan_id = ? AND item_place >= ? AND item_place < ? ORDER BY item_place, place
            """, range
        ) { row in
            let attachment = Attachment(
                id: AttachmentID(row.text(1)), filename: row.text(2), contentType: row.text(3), fileSize: row.integer(4),
                updatedAt: row.time(5), isGenerated: row.integer(6) != 0, generatedFrom: row.text(7), pageOrder: row.text(8))
            return (row.integer(0), attachment)
        }
        let shown = Dictionary(grouping: attachments, by: \.0).mapValues { $0.map(\.1) }
        return rows.map { row in
            var item = row.item
            item.attachments = shown[row.place] ?? []
            return item
        }
    }

    /// Adds a song that was opened from a songbook to those that were opened before, and returns all of them.
    public func keep(opened item: PlanItem, at time: Timestamp) throws(LibraryError) -> PlanContents {
        try database.write { () throws(LibraryError) in
            let book = Plan(id: .songbook, serviceType: ServiceTypeID("set"), serviceTypeName: "Songbook")
            var contents = try self.contents(of: .songbook) ?? PlanContents(plan: book, items: [])
            let charts = Set(item.attachments.map(\.id))
            contents.items.removeAll { !charts.isDisjoint(with: $0.attachments.map(\.id)) }
            var item = item
            item.id = ItemID(item.attachments.first?.id.text ?? item.id.text)
            contents.items = (contents.items + [item]).suffix(Self.mostOpened)
            for attachment in contents.attachments { try store(attachment) }
            contents = contents.drawing(try songs.views(in: .songbook))
            // Nobody took a chart from a plan here, so no marks are left behind.
            try replace(contents, at: time, isOwnChoice: true)
            return contents
        }
    }

    /// How many songs from songbooks are kept; each can be opened again as long as its file is there.
    private static var mostOpened: Int { 200 }

    /// The plans that are kept, with their charts and images, whatever their dates.
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
                case "not chosen": LeftOut.Reason.notChosen(rule: row.text(4)).asRead
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
                switch file.reason.asStored {
                case .notAPDF: ("not a PDF", "")
                case .notChosen(let rule), .noChart(let rule): ("not chosen", rule)
                case .ofNoItem(let owner): ("of no item", owner)
                case .noPermission: ("no permission", "")
                }
            try database.put(
                "left_out",
                [
                    "plan_id": .id(plan), "place": .integer(place), "attachment_id": .id(file.attachment), "filename": .text(file.filename),
                    "item": .text(file.item), "reason": .text(reason), "rule": .text(rule),
                ])
        }
    }
}

/// Older programs know only the other reasons, and would call the catalogue damaged.
extension LeftOut.Reason {
    private static var absence: String { "no chart: " }

    fileprivate var asStored: Self {
        if case .noChart(let reason) = self { .notChosen(rule: Self.absence + reason) } else { self }
    }

    fileprivate var asRead: Self {
        guard case .notChosen(let rule) = self, rule.hasPrefix(Self.absence) else { return self }
        return .noChart(because: String(rule.dropFirst(Self.absence.count)))
    }
}

extension PlanContents {
    /// The contents with reasons that older programs know, too.
    var asStored: PlanContents { withReasons(\.asStored) }
    /// The contents as they were before `asStored`.
    var asRead: PlanContents { withReasons(\.asRead) }

    private func withReasons(_ reason: (LeftOut.Reason) -> LeftOut.Reason) -> PlanContents {
        var contents = self
        contents.leftOut = leftOut.map {
            LeftOut(attachment: $0.attachment, filename: $0.filename, item: $0.item, reason: reason($0.reason))
        }
        return contents
    }
}
