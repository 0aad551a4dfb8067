import Annotations
import Library
import Platform

extension MarkRoots {
    /// Why a file at `path` is never read, and what to do about it.
    package enum Obstacle: Hashable, Sendable {
        /// Whatever the folder.
        case name(String)
        case folder(String)
    }

    /// What keeps a native layer at `path`, an absolute one, from being read; `nil` if nothing does.
    package func obstacle(to path: String) -> Obstacle? {
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        guard MarkFileName.isNative(name) else {
            return .name("nothing reads marks from a file of this name; give it one that ends in .marks.json")
        }
        guard admits(file: name) else {
            return .name("annotations.ignore leaves out files of this name; give it another one, or change that setting")
        }
        // Only what really is in a folder is read there: links in it are not followed.
        let parent = MatchStore.followingLinks(Folder.parent(of: path)) ?? Folder.parent(of: path)
        let real = (parent == "/" ? "" : parent) + "/" + name
        let inside = folders.lazy.compactMap { MatchStore.followingLinks($0) }.first { Self.isPath(real, in: $0) }
        guard let inside else {
            return .folder("nothing reads marks in this folder; put the file into one of: \(folders.joined(separator: ", "))")
        }
        let between = parent.utf8.dropFirst(inside.utf8.count).split(separator: UInt8(ascii: "/"))
        guard between.allSatisfy({ admits(folder: Substring($0)) }) else {
            return .folder(
                "annotations.ignore leaves out a folder that the file is in; put it into one of: \(folders.joined(separator: ", "))")
        }
        return nil
    }
}
