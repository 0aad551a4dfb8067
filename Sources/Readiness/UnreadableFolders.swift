package import Library
package import Marks
import Model

/// Folders of marks that cannot be read, by what that means for charts: what is known of the files in them may be old.
package struct UnreadableFolders {
    /// Those that were configured. Nobody knows for which charts the marks in them are.
    package private(set) var whole: [String] = []
    /// Those within others, by the charts that files in them were for when they could be read.
    private(set) var folders: [AttachmentID: [String]] = [:]

    /// There are none.
    init() {}

    /// Takes folders, and the files that are known.
    package init(_ unreadable: Set<String>, in roots: MarkRoots, knowing states: [MarkFileState]) {
        guard !unreadable.isEmpty else { return }
        whole = roots.folders.filter(unreadable.contains)
        for folder in unreadable.subtracting(whole).sorted() {
            let charts = Set(states.filter { MarkRoots.isPath($0.path, in: folder) }.compactMap(\.attachment))
            for chart in charts { folders[chart, default: []].append(folder) }
        }
    }
}
