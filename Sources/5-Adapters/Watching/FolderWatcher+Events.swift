import Glibc
import Platform

extension FolderWatcher {
    func take(_ event: InotifyEvent) {
        // The kernel's own notice that a watch ended; the reason was reported before.
        if event.has(IN_IGNORED) { return }
        guard !event.has(IN_Q_OVERFLOW), let folder = event.folder else {
            renewal.need()
            return
        }
        if event.has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
            if roots.contains(where: { $0.path == folder }) { tell(.folderRemoved(folder)) }
            renewal.need()
            return
        }
        guard let name = event.name else { return takeStrange(event, in: folder) }
        // Events about folders themselves come from their parents.
        guard !name.isEmpty else { return }
        // Temporary files that will be renamed are nobody's business.
        guard !name.hasPrefix(AtomicFile.temporaryPrefix) else { return }
        let path = folder + "/" + name
        if event.has(IN_CREATE | IN_MOVED_TO | IN_ATTRIB) { lookForRoots(at: path) }
        if event.has(IN_ATTRIB) {
            // A folder that may have become readable.
            if event.has(IN_ISDIR), watches?.interest(in: path) == nil { folderCame(path) }
            return
        }
        if event.has(IN_ISDIR) {
            event.has(IN_CREATE | IN_MOVED_TO) ? folderCame(path) : folderWent(path, isElsewhere: event.has(IN_MOVED_FROM))
        } else {
            tellFile(path, in: folder, event)
        }
    }

    /// A name that is not valid text cannot be reported as a path; but if it would be listed, its folder has to be listed again.
    private func takeStrange(_ event: InotifyEvent, in folder: String) {
        guard !event.has(IN_ATTRIB) else { return }
        let isOfInterest = roots.contains { root in
            guard root.level(of: folder) != nil else { return false }
            guard !event.has(IN_ISDIR), let lists = root.lists else { return true }
            return event.bytes.withUnsafeBytes(lists)
        }
        if isOfInterest { tell(.rescan(folder)) }
    }

    private func tellFile(_ path: String, in folder: String, _ event: InotifyEvent) {
        let news = roots.reduce(into: WatchNews()) { if $1.level(of: folder) != nil { $0.formUnion($1.news) } }
        if event.has(IN_CLOSE_WRITE | IN_MOVED_TO), news.contains(.writes) { tell(.written(path)) }
        if event.has(IN_DELETE | IN_MOVED_FROM), news.contains(.removals) { tell(.removed(path)) }
        if event.has(IN_CREATE), isNeverWritten(path) { tell(.written(path)) }
    }

    /// Whether a new name of interest will never be closed by a writer: it is another hard link to a file, or not a regular file at all.
    private func isNeverWritten(_ path: String) -> Bool {
        let isOfInterest = roots.contains { root in
            guard root.news.contains(.writes), let lists = root.lists, root.relative(path) != nil else { return false }
            let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] } ?? path.utf8[...]
            return Array(name).withUnsafeBytes { lists($0) || root.passesOver?($0, true) ?? false }
        }
        var status = stat()
        guard isOfInterest, lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }

    /// Watches just the new folder. What was in it before the watch was set went unheard, so it has to be looked at.
    private func folderCame(_ path: String) {
        // Starting over will find it, and reports that everything has to be looked at.
        guard !renewal.isNeeded else { return }
        var isWatched = false
        do throws(WatchTrouble) {
            for root in roots where try watch(path, of: root) { isWatched = true }
        } catch {
            return giveUp(error)
        }
        if isWatched { tell(.rescan(path)) }
        // It may be a network share.
        scanSlowly()
    }

    /// The parent's event counts, not the folder's own: that comes late for a folder that somebody holds open, when another folder may
    /// have its name.
    private func folderWent(_ path: String, isElsewhere: Bool) {
        // The watch moved along with the folder, and would report its old path.
        if watches?.forget(path) == true, isElsewhere { renewal.need() }
        // Even a folder that went before it could be watched had existed.
        if roots.contains(where: { $0.level(of: path) != nil }) { tell(.folderRemoved(path)) }
    }

    private func lookForRoots(at path: String) {
        if missing.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) { renewal.need() }
    }
}
