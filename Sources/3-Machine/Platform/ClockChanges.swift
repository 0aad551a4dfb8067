import CShims
import Glibc

/// Reports when the time of day was set, and when the machine has slept: the kernel announces both in the same way.
@LoopActor
final class ClockChanges {
    private var timer: Descriptor?
    private var watch: DescriptorWatch?
    /// How long the machine has slept since it was switched on.
    private var slept = ClockChanges.timeAsleep()

    nonisolated init() {}

    func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) {
        stop()
        let number = woodshed_clock_change_timer()
        guard number >= 0 else { return }
        slept = Self.timeAsleep()
        watch = try? Loop.shared.watch(number, for: .read) { [weak self] _ in
            guard let self, woodshed_clock_change_read(number) == 1 else { return }
            handler(hasSlept() ? .wokeUp : .clockJumped)
        }
        timer = Descriptor(owning: number)
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
        timer = nil
    }

    private func hasSlept() -> Bool {
        let before = slept
        slept = Self.timeAsleep()
        // The two clocks are read one after the other, so a difference smaller than this is not sleep.
        return slept - before > .milliseconds(500)
    }

    private nonisolated static func timeAsleep() -> Duration {
        time(CLOCK_BOOTTIME) - time(CLOCK_MONOTONIC)
    }

    private nonisolated static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
