import Platform

extension FolderWatcher {
    /// Whether a root lies where others' changes are not heard.
    func isRemote(_ root: WatchedRoot) -> Bool {
        if remote.contains(root.path) { return true }
        guard isOnNetwork(root.path) else { return false }
        remote.insert(root.path)
        return true
    }

    /// Tells from now on, at a slow pace, to look at what cannot be watched.
    func scanSlowly() {
        // However often the watching begins anew, the pace goes on.
        guard scan == nil, !scanned.isEmpty else { return }
        scan = clock.schedule(at: clock.now + pace) { [weak self] in
            guard let self else { return }
            scan = nil
            scanSlowly()
            for root in scanned { tell(.rescan(root)) }
        }
    }

    func endScans() {
        if let scan { clock.cancel(scan) }
        scan = nil
        remote = []
    }
}
