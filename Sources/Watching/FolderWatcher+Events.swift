import Glibc
import Platform

extension FolderWatcher {
    func take(_ event: InotifyEvent) {
        // The kernel's own notice that a watch ended; what ended it was told before.
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
        // Of folders themselves, their parents tell.
        guard !name.isEmpty else { return }
        // Files on their way to another name are nobody's business.
        guard !name.hasPrefix(AtomicFile.temporaryPrefix) else { return }
        let path = folder + "/" + name
        if event.has(IN_CREATE | IN_MOVED_TO | IN_ATTRIB) { lookForRoots(at: path) }
        if event.has(IN_ATTRIB) {
            // One that may be read by now.
            if event.has(IN_ISDIR), watches?.interest(in: path) == nil { folderCame(path) }
            return
        }
        if event.has(IN_ISDIR) {
            event.has(IN_CREATE | IN_MOVED_TO) ? folderCame(path) : folderWent(path, isElsewhere: event.has(IN_MOVED_FROM))
        } else {
            tellFile(path, in: folder, event)
        }
    }

    /// What has a name that is no text cannot be told by a path; it is of interest that it is there, if it would be listed.
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

    /// Whether a new name of interest will not be closed by a writer: it is a second one of a file, or no file's at all.
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

    /// A new folder is watched alone. What was in it before the watch stood was not heard of, so it has to be looked at.
    private func folderCame(_ path: String) {
        // Beginning anew finds it, and tells to look at everything.
        guard !renewal.isNeeded else { return }
        var isWatched = false
        do throws(WatchTrouble) {
            for root in roots where try watch(path, of: root) { isWatched = true }
        } catch {
            return giveUp(error)
        }
        if isWatched { tell(.rescan(path)) }
        // It may be a share.
        scanSlowly()
    }

    /// Its parent's word counts, not its own: that comes late for a folder that somebody holds open, when another may
    /// have its name.
    private func folderWent(_ path: String, isElsewhere: Bool) {
        // The watch went with the folder, and would tell its old path.
        if watches?.forget(path) == true, isElsewhere { renewal.need() }
        // One that went before it could be watched had been there all the same.
        if roots.contains(where: { $0.level(of: path) != nil }) { tell(.folderRemoved(path)) }
    }

    private func lookForRoots(at path: String) {
        if missing.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) { renewal.need() }
    }
}
