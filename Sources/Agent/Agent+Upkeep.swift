import Freshness
import PageCache
import Platform
import Rendering

extension Agent {
    /// Keeps the cache as it should be until the end: sees what somebody else removes, and looks after it at a slow pace.
    ///
    /// Without the watcher, if it cannot be had, only the pace is left.
    public func beginUpkeep() {
        upkeep.begin(parts.time) { [weak self] in
            self?.parts.cache.doubtAll()
            self?.markKeeper.look()
            self?.reconcile()
        }
        do throws(SystemError) {
            try parts.fileEvents?.start { [weak self] event in self?.follow(event) }
        } catch {
            parts.log.warning("what changes in the page cache and in your files of marks is noticed within the hour only: \(error)")
        }
    }

    /// Takes note of links to charts that were made or moved: files of marks may name them.
    public func noteLinks() { markKeeper.matchAgain() }

    /// How the folders of marks stood when they were last looked at.
    public var markFolders: MarkFolders { markKeeper.folders }

    func endUpkeep() {
        upkeep.end(parts.time)
        parts.fileEvents?.stop()
    }

    private func follow(_ event: FileEvent) {
        markKeeper.follow(event)
        followCatalogue(event)
        switch event {
        case .written: break
        // Where names may have been missed it is the same question: is anything gone that we know of?
        case .removed(let path), .folderRemoved(let path), .rescan(let path):
            if parts.cache.noteRemoved(path: path) { reconcile() }
        }
    }

    /// Lets go of what is only kept to be fast: the system is short of memory.
    public func easeMemory() {
        memory.empty()
        parts.renderer.rest()
        ProcessMemory.giveBack()
    }
}
