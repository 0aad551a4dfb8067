import Library
import Model

/// What was found out about the marks on one chart.
struct MarkFacts {
    /// One of the user's mark files for the chart.
    struct File: Hashable, Sendable {
        var path: String
        var fault: String?
        /// Whether what it said before is still known.
        var keepsFormer = false
        /// What happened to it since it was last read.
        var unread: ReadinessLack.Unread?
        /// What in it is not drawn as it was made, one sentence each.
        var leftOut: [String] = []
    }

    var files: [File] = []
    /// The pages with marks made when the pages looked different.
    var olderPages: [PageIndex] = []
    /// Layers from the service that are not shown as last sent, and layers that it no longer lists.
    var layerDoubts: [LayerDoubt] = []
    var goneLayers: [String] = []
    /// The user's mark files that are left out because they are copies of others.
    var copies: [MarkCopies.Copy] = []
    /// The user's mark files that are not drawn because somebody hid them.
    var hiddenFiles: [String] = []
    /// Former states of the user's mark files that lost many marks, until somebody accepts that.
    var vanished: [FormerMarks] = []
    /// Folders that cannot be read, and that had marks for this chart when they could.
    var unreadableFolders: [String] = []
    /// Marks on pages that the chart does not have.
    var beyondPages: [MarksBeyond] = []

    /// This many files that wait to be read are listed by name.
    private static let mostUnreadNamed = 5
    /// This many files or layers with marks that are not drawn are listed by name.
    private static let mostOmissionsNamed = 5

    private var unreadPaths: Set<String> { Set(files.filter { $0.unread != nil }.map(\.path)) }

    /// What about the marks keeps the chart from being played from.
    func lacks(of chart: AttachmentID) -> [ReadinessLack] {
        let unread = files.compactMap { file in file.unread.map { ReadinessLack.marksUnread(path: file.path, $0) } }
        let faulty = files.filter { $0.unread == nil }.compactMap { file in
            file.fault.map { ReadinessLack.marksUnreadable(path: file.path, fault: $0, keepsFormer: file.keepsFormer) }
        }
        let more = unread.count - Self.mostUnreadNamed
        return layerDoubts.map(ReadinessLack.layerDoubted) + unreadableFolders.map(ReadinessLack.marksUnseen) + faulty
            + unread.prefix(Self.mostUnreadNamed)
            + (more > 0 ? [.moreMarksUnread(files: more)] : []) + undecidedCopies(of: chart)
    }

    /// Copies that have marks of their own, which are not shown until somebody says whether they are wanted.
    private func undecidedCopies(of chart: AttachmentID) -> [ReadinessLack] {
        let unread = unreadPaths
        return copies.filter { $0.ownMarks > 0 && !unread.contains($0.path) }.map {
            .marksInCopy(path: $0.path, of: $0.other, marks: $0.ownMarks, chart: chart)
        }
    }

    /// What is left out of marks that have not changed since they were read; only some of it if there is much.
    func notesOfOmissions(on chart: AttachmentID) -> [ReadinessNote] {
        let all = omissions(on: chart)
        let more = all.count - Self.mostOmissionsNamed
        return all.prefix(Self.mostOmissionsNamed) + (more > 0 ? [.moreMarksLeftOut(more)] : [])
    }

    private func omissions(on chart: AttachmentID) -> [ReadinessNote] {
        let unread = unreadPaths
        let beyond = beyondPages.filter { !($0.path.map(unread.contains) ?? false) }.map {
            ReadinessNote.marksBeyond($0.pages, of: $0.displayName, path: $0.path, chartPages: $0.chartPages)
        }
        let leftOut = files.filter { $0.unread == nil && !$0.leftOut.isEmpty }.map { ReadinessNote.marksLeftOut($0.leftOut, path: $0.path) }
        let copies = copies.filter { $0.ownMarks == 0 && !unread.contains($0.path) }.map {
            ReadinessNote.copyLeftOut(path: $0.path, of: $0.other, chart: chart)
        }
        let hidden = hiddenFiles.map { ReadinessNote.marksHidden(path: $0, chart: chart) }
        return vanished.map { .marksVanished($0, chart: chart) } + beyond + leftOut + copies + hidden
    }
}
