import ChartLinks
import Glibc
import Library

/// Where a path leads, without looking at anything outside the given folders: looking at a mount or a share may take for ever.
struct LinkFollower {
    /// The folders in which links are followed, under each of their names, with where they really are.
    private let folders: [(name: String, real: String)]
    /// A path into one of these counts as resolved, whether or not anything is there.
    private let ends: [String]

    /// As many as the kernel follows.
    private static let mostLinks = 40

    /// Follows links in `folders`, which may be links themselves.
    init(in folders: [String], endingIn ends: [String]) {
        self.ends = ends
        var known: [(name: String, real: String)] = []
        for folder in folders {
            guard let real = MatchStore.followingLinks(folder) else { continue }
            known += [(folder, real), (real, real)]
        }
        self.folders = known
    }

    /// Where `path` leads once all links are followed; `nil` if nothing is there, or it leads out of the folders.
    func end(of path: String) -> String? {
        var path = path
        for _ in 0...Self.mostLinks {
            if ends.contains(where: { MarkRoots.isPath(path, in: $0) }) { return path }
            guard let (name, real) = folders.first(where: { MarkRoots.isPath(path, in: $0.name) }) else { return nil }
            let parts = path.utf8.dropFirst(name.utf8.count + 1).split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let link = firstLink(on: parts, below: real) else { return nil }
            guard let next = link.next else { return link.done }
            path = next
        }
        return nil
    }

    /// How far the path goes without a link, and where the first link leads; `nil` if nothing is there.
    private func firstLink(on parts: [String], below folder: String) -> (done: String, next: String?)? {
        var done = folder
        for (place, part) in parts.enumerated() {
            guard let leads = Self.target(ofLink: done + "/" + part) else {
                guard errno == EINVAL else { return nil }
                done += "/" + part
                continue
            }
            return (done, MarkFileIndex.joined(done, ([leads] + parts[(place + 1)...]).joined(separator: "/")))
        }
        return (done, nil)
    }

    /// What a link says; `nil` if there is none, with the reason in `errno`: `EINVAL` for something that is not a link.
    static func target(ofLink path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &target, target.count)
        guard length >= 0 else { return nil }
        return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
