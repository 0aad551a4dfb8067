import Annotations
package import Catalogue
import ChartFiles
import LayerJoin
package import Library
package import Marks
public import Model
import PageCache
package import Platform

/// Changes of the user's mark files that are not in the library yet, because no agent was running or the agent is about to read them.
///
/// This type uses an agent's parts for listing, reading and matching, but stores nothing: it reports what the next agent will find.
struct UnreadMarks {
    enum State: Hashable, Sendable {
        /// The file's marks differ from those in the library.
        case unread(ReadinessLack.Unread)
        /// The file was saved since it was last read, and cannot be parsed.
        case fault(String)
    }

    /// The changed files, by path, under their present and former charts.
    private(set) var files: [AttachmentID: [String: State]] = [:]
    /// Files that cannot be read and belong to no known chart.
    private(set) var strays: [ReadinessReport.StrayMarks] = []
    /// Files that can be read but belong to no known chart.
    private(set) var unmatched: [ReadinessReport.UnmatchedMarks] = []
    /// Files whose state in the library is outdated.
    private(set) var overtaken: Set<String> = []
    /// Files that were not read because there are too many: they may be for any chart.
    private(set) var unsorted: [String] = []
    let folders: MarkFolders
    let unreadable: UnreadableFolders

    private let library: Library
    private let finder: MarkedChartFinder
    private let side: SideThread

    /// Lists the folders and reads at most `most` files. PDFs that the files name are read, too, if `isThorough`. `now` decides
    /// which plans are still to come.
    @LoopActor
    init(
        in roots: MarkRoots, _ library: Library, knowing states: [MarkFileState], at now: Timestamp, side: SideThread, atMost most: Int,
        isThorough: Bool = true
    ) async throws {
        self.library = library
        self.side = side
        finder = MarkedChartFinder(library: library, roots: roots, side: side) { now }
        let listed = await ListedFolders(roots, side: side)
        let known = Dictionary(states.map { ($0.path, $0) }) { first, _ in first }
        let away = try library.markFiles.filesAway()
        let stamps = FileStamps(states.map { FileStamps.Entry(path: $0.path, stamp: $0.stamp) })
        let dataFolder = library.folder
        let survey = await side.run { MarkSurvey(listed, in: roots, known: stamps, away: away, dataFolder: dataFolder) }
        folders = survey.folders
        unreadable = try UnreadableFolders(survey.folders.unreadable, in: roots, library, knowing: states)
        for path in survey.outside { note(known[path], .leftOut) }
        for path in survey.savedAmongKept { note(known[path], .savedOutside) }
        for (paths, what) in [(survey.gone, ReadinessLack.Unread.removed), (survey.lost.sorted(), .away)] {
            let missing = paths.compactMap { known[$0] }
            let really = await side.run {
                missing.filter { !(FileStamp(ofFilePutAsideFor: $0.path)?.standsIn(for: $0.stamp) ?? false) }
            }
            for state in really { note(state, what) }
        }
        overtaken = Set(survey.outside + survey.gone + survey.changed.prefix(most))
        let unmatched = try library.markFiles.unmatchedReferences().filter { !overtaken.contains($0.path) }
        let faulty = states.filter { $0.fault != nil && $0.attachment != nil && !overtaken.contains($0.path) && !roots.isSilent($0.path) }
        guard !survey.changed.isEmpty || !unmatched.isEmpty || !faulty.isEmpty else { return }
        let index = try library.matches.index()
        for path in survey.changed.prefix(most) { try await look(into: path, known[path], index) }
        for state in faulty.prefix(most) { try await lookWhomElseItConcerns(state, index) }
        // If a file had no chart when it was read, that chart may have arrived meanwhile.
        for (path, reference) in isThorough ? unmatched[...] : unmatched.prefix(most) {
            let named = try await finder.chart(path, reference, index, isThorough: isThorough)
            guard let match = named ?? index.match(byNamesIn: reference, of: path),
                try library.markFiles.file(at: path)?.content?.marks.isEmpty == false
            else { continue }
            files[match.attachment, default: [:]][path] = .unread(.unmatched)
        }
        for path in survey.changed.dropFirst(most) {
            if known[path]?.attachment == nil { unsorted.append(path) } else { note(known[path], .saved) }
        }
    }

    private mutating func note(_ state: MarkFileState?, _ what: ReadinessLack.Unread) {
        // A file that never had a chart affects no chart's readiness.
        guard let state, let attachment = state.attachment else { return }
        files[attachment, default: [:]][state.path] = .unread(what)
    }

