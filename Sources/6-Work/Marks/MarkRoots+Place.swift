import Annotations
import Library
import Platform

extension MarkRoots {
    /// Why a native layer at the absolute `path` is never read, and what to do about it: one text about the file's name, and one
    /// about its folder. A text is `nil` if the name, or the folder, is right.
    package func obstacles(to path: String) -> (name: String?, folder: String?) {
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        let reader =
            MarkFileName.isOfXournal(name) ? "a file of this name is read as Xournal++ writes it" : "nothing reads a file of this name"
        let ofName: String? =
            if !MarkFileName.isNative(name) {
                "\(reader); give it one that ends in .marks.json"
            } else if !admits(file: name) {
                "annotations.ignore leaves out files of this name; give it another one, or change that setting"
            } else {
                nil
            }
        return (ofName, reason(againstFolderOf: path).map { "\($0); put the file into one of: \(folders.joined(separator: ", "))" })
    }

    private func reason(againstFolderOf path: String) -> String? {
        // Links inside a mark folder are not followed, so the file's real folder must be in one.
        let parent = MatchStore.followingLinks(Folder.parent(of: path)) ?? Folder.parent(of: path)
        let inside = answering.lazy.compactMap { MatchStore.followingLinks($0) }.first { parent == $0 || Self.isPath(parent, in: $0) }
        guard let inside else { return "nothing reads marks in this folder" }
        let between = parent.utf8.dropFirst(inside.utf8.count).split(separator: UInt8(ascii: "/"))
        return between.allSatisfy { admits(folder: Substring($0)) } ? nil : "annotations.ignore leaves out a folder that the file is in"
    }
}
