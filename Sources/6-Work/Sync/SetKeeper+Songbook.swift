import Catalogue
import ImageKeeping
import Library
package import Model
import Platform
import SetFolders
package import Sets

/// The charts that lie in the musician's own folders for no plan. They are neither read nor copied before somebody opens them.
extension SetKeeper {
    /// A chart in a songbook.
    package struct BookEntry: Hashable, Sendable {
        /// Identifies the file by its path, as long as the chart has not been opened.
        package let id: AttachmentID
        package let file: SetFile
        package let title: SongTitle
        /// The name of the folder that the file is in.
        package let book: String

        init(_ file: SetFile) {
            self.file = file
            id = AttachmentID("file/" + SHA256.digest(of: file.path).hex)
            title = SongTitle(ofFile: file.name)
            book = file.path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        }
    }

    /// The charts in songbooks and in sets that are no plans now, and the songs beside the links in the music folder. One chart of each title
    /// and folder.
    package func songbook() async throws -> [BookEntry] { try await listed().entries }

    /// A song in a book: a PDF of the songbook, beside which a table lists its songs.
    package struct BookSong: Hashable, Sendable {
        package let book: BookEntry
        package let title: String
        package let page: PageIndex
    }

    /// The songs in books.
    package func bookSongs() async throws -> [BookSong] {
        let (entries, indexes) = try await listed()
        guard !indexes.isEmpty else { return [] }
        let books = Dictionary(entries.map { ($0.file.path, $0) }) { first, _ in first }
        let songs = await side.run(within: .seconds(5), parts.time) { SetFolders.songs(in: indexes) }
        return (songs ?? []).compactMap { song, pdf in
            books[pdf.path].map { BookSong(book: $0, title: song.title, page: song.page) }
        }
    }

    private func listed() async throws -> (entries: [BookEntry], indexes: [FoundSets.Index]) {
        let (folders, music) = (folders, music)
        let found = await side.run(within: .seconds(5), parts.time) { () -> (own: FoundSets, music: FoundSets) in
            (folders.read(), music.map { SetFolders([$0]).read() } ?? FoundSets())
        }
        guard let found else { return ([], []) }
        let kept = try parts.library.sets.known()
        let others = try found.own.sets.filter { set in
            guard let plan = kept[set.path]?.plan else { return true }
            return try !parts.library.plans.has(plan)
        }
        // The links in the music folder lead to charts of plans.
        let songs = (found.music.book + found.music.sets.flatMap(\.files)).filter { $0.kind == .song }
        return ((found.own.book + others.flatMap(\.files) + songs).map { BookEntry($0) }, found.own.indexes)
    }

    /// Brings a chart of a songbook into the library, and returns its id there.
    package func open(_ id: AttachmentID) async throws -> AttachmentID {
        guard let entry = try await songbook().first(where: { $0.id == id }) else {
            throw Trouble(.gone, "This file is not there any more.")
        }
        var assembly = SetPlan(settings)
        defer { copies = [:] }
        try await read([entry.file], [:], into: &assembly)
        if let fault = assembly.faults[entry.file] { throw Trouble("\(entry.file.name) cannot be shown: \(fault).") }
        guard assembly.isAsRead(entry.file) else { throw Trouble(.away, "\(entry.file.name) is still being written.") }
        guard let item = assembly.item(of: entry.file), let chart = item.attachments.first else {
            throw Trouble("There is no chart in it.")
        }
        let contents = try parts.library.plans.keep(opened: item, at: parts.now)
        let kept = try await keep([contents], assembly)
        if let setback = kept.setbacks.first { throw Trouble("\(setback)") }
        parts.events?.plansChanged()
        parts.look.soon()
        return chart.id
    }
}
