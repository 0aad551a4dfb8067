import Annotations
import Catalogue
import ChartLinks
import Library
import Marks
import Model
import Platform
import Watching

/// What happened to the user's mark files that the library does not know yet, because no agent was running or it is still about to read
/// them.
///
/// It is found out just as a running agent does it, with the same listing, reading and matching, and none of it is kept: what is reported
/// here is what the next agent will find.
struct UnreadMarks {
    /// The state of one file.
    enum State: Hashable, Sendable {
        /// What it draws differs from what is known.
        case unread(ReadinessLack.Unread)
        /// It was written since it was last read, and cannot be understood.
        case fault(String)
    }

    /// The files, by path, under the charts that they are or were for.
    private(set) var files: [AttachmentID: [String: State]] = [:]
    /// Files that cannot be understood and belong to no known chart.
    private(set) var strays: [ReadinessReport.StrayMarks] = []
    /// Files that are understood but belong to no known chart.
    private(set) var unmatched: [ReadinessReport.UnmatchedMarks] = []
    /// Files for which what the library knows is outdated.
    private(set) var overtaken: Set<String> = []
    /// Files that were not looked into because there are too many: any of them may be for any chart.
    private(set) var unsorted: [String] = []
    /// Folders that cannot be read.
    private(set) var unreadable: Set<String> = []
    /// What is wrong with the folders.
    private(set) var folderTroubles: [Setback] = []

    /// The time that decides which plans are still to come.
    private let now: Timestamp

    /// Lists the folders and looks into this many files `atMost`. PDFs that the files name are read, too, if `isThorough`.
    @LoopActor
    init(
        in roots: MarkRoots, _ library: Library, knowing states: [MarkFileState], at now: Timestamp, side: SideThread, atMost most: Int,
        isThorough: Bool = true
    ) async throws {
        self.now = now
        let (standing, listed, passedOver) = await side.run {
            let standing = RootsOnDisk(of: roots)
            let listed = roots.folders.filter { standing.twins[$0] == nil }.map { (root: $0, listing: roots.listing(of: $0)) }
            return (standing, listed, roots.words(of: listed.lazy.map(\.listing)))
        }
        let known = Dictionary(states.map { ($0.path, $0) }) { first, _ in first }
        let away = try library.markFiles.filesAway()
        let stamps = FileStamps(states.map { FileStamps.Entry(path: $0.path, stamp: $0.stamp) })
        let survey = await side.run { MarkSurvey(listed, in: roots, standing: standing, known: stamps, away: away) }
        unreadable = survey.unread
        tell(of: survey, standing, passedOver, roots)
        for path in survey.outside { note(known[path], .leftOut) }
        for path in survey.savedOutside { note(known[path], .savedOutside) }
        for path in survey.gone {
            guard let state = known[path] else { continue }
            if let other = FileStamp(ofFilePutAsideFor: path), other.standsIn(for: state.stamp) { continue }
            note(state, .removed)
        }
        overtaken = Set(survey.outside + survey.gone + survey.changed.prefix(most))
        let unmatched = try library.markFiles.unmatchedReferences().filter { !overtaken.contains($0.path) }
        let faulty = states.filter { $0.fault != nil && $0.attachment != nil && !overtaken.contains($0.path) }
        guard !survey.changed.isEmpty || !unmatched.isEmpty || !faulty.isEmpty else { return }
        let index = try library.matches.index()
        let named = NamedPDFs(roots: roots, side: side)
        for path in survey.changed.prefix(most) { try await look(into: path, known[path], library, index, named, side) }
        for state in faulty.prefix(most) { try await lookWhomElseItConcerns(state, library, index, named, side) }
        for (path, reference) in isThorough ? unmatched[...] : unmatched.prefix(most) {
            try await match(path, reference, library, index, named, isThorough)
        }
        for path in survey.changed.dropFirst(most) {
            if known[path]?.attachment == nil { unsorted.append(path) } else { note(known[path], .saved) }
        }
    }

