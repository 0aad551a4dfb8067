package import Library
package import Marks
import Model

/// Mark folders that cannot be read, and what that means for charts: what is known of the files in them may be outdated.
package struct UnreadableFolders {
    /// Folders that are configured themselves. Nobody knows for which charts the marks in them are.
    package private(set) var whole: [String] = []
    /// Folders within those, by the charts that their files were for when they could be read.
    private(set) var folders: [AttachmentID: [String]] = [:]

    /// Starts with no such folders.
    init() {}

    /// Takes the folders, and the files that are known.
    package init(_ unreadable: Set<String>, in roots: MarkRoots, knowing states: [MarkFileState]) {
        guard !unreadable.isEmpty else { return }
        whole = roots.folders.filter(unreadable.contains)
        for folder in unreadable.subtracting(whole).sorted() {
            let charts = Set(states.filter { MarkRoots.isPath($0.path, in: folder) }.compactMap(\.attachment))
            for chart in charts { folders[chart, default: []].append(folder) }
        }
    }
}