    /// Reads a file, and finds out what an agent would do with it.
    @LoopActor
    private mutating func look(into path: String, _ state: MarkFileState?, _ index: MarkFileIndex) async throws {
        switch await side.run({ MarkReading(path) }).result {
        case .success(let content):
            let former = try library.markFiles.writtenFile(at: path)
            var written = content.written
            let match = try await finder.chart(of: written, knownAs: former, index)
            written.file.attachment = match?.attachment
            if match == nil {
                unmatched.append(ReadinessReport.UnmatchedMarks(path: path, written.file.content?.reference ?? MarkFile.Reference()))
            }
            // Nothing has changed if the file has the same marks as before, or never had any, or is an older state of a part.
            let known = try library.parts.part(at: path)?.part
            var part = known
            if let state = content.part { part?.join(state) }
            let isSame = known == nil || content.part == nil ? written.draws(as: former) : part == known
            guard !isSame || state?.fault != nil, former?.file.attachment != nil || !content.pages.isEmpty else {
                return
            }
            for attachment in Set([match?.attachment, former?.file.attachment].compactMap { $0 }) {
                files[attachment, default: [:]][path] = .unread(former == nil ? .new : .saved)
            }
        case .failure(let fault):
            if fault.reason == .missing { return note(state, .removed) }
            let other = try await finder.chart(path, of: fault, index)?.attachment
            let charts = Set([state?.attachment, other].compactMap { $0 })
            for chart in charts { files[chart, default: [:]][path] = .fault(fault.description) }
            if charts.isEmpty { strays.append(ReadinessReport.StrayMarks(path: path, fault: fault.description)) }
        }
    }

    /// If an unreadable file is now for another chart than before, reports the file for that chart: the last good marks are only on
    /// the old chart.
    @LoopActor
    private mutating func lookWhomElseItConcerns(_ state: MarkFileState, _ index: MarkFileIndex) async throws {
        guard case .failure(let fault) = await side.run({ MarkReading(state.path) }).result,
            let other = try await finder.chart(state.path, of: fault, index)?.attachment, other != state.attachment
        else { return }
        files[other, default: [:]][state.path] = .fault(fault.description)
    }
}

/// Mark folders that cannot be read, and the charts concerned: files in these folders may be newer than their records.
package struct UnreadableFolders {
    /// Configured folders. They may contain marks for any chart.
    package private(set) var whole: [String] = []
    /// Unreadable subfolders, grouped by chart. A subfolder is listed under the charts that its files were for when it could be
    /// read, and under the charts that have, or would have, a link there.
    private(set) var folders: [AttachmentID: [String]] = [:]

    init() {}

    @LoopActor
    package init(_ unreadable: Set<String>, in roots: MarkRoots, _ library: Library, knowing states: [MarkFileState]) throws(LibraryError) {
        let inner = unreadable.subtracting(roots.folders)
        var links: [ChartLink] = []
        if !inner.isEmpty {
            // If a plan's folder cannot be read, its links may never have been made, so add those that the plans would have.
            let plans = try library.plans.all()
            links = try library.links.recordedLinks()
            for place in Set(inner.map(Folder.parent)) { links += ChartLink.wanted(for: plans, in: place, reserved: [:]) { _ in "" } }
        }
        self.init(unreadable, in: roots, knowing: states, links)
    }

    init(_ unreadable: Set<String>, in roots: MarkRoots, knowing states: [MarkFileState], _ links: [ChartLink]) {
        whole = roots.folders.filter(unreadable.contains)
        for folder in unreadable.subtracting(whole).sorted() {
            let marked = states.filter { MarkRoots.isPath($0.path, in: folder) }.compactMap(\.attachment)
            let opened = links.filter { $0.stands && $0.hasKnownAttachment && MarkRoots.isPath($0.path, in: folder) }.map(\.attachment)
            for chart in Set(marked + opened) { folders[chart, default: []].append(folder) }
        }
    }
}

extension ReadinessCheck {
    /// The unread changes of the user's mark files for one chart.
    public func newsOfMarks(of attachment: AttachmentID, at now: Timestamp) async throws -> [ReadinessLack] {
        let known = try library.markFiles.states()
        let unread = try await UnreadMarks(
            in: roots, library, knowing: known, at: now, side: SideThread(inline: cache.side.isInline), atMost: Self.mostLookedInto)
        let news = (unread.files[attachment] ?? [:]).sorted { $0.key < $1.key }.compactMap { path, state -> ReadinessLack? in
            switch state {
            case .unread(let what): return .marksUnread(path: path, what)
            case .fault(let fault):
                let former = known.first { $0.path == path }
                // A file that could not be read before, for the same reason, has not changed.
                guard former?.fault != fault else { return nil }
                return .marksUnreadable(path: path, fault: fault, keepsFormer: former?.hasContent ?? false)
            }
        }
        let unreadable = unread.unreadable
        return news + (unreadable.whole + (unreadable.folders[attachment] ?? [])).map(ReadinessLack.marksUnseen)
            + (unread.unsorted.first.map { [.marksUnsorted(files: unread.unsorted.count, path: $0)] } ?? [])
    }
}
