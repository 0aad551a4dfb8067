import Platform

extension FolderWatcher {
    /// Whether a root lies where others' changes are not heard.
    func isRemote(_ root: WatchedRoot) -> Bool {
        if remote.contains(root.path) { return true }
        guard isOnNetwork(root.path) else { return false }
        remote.insert(root.path)
        return true
    }

    /// Whether a folder in a root is such a place, while the root is none: one that lies on another disk than its parent.
    func isShare(_ folder: String, on device: UInt64?, in parent: UInt64?) -> Bool {
        if remote.contains(folder) { return true }
        // One that cannot be looked at may be a share whose other end is gone.
        if let device, device == parent { return false }
        guard isOnNetwork(folder) else { return false }
        remote.insert(folder)
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
