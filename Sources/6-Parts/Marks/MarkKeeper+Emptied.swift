import Catalogue
import Glibc
import Library
import Model
import Platform
import Watching

extension MarkKeeper {
    /// Those of `paths` that are not there, in folders that have not been replaced. Where a folder went away with all that is in it, or
    /// lost the last of several files, everything is looked at again. Of files that went away like that, only those that were `renamed`
    /// (by the bytes of their paths) are gone: whatever else turns up in their folder says nothing about them.
    func certainlyGone(_ paths: [String], renamed: Set<[UInt8]>) async throws -> [String] {
        guard !paths.isEmpty else { return [] }
        let away = try library.markFiles.filesAway()
        let paths = away.isEmpty ? paths : paths.filter { !away.contains($0) || renamed.contains(Array($0.utf8)) }
        let homes = Set(paths.compactMap(roots.root))
        let (missing, unchanged) = await side.run { [standing] in
            // In this order: a folder that went away in between must not count as unchanged.
            let missing = Self.once(paths).filter { access($0, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) }
            return (missing.sorted { $0.precedesByBytes($1) }, standing.unchanged(homes))
        }
        let replaced = await side.run { missing.filter { !renamed.contains(Array($0.utf8)) && Placeholder.of($0) != nil } }
        let unmounted = try await unmounted(missing).union(replaced)
        if !unmounted.isEmpty { try library.markFiles.note(away: unmounted) }
        let gone = missing.filter { !unmounted.contains($0) && roots.root(of: $0).map(unchanged.contains) ?? false }
        let emptied = try await emptied(by: gone, away)
        for root in emptied { try library.markFiles.note(away: library.markFiles.stamps(below: root).map(\.path)) }
        let certain = emptied.isEmpty ? gone : gone.filter { !(roots.root(of: $0).map(emptied.contains) ?? false) }
        if certain.count < missing.count { look() }
        return certain
    }

    /// Those of `missing` that went away with their disk.
    private func unmounted(_ missing: [String]) async throws -> Set<String> {
        var gone: [(path: String, stamp: FileStamp)] = []
        for path in missing {
            if let stamp = try library.markFiles.writtenFile(at: path)?.file.stamp { gone.append((path, stamp)) }
        }
        let others = try Set(missing.compactMap(roots.root)).flatMap { try library.markFiles.stamps(below: $0, atMost: 64) }
        return await side.run { [gone] in
            // Whichever of these are there tell which disks are.
            let present = Set(others.lazy.filter { MarkFileStore.mayBeThere($0.path) }.map(\.stamp.device))
            return Set(MissingDisk.files(among: gone, thoughThereAre: present))
        }
    }

    /// The folders that files in `gone` lay in and that have no mark file left, if they lost several at once: that is how a disk looks
    /// that is emptied, or moved away file by file. A folder with a single file was emptied by whoever deleted that file.
    private func emptied(by gone: [String], _ away: Set<String>) async throws -> Set<String> {
        var emptied: Set<String> = []
        for root in Set(gone.compactMap(roots.root)).sorted() where try await isEmptied(root, away) { emptied.insert(root) }
        return emptied
    }

    private func isEmptied(_ root: String, _ away: Set<String>) async throws -> Bool {
        if let witness = witnesses[root], await side.run({ MarkFileStore.mayBeThere(witness) }) { return false }
        witnesses[root] = nil
        var count = 0
        var last: String?
        // Where other files are still there, the first few show it.
        repeat {
            let page = try library.markFiles.stamps(below: root, after: last, atMost: 64)
            let files = page.filter { !away.contains($0.path) }
            if let witness = await side.run({ files.first { MarkFileStore.mayBeThere($0.path) || Self.isAside($0) } }) {
                witnesses[root] = witness.path
                return false
            }
            count += files.count
            last = page.last?.path
        } while last != nil
        guard count > 1 else { return false }
        // The files there now may be new, or may only now have got their names.
        witnesses[root] = await side.run { [roots] in roots.listing(of: root).files.first?.path }
        return witnesses[root] == nil
    }

    /// Whether Xournal++ has put a file aside.
    private nonisolated static func isAside(_ file: FileStamps.Entry) -> Bool {
        FileStamp(ofFilePutAsideFor: file.path)?.standsIn(for: file.stamp) ?? false
    }
}
