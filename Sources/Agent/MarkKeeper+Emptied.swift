import Glibc
import Library
import Model
import Platform
import Watching

extension MarkKeeper {
    /// Those of the folders that had `gone` in them which have no file of marks any more, where several went at once: a disk that
    /// is emptied, or moved away file by file, looks like this. One that had a single file was emptied by whoever deleted that.
    func emptied(by gone: [String]) async throws -> Set<String> {
        var emptied: Set<String> = []
        for root in Set(gone.compactMap(roots.root)).sorted() where try await isEmptied(root) { emptied.insert(root) }
        return emptied
    }

    private func isEmptied(_ root: String) async throws -> Bool {
        if let witness = witnesses[root], await side.run({ Self.mayBeThere(witness) }) { return false }
        witnesses[root] = nil
        var count = 0
        var last: String?
        // Where others stay, the first few tell it.
        repeat {
            let files = try library.localFiles(below: root, after: last, atMost: 64)
            if let witness = await side.run({ files.first { Self.mayBeThere($0.path) || Self.isAside($0) } }) {
                witnesses[root] = witness.path
                return false
            }
            count += files.count
            last = files.last?.path
        } while last != nil
        guard count > 1 else { return false }
        // Those that are there may have come, or got their names, only now.
        witnesses[root] = await side.run { [roots] in roots.listing(of: root).files.first?.path }
        return witnesses[root] == nil
    }

    /// Whether a file is there, as far as one can see.
    private nonisolated static func mayBeThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    /// Whether Xournal++ put a file aside.
    private nonisolated static func isAside(_ file: FileStamps.Entry) -> Bool {
        FileStamp(ofFilePutAsideFor: file.path)?.standsIn(for: file.stamp) ?? false
    }
}
