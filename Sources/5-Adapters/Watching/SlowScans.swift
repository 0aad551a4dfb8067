import Platform

/// The folders on a network, where other machines' changes go unnoticed, and the slow pace at which they are checked instead.
@LoopActor
final class SlowScans {
    private let clock: any TimeKeeper
    private let pace: Duration
    private let isOnNetwork: (String) -> Bool
    /// Roots, and folders in them. Once here, they stay, since a share may come and go.
    private(set) var remote: Set<String> = []
    private var timer: TimerID?

    init(clock: any TimeKeeper, pace: Duration, isOnNetwork: @escaping (String) -> Bool) {
        self.clock = clock
        self.pace = pace
        self.isOnNetwork = isOnNetwork
    }

    /// Whether a root is on a network, where changes by others go unnoticed.
    func isRemote(_ root: String) -> Bool { remote.contains(root) || finds(root) }

    /// Whether a folder within a local root is on a network; only possible if it is on another disk than its parent.
    func isShare(_ folder: String, on device: UInt64?, in parent: UInt64?) -> Bool {
        if remote.contains(folder) { return true }
        // A folder that cannot be opened may be a share whose server is gone.
        if let device, device == parent { return false }
        return finds(folder)
    }

    private func finds(_ folder: String) -> Bool {
        guard isOnNetwork(folder) else { return false }
        remote.insert(folder)
        return true
    }

    /// Has `scan` called once, after the pause. The pace does not change, however often watching starts over.
    func schedule(_ scan: @escaping @LoopActor () -> Void) {
        guard timer == nil else { return }
        timer = clock.schedule(at: clock.now + pace) { [weak self] in
            self?.timer = nil
            scan()
        }
    }

    func end() {
        if let timer { clock.cancel(timer) }
        timer = nil
        remote = []
    }
}
