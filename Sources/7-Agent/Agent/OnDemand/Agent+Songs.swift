import Catalogue
public import Library
public import Model
import Platform
public import Sets
import Sync

extension Agent {
    /// Draws a song as the musician wants to read it, in one plan or in all plans; without a view, as usual. Sends no request to
    /// the service. Returns `nil` once the plan's chart exists and its pages are counted, otherwise why it does not. Throws if the
    /// library fails.
    ///
    /// The choice is kept once its chart exists, and only if the caller still waits: a window that gave up has reported a failure, so the
    /// choice must have no effect later.
    public func read(
        _ song: SongID, as view: SongView?, in plan: PlanID, isEverywhere: Bool
    ) async throws(Trouble) -> String? {
        let gone = "this plan has no such song by now"
        let scope = isEverywhere ? song.text : "\(song.text) \(plan.text)"
        let number = (choices[scope] ?? 0) + 1
        choices[scope] = number
        let first = try reading { () throws(LibraryError) in
            try core.library.plans.contents(of: plan, reading: song, as: view, isEverywhere: isEverywhere)
        }
        guard let first else { return gone }
        if let setback = await polling.downloads.draw([first.showing(only: song)]).first { return setback.message }
        guard !Task.isCancelled else { return "nobody waits for it any more" }
        guard choices[scope] == number else { return "another key was chosen in the meantime" }
        let kept = try reading { () throws(LibraryError) in
            try core.library.plans.read(song, as: view, in: plan, isEverywhere: isEverywhere, at: core.now)
        }
        guard let kept else { return gone }
        // The musician waits only for the first plan.
        let others = kept.dropFirst().map { $0.showing(only: song) }
        if !others.isEmpty {
            spawn { [polling] in
                _ = await polling.downloads.draw(others)
                polling.plansChanged()
                self.reconcile()
            }
        }
        polling.plansChanged()
        reconcile()
        return nil
    }

    // MARK: - Songs that are in no plan

    /// A chart in one of the musician's own folders that is in no plan, as if an item of a plan showed it.
    public struct BookEntry: Hashable, Sendable {
        public let attachment: Attachment
        public let item: PlanItem
        public let plan: Plan
    }

    /// A song in a book of the musician's own folders, by the id that the book has among the charts there.
    public struct BookSong: Hashable, Sendable {
        public let chart: AttachmentID
        public let book: String
        public let title: String
        public let page: PageIndex
    }

    /// The charts in the musician's own folders that are in no plan, and the songs in books there; empty if the folders cannot be read.
    public func songbook() async -> (charts: [BookEntry], songs: [BookSong]) {
        guard let found = try? await polling.polls.sets?.songbook() else { return ([], []) }
        let charts = found.charts.map { entry in
            let attachment = Attachment(id: entry.id, filename: entry.file.name)
            let item = PlanItem(
                id: ItemID(entry.id.text), sequence: 0, title: entry.title.title, keyName: entry.title.key ?? "", attachments: [attachment])
            return BookEntry(
                attachment: attachment, item: item,
                plan: Plan(id: .songbook, serviceType: ServiceTypeID("set"), serviceTypeName: entry.book, dates: entry.book))
        }
        let songs = found.songs.map { BookSong(chart: $0.book.id, book: $0.book.title.title, title: $0.title, page: $0.page) }
        return (charts, songs)
    }

    /// Brings a chart of the songbook here, and returns its id from now on.
    public func open(file id: AttachmentID) async throws(Trouble) -> AttachmentID {
        do {
            guard let sets = polling.polls.sets else { throw Trouble(.gone, "This file is not there any more.") }
            return try await sets.open(id)
        } catch {
            throw error as? Trouble ?? Trouble("\(error)")
        }
    }

    private func reading<Value>(_ body: () throws(LibraryError) -> Value) throws(Trouble) -> Value {
        do throws(LibraryError) {
            return try body()
        } catch {
            throw Trouble("\(error)")
        }
    }
}

extension PlanContents {
    fileprivate func showing(only song: SongID) -> PlanContents {
        var contents = self
        for index in items.indices { contents.items[index].attachments.removeAll { $0.id != AttachmentID(drawnFrom: song) } }
        return contents
    }
}

/// The lists of songs that people make in browsers.
extension Agent {
    /// Whether there is a folder for new lists.
    public var keepsLists: Bool { polling.polls.sets?.keepsLists ?? false }

    /// Whether a plan is such a list.
    public func isList(_ plan: PlanID) -> Bool { polling.polls.sets?.isList(plan) ?? false }

    /// The list that a plan is, as its file is now.
    public func list(of plan: PlanID) async throws(Trouble) -> SetListFile {
        try await withSets { (sets) in try await sets.list(of: plan) }
    }

    /// Writes a new list, or another version of one, to its file.
    public func write(_ draft: SetDraft) async throws(Trouble) -> SetDraft.Outcome {
        try await withSets { (sets) in try await sets.write(draft) }
    }

    private func withSets<Result: Sendable>(
        _ work: @LoopActor (SetKeeper) async throws -> Result
    ) async throws(Trouble) -> Result {
        do {
            guard let sets = polling.polls.sets else { throw SetDraft.noFolder }
            return try await work(sets)
        } catch {
            throw error as? Trouble ?? Trouble("\(error)")
        }
    }
}

/// What the musician changes in a plan for one evening.
extension Agent {
    /// Changes tonight's set of a plan, if its number is still `number`. Everything that shows the plan's charts then goes by it.
    public func change(_ edit: TonightEdit, of plan: PlanID, at number: Int) throws(Trouble) -> TonightOutcome {
        do throws(LibraryError) {
            let former = try lacking(in: plan)
            let outcome = try core.library.plans.change(edit, of: plan, at: number, now: core.now)
            guard outcome == .kept else { return outcome }
            // Songs that are read as before may have to be drawn again, and a chart that is shown again may have been replaced meanwhile.
            // What was lacking before is fetched when its time comes: whoever moves a song ten times does not ask the service ten times.
            if let contents = try core.library.plans.plan(plan), try !lacking(in: plan).isSubset(of: former) {
                spawn { [polling] in
                    _ = await polling.downloads.draw([contents])
                    _ = await self.poll()
                    self.reconcile()
                }
            }
        } catch {
            if case .unknownPlan = error { throw Trouble(.unknown, "There is no such plan here.") }
            throw Trouble("\(error)")
        }
        polling.plansChanged()
        polling.tidying?.relink()
        reconcile()
        return .kept
    }

    private func lacking(in plan: PlanID) throws(LibraryError) -> Set<AttachmentID> {
        guard let contents = try core.library.plans.plan(plan) else { return [] }
        return Set(try core.library.charts.attachmentsToDownload(for: [contents]).map(\.id))
    }
}
