public import Catalogue
public import Model

/// The words and chords of songs, and the musician's way of viewing them.
public final class SongStore: Store {
    public func text(_ digest: Digest) throws(LibraryError) -> SongText? {
        guard let json = try database.row("SELECT song FROM song_texts WHERE digest = ?", [.text(digest.hex)], { $0.text(0) }) else {
            return nil
        }
        return try StoredJSON.read(SongText.self, json, in: database)
    }

    /// Stores texts; must be called inside a transaction. Texts that are already stored are not written again.
    func keep(_ texts: [SongText]) throws(LibraryError) {
        for text in texts { try keep(text, as: text.digest) }
    }

    /// Stores a text under the digest of its source, which was computed before the source was parsed.
    public func keep(_ text: SongText, as digest: Digest) throws(LibraryError) {
        guard try !database.has("SELECT 1 FROM song_texts WHERE digest = ?", [.text(digest.hex)]) else { return }
        try database.put("song_texts", ["digest": .text(digest.hex), "song": .text(try StoredJSON.write(text, in: database))])
    }

    /// The way of viewing each song in a plan.
    public func views(in plan: PlanID) throws(LibraryError) -> [SongID: SongView] {
        // A choice for the plan itself comes last, and overrides the choice for all plans.
        let chosen = try database.rows(
            "SELECT song_id, view FROM song_views WHERE plan_id IN ('', ?) ORDER BY plan_id", [.id(plan)]
        ) { row throws(LibraryError) in
            (SongID(row.text(0)), try StoredJSON.read(SongView.self, row.text(1), in: database))
        }
        return Dictionary(chosen) { _, own in own }
    }

    /// The choice for a song in `plan` itself, or the choice for all plans if `plan` is `nil`; `nil` if none was made.
    public func view(of song: SongID, in plan: PlanID?) throws(LibraryError) -> SongView? {
        try database.row(
            "SELECT view FROM song_views WHERE song_id = ? AND plan_id = ?", [.id(song), .text(plan?.text ?? "")]
        ) { row throws(LibraryError) in try StoredJSON.read(SongView.self, row.text(0), in: database) }
    }

    /// Stores a choice; if `view` is `nil`, deletes it.
    func note(_ view: SongView?, of song: SongID, in plan: PlanID?) throws(LibraryError) {
        guard let view else {
            return try forget(song, in: plan)
        }
        try database.put(
            "song_views", key: "song_id, plan_id",
            ["song_id": .id(song), "plan_id": .text(plan?.text ?? ""), "view": .text(try StoredJSON.write(view, in: database))])
    }

    private func forget(_ song: SongID, in plan: PlanID?) throws(LibraryError) {
        try database.run("DELETE FROM song_views WHERE song_id = ? AND plan_id = ?", [.id(song), .text(plan?.text ?? "")])
    }

    /// Stores the digest of the words' positions on a chart that was drawn here, the chart's key, what its text says, and the remarks on it.
    public func note(
        placing: Digest, key: String?, facts: SongFacts?, of chart: ChartHash, remarks: [String]
    ) throws(LibraryError) {
        let remarks = try StoredJSON.write(remarks, in: database)
        try database.write { () throws(LibraryError) in
            try database.put(
                "song_charts", key: "hash", ["hash": .hash(chart), "layout": .text(placing.hex), "remarks": .text(remarks)])
            try database.put("chart_keys", key: "hash", ["hash": .hash(chart), "key": .text(key ?? "")])
            guard let facts else { return }
            try database.put("song_facts", key: "hash", ["hash": .hash(chart), "facts": .text(try StoredJSON.write(facts, in: database))])
        }
    }

    /// What the text of a drawn chart says; `nil` for other charts, and for those that a former version drew.
    public func facts(of chart: ChartHash) throws(LibraryError) -> SongFacts? {
        try database.row("SELECT facts FROM song_facts WHERE hash = ?", [.hash(chart)]) { row throws(LibraryError) in
            try StoredJSON.read(SongFacts.self, row.text(0), in: database)
        }
    }

    /// The digest of all words' positions on a chart that was drawn here; it is the same in all keys.
    public func layout(of chart: ChartHash) throws(LibraryError) -> Digest? {
        try database.row("SELECT layout FROM song_charts WHERE hash = ?", [.hash(chart)], { Digest(hex: $0.text(0)) }) ?? nil
    }

