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

    /// A song in a book: a PDF of the songbook, beside which a table lists its songs.
    package struct BookSong: Hashable, Sendable {
        package let book: BookEntry
        package let title: String
        package let page: PageIndex
    }

    /// The charts in songbooks and in sets that are no plans now, and the songs beside the links in the music folder: one chart of each title
    /// and folder. With them, the songs in books.
    package func songbook() async throws -> (charts: [BookEntry], songs: [BookSong]) {
        let (charts, indexes) = try await listed()
        guard !indexes.isEmpty else { return (charts, []) }
        let songs = await side.run(within: .seconds(5), parts.time) { () -> [BookSong] in
            let books = Dictionary(charts.map { ($0.file.path, $0) }) { first, _ in first }
            return SetFolders.songs(in: indexes).compactMap { song, pdf in
                books[pdf.path].map { BookSong(book: $0, title: song.title, page: song.page) }
            }
        }
        return (charts, songs ?? [])
    }

    /// Walks through the folders. People have thousands of charts, so entries are made of them beside the loop, too.
    private func listed() async throws -> (charts: [BookEntry], indexes: [FoundSets.Index]) {
        let (folders, music) = (folders, music)
        let plans = parts.library.plans
        let planned = Set(try parts.library.sets.known().filter { try plans.has($0.value.plan) }.keys)
        let found = await side.run(within: .seconds(5), parts.time) { () -> (charts: [BookEntry], indexes: [FoundSets.Index]) in
            let (own, music) = (folders.read(), music.map { SetFolders([$0]).read() } ?? FoundSets())
            let others = own.sets.filter { !planned.contains($0.path) }
            // The links in the music folder lead to charts of plans.
            let songs = (music.book + music.sets.flatMap(\.files)).filter { $0.kind == .song }
            return ((own.book + others.flatMap(\.files) + songs).map { BookEntry($0) }, own.indexes)
        }
        return found ?? ([], [])
    }

    /// Brings a chart of a songbook into the library, and returns its id there.
    package func open(_ id: AttachmentID) async throws -> AttachmentID {
        guard let entry = try await listed().charts.first(where: { $0.id == id }) else {
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