    /// Finds out whether the chart of a file that had none when it was read has arrived since.
    @LoopActor
    private mutating func match(
        _ path: String, _ reference: MarkFile.Reference, _ library: Library, _ index: MarkFileIndex, _ named: NamedPDFs, _ isThorough: Bool
    ) async throws {
        guard let match = try present(await named.match(path, reference, index, isThorough: isThorough), library),
            try library.markFiles.file(at: path)?.content?.marks.isEmpty == false
        else { return }
        files[match.attachment, default: [:]][path] = .unread(.unmatched)
    }

    @LoopActor
    private func present(_ match: MarkFileMatch?, _ library: Library) throws(LibraryError) -> MarkFileMatch? {
        try match.map { match throws(LibraryError) in try library.matches.present(match, at: now) }
    }

    private mutating func note(_ state: MarkFileState?, _ what: ReadinessLack.Unread) {
        // A file that was never understood draws nothing; but if it is gone, that still matters to its chart.
        guard let state, let attachment = state.attachment else { return }
        files[attachment, default: [:]][state.path] = .unread(what)
    }

    /// Reads a file and says what an agent would make of it.
    @LoopActor
    private mutating func look(
        into path: String, _ state: MarkFileState?, _ library: Library, _ index: MarkFileIndex, _ named: NamedPDFs, _ side: SideThread
    ) async throws {
        switch await side.run({ Reading(path) }) {
        case .written(var written, let hasMarks):
            let former = try library.markFiles.writtenFile(at: path)
            var match = await named.match(path, written.file.content?.reference ?? MarkFile.Reference(), index)
            if match == nil { match = try library.matches.formerMatch(of: written, knownAs: former, index) }
            match = try present(match, library)
            written.file.attachment = match?.attachment
            if match == nil {
                unmatched.append(ReadinessReport.UnmatchedMarks(path: path, written.file.content?.reference ?? MarkFile.Reference()))
            }
            // Nothing has changed if it was saved with the same marks as before, or never had any.
            guard !written.draws(as: former) || state?.fault != nil, former?.file.attachment != nil || hasMarks else { return }
            for attachment in Set([match?.attachment, former?.file.attachment].compactMap { $0 }) {
                files[attachment, default: [:]][path] = .unread(former == nil ? .new : .saved)
            }
        case .faulty(let fault):
            if fault.reason == .missing { return note(state, .removed) }
            let other = try present(await named.match(path, of: fault, index), library)?.attachment
            let charts = Set([state?.attachment, other].compactMap { $0 })
            for chart in charts { files[chart, default: [:]][path] = .fault(fault.description) }
            if charts.isEmpty { strays.append(ReadinessReport.StrayMarks(path: path, fault: fault.description)) }
        }
    }

    /// A file that cannot be read keeps the marks that it had; but it may have been saved for another chart, which then lacks them.
    @LoopActor
    private mutating func lookWhomElseItConcerns(
        _ state: MarkFileState, _ library: Library, _ index: MarkFileIndex, _ named: NamedPDFs, _ side: SideThread
    ) async throws {
        guard case .faulty(let fault) = await side.run({ Reading(state.path) }),
            let other = try present(await named.match(state.path, of: fault, index), library)?.attachment, other != state.attachment
        else { return }
        files[other, default: [:]][state.path] = .fault(fault.description)
    }

    private mutating func tell(of survey: MarkSurvey, _ standing: RootsOnDisk, _ passedOver: [String: String], _ roots: MarkRoots) {
        let folders = MarkFolders(as: survey, standing, in: roots, passedOver: passedOver)
        folderTroubles =
            folders.troubles
            + folders.missing.sorted().map { Setback($0, "is missing; mark files in it are read as soon as it is there") }
    }

    private enum Reading: Sendable {
        case written(WrittenFile, hasMarks: Bool)
        case faulty(MarkFileFault)

        init(_ path: String) {
            do throws(MarkFileFault) {
                let (content, stamp) = try MarkFileReader.read(path: path)
                do throws(LibraryError) {
                    let file = LocalFile(path: path, stamp: stamp, firstSeen: Timestamp(nanoseconds: 0), content: content)
                    self = .written(try WrittenFile(file), hasMarks: !content.marks.isEmpty)
                } catch {
                    self = .faulty(MarkFileFault(.malformed, "\(error)"))
                }
            } catch {
                self = .faulty(error)
            }
        }
    }
}
