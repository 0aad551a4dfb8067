import Glibc

/// Reports that the machine is short of memory, so that whatever can be loaded again is released.
///
/// The kernel, or whatever `$MEMORY_PRESSURE_WATCH` names, wakes us; nothing is polled
/// (https://systemd.io/MEMORY_PRESSURE/).
@LoopActor
public final class MemoryPressure {
    /// Whether there can be reports.
    public enum State: Hashable, Sendable, CustomStringConvertible {
        /// Reports come from this file.
        case watching(path: String)
        /// There will be none, for this reason; the machine manages without.
        case off(reason: String)

        public var description: String {
            switch self {
            case .watching(let path): "memory is released when \(path) says that it is short"
            case .off(let reason): "nothing reports when memory is short: \(reason)"
            }
        }
    }

    /// Whether it is watching.
    public private(set) var state = State.off(reason: "not watched yet")
    private let watch: String?
    private let write: String?
    private let cgroups: String
    private let cgroupRoot: String
    private var source: MemoryPressureSource?
    private var subscription: DescriptorWatch?

    /// What to watch: the values of `$MEMORY_PRESSURE_WATCH` and `$MEMORY_PRESSURE_WRITE`, or else the process's own control group.
    public init(
        watch: String?, write: String?, cgroups: String = "/proc/self/cgroup", cgroupRoot: String = "/sys/fs/cgroup"
    ) {
        self.watch = watch
        self.write = write
        self.cgroups = cgroups
        self.cgroupRoot = cgroupRoot
    }

    /// Calls `handler` on the loop whenever memory is short, at most every few seconds, until `stop`, which must be called
    /// before this object is released.
    public func start(_ handler: @escaping @LoopActor () -> Void) {
        stop()
        do throws(MemoryPressureSource.Unavailable) {
            let source = try open()
            do throws(SystemError) {
                subscription = try Loop.shared.watch(source.descriptor.number, for: source.interest) { [weak self] readiness in
                    self?.hear(readiness, handler)
                }
            } catch {
                // A file that is not one of the kernel's pressure files never reports anything.
                throw MemoryPressureSource.Unavailable("\(source.path) cannot be watched")
            }
            state = .watching(path: source.path)
            self.source = source
        } catch {
            state = .off(reason: error.reason)
        }
    }

    /// Ends the watch.
    public func stop() {
        end(because: "not watched")
    }

    private func open() throws(MemoryPressureSource.Unavailable) -> MemoryPressureSource {
        guard let watch, !watch.isEmpty else {
            guard let path = MemoryPressureSource.ownControlGroup(cgroups: cgroups, root: cgroupRoot) else {
                throw MemoryPressureSource.Unavailable("this system has no control group for it")
            }
            return try MemoryPressureSource(path: path, trigger: MemoryPressureSource.usualTrigger)
        }
        guard watch != "/dev/null" else { throw MemoryPressureSource.Unavailable("MEMORY_PRESSURE_WATCH turns it off") }
        guard watch.hasPrefix("/") else { throw MemoryPressureSource.Unavailable("MEMORY_PRESSURE_WATCH is not an absolute path") }
        guard let trigger = Base64.decode(write ?? "") else {
            throw MemoryPressureSource.Unavailable("MEMORY_PRESSURE_WRITE is not Base64")
        }
        return try MemoryPressureSource(path: watch, trigger: trigger)
    }

    private func hear(_ readiness: Readiness, _ handler: @LoopActor () -> Void) {
        guard let source else { return }
        switch source.hear(readiness) {
        case .nothing: break
        case .pressure: handler()
        case .end(let pressure):
            end(because: "\(source.path) was closed")
            if pressure { handler() }
        }
    }

    private func end(because reason: String) {
        if let subscription { Loop.shared.cancel(subscription) }
        subscription = nil
        source = nil
        state = .off(reason: reason)
    }
}
