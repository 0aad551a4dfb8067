import Annotations
import Glibc
import Model
import Platform
package import Watching

/// What lies in the folders and is not read, though somebody may think that it is.
extension MarkRoots {
    /// Whether somebody may wonder why this is not read, which is neither a folder nor a mark file: its name is almost that of a mark
    /// file, or it is a link that may lead to a folder. Where a link leads is not looked at, since that may take for ever.
    @Sendable
    func mayMiss(_ name: UnsafeRawBufferPointer, isLink: Bool) -> Bool {
        let isAlmost = MarkFileName.intendedEnding(name) != nil || isLink && !Self.isFileName(name)
        return isAlmost && !isIgnored(name)
    }

    /// Whether something that happens to `path`, link or not, may change what is to be said about it.
    func mayMiss(path: String) -> Bool {
        guard let root = root(of: path) else { return false }
        let parts = path.utf8.dropFirst(root.utf8.count + 1).split(separator: UInt8(ascii: "/"))
        return parts.last.map { Array($0).withUnsafeBytes { mayMiss($0, isLink: true) } } ?? false
            && parts.dropLast().allSatisfy { admits(folder: Substring($0)) }
    }

    /// What to say about what was found beside the mark files, by its path.
    package func words(of listings: some Sequence<FileListing>) -> [String: String] {
        var words: [String: String] = [:]
        for listing in listings {
            for path in listing.unusable { words[path] = Self.unusableName }
            for (path, word) in self.words(ofPassedOver: listing.passedOver) { words[path] = word }
        }
        return words
    }

    /// The same for what lies at these paths, where there is anything to say.
    func words(ofPassedOver paths: some Collection<String>) -> [String: String] {
        guard !paths.isEmpty else { return [:] }
        let trail = LinkFollower(in: folders, endingIn: [])
        return Dictionary(paths.compactMap { path in Self.word(ofPassedOver: path, trail).map { (path, $0) } }) { first, _ in first }
    }

    private static func word(ofPassedOver path: String, _ trail: LinkFollower) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        if let ending = name.withUnsafeBytes(MarkFileName.intendedEnding) {
            return "is not read as a mark file: if it is one, give it a name that ends in \(ending)"
        }
        // What lies in one of the folders is looked at there.
        guard let target = LinkFollower.target(ofLink: path), trail.end(of: path) == nil else { return nil }
        let end = target.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        guard !end.withUnsafeBytes(isFileName) else { return nil }
        return "is a link to \(target) and not followed: if your marks are there, add that folder to annotations.folders"
    }

    /// Whether a name has an ending like that of a file, which hardly any folder has: a few letters or digits, with at least one letter.
    private static func isFileName(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
        let ending = name[(dot + 1)...]
        return (1...5).contains(ending.count) && ending.allSatisfy { isalnum(Int32($0)) != 0 }
            && ending.contains { isalpha(Int32($0)) != 0 }
    }

    private static let unusableName = "is not read: its name is not UTF-8 (shown with \\x); rename it"
}
