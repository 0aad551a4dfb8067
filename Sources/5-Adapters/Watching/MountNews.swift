import Glibc
import Platform

/// Reports that something was mounted or unmounted, or may have been; between two such events it costs nothing.
@LoopActor
final class MountNews {
    private let table: Descriptor
    private var watch: DescriptorWatch?

    /// Begins to listen; `nil` if the system does not report it.
    init?(_ changed: @escaping @LoopActor () -> Void) {
        guard let table = try? Descriptor.open("/proc/self/mountinfo", O_RDONLY) else { return nil }
        // Polling the descriptor already clears the event: nothing has to be read.
        guard let watch = try? Loop.shared.watch(table.number, for: .priority, { _ in changed() }) else { return nil }
        self.watch = watch
        self.table = table
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
    }
}