    /// The remarks on the text of a drawn chart: the passages that the program could not interpret.
    public func remarks(on chart: ChartHash) throws(LibraryError) -> [String] {
        try database.row("SELECT remarks FROM song_charts WHERE hash = ?", [.hash(chart)]) { row throws(LibraryError) in
            try StoredJSON.read([String].self, row.text(0), in: database)
        } ?? []
    }

    /// Deletes texts that no chart is drawn from any more, records of charts that are not stored, and choices for plans that are
    /// not stored. A choice for a song in all plans stays, since the song may come back.
    func removeUnused(keeping sent: [PlanContents]) throws(LibraryError) {
        let kept = Set(sent.flatMap { $0.items.compactMap(\.song?.text) })
        let unused = try database.rows("SELECT digest FROM song_texts WHERE digest NOT IN (SELECT digest FROM item_songs)") { $0.text(0) }
        for digest in unused where !kept.contains(where: { $0.hex == digest }) {
            try database.run("DELETE FROM song_texts WHERE digest = ?", [.text(digest)])
        }
        try database.run("DELETE FROM song_charts WHERE layout NOT IN (SELECT layout FROM song_charts JOIN charts USING (hash))")
        try database.run("DELETE FROM song_facts WHERE hash NOT IN (SELECT hash FROM charts)")
        try database.run("DELETE FROM chart_keys WHERE hash NOT IN (SELECT hash FROM charts)")
        try database.run("DELETE FROM song_views WHERE plan_id <> '' AND plan_id NOT IN (SELECT id FROM plans)")
    }
}

extension PlanStore {
    /// The contents that a plan would have with this choice of how a song is viewed; `nil` if the plan does not have the song. The
    /// song's chart may then be kept, although no plan shows it yet.
    public func contents(
        of plan: PlanID, reading song: SongID, as view: SongView?, isEverywhere: Bool
    ) throws(LibraryError) -> PlanContents? {
        try database.write { () throws(LibraryError) in
            guard let former = try played(plan), former.items.contains(where: { $0.song?.id == song }) else { return nil }
            var views = try songs.views(in: plan)
            views[song] = try choice(view, of: song, in: plan)
            if views[song] == nil, !isEverywhere { views[song] = try usual(song, in: plan) }
            let contents = former.drawing(views)
            for attachment in contents.attachments where attachment.id == AttachmentID(drawnFrom: song) { try store(attachment) }
            return contents
        }
    }

    /// The usual way in one plan: if another way was chosen for all plans, it is a choice too, and has to be stored.
    private func usual(_ song: SongID, in plan: PlanID) throws(LibraryError) -> SongView? {
        guard try songs.view(of: song, in: nil) != nil else { return nil }
        return try played(plan)?.items.first { $0.song?.id == song }?.usualView ?? SongView()
    }

    /// The choice as it is stored. One that equals the present setting follows changes of the setting.
    private func choice(_ view: SongView?, of song: SongID, in plan: PlanID) throws(LibraryError) -> SongView? {
        var view = view
        if view?.writing == (try contents(of: plan))?.items.compactMap(\.song).first(where: { $0.id == song })?.writing {
            view?.writing = nil
        }
        return view
    }

    /// Chooses how a song is viewed in `plan` or, if `isEverywhere`, in all plans; `view` is `nil` for the usual way. Returns the
    /// new contents of `plan` and, if `isEverywhere`, of the other plans with the song that are not past; `nil` if `plan` does not
    /// have the song.
    @discardableResult
    public func read(
        _ song: SongID, as view: SongView?, in plan: PlanID, isEverywhere: Bool = false, at time: Timestamp
    ) throws(LibraryError) -> [PlanContents]? {
        try database.write { () throws(LibraryError) in
            let ids = try database.rows(
                "SELECT DISTINCT plan_id FROM item_songs WHERE song_id = ?1 ORDER BY plan_id <> ?2", [.id(song), .id(plan)]
            ) { PlanID($0.text(0)) }
            guard ids.first == plan else { return nil }
            let view = try choice(view, of: song, in: plan)
            if isEverywhere {
                try songs.note(view, of: song, in: nil)
                try songs.note(nil, of: song, in: plan)
            } else {
                let usual = try usual(song, in: plan)
                try songs.note(view ?? usual, of: song, in: plan)
            }
            var showing: [PlanContents] = []
            for id in isEverywhere ? ids : [plan] {
                guard let former = try contents(of: id), id == plan || !former.plan.isPast(at: time) else { continue }
                let contents = former.drawing(try songs.views(in: id))
                if contents != former { try replace(contents, at: time, isOwnChoice: true) }
                try drawStored(song, in: id)
                showing.append(try played(id) ?? contents)
            }
            return showing
        }
    }
}
