package import Configuration
import BandStorage
import Model
package import Platform

extension Configuration {
    /// The configured folders that may be on a network.
    var foldersThatMayBeFar: [String] {
        let band = [options.band.place].compactMap(\.self).filter { !StorageAddress.isOne($0) }
        return Array(
            Set([paths.music] + options.annotations.folders + options.plans.folders + [options.export.folder].compactMap(\.self) + band)
        ).sorted()
    }

    /// The configuration, with `silent` set to the folders that do not respond. Uses the last check's result, and waits at most
    /// `limit` for folders never checked.
    @LoopActor
    package func asking(_ reach: Reach, within limit: Duration) async -> Configuration {
        var asked = self
        asked.silent = await reach.silent(foldersThatMayBeFar, within: limit, again: false)
        return asked
    }

    /// The configuration, with `silent` set to the folders that do not respond, for a command, which receives no later updates.
    @LoopActor
    package func asking(by clock: any TimeKeeper) async -> Configuration { await asking(Reach(clock), within: .seconds(2)) }
}

/// Detects when a network folder stops responding, and when it responds again.
@LoopActor
package final class FolderReach {
    private let configuration: Configuration
    private let reach: Reach
    private let log: Log
    private let alarm: Alarm
    private let changed: @LoopActor (_ folders: Set<String>, _ areUnmounted: Bool) -> Void
    private var silent: Set<String> = []
    private var isAsking = false
    private var isOver = false
    /// Whether any folder was ever on a network. Such a folder may be mounted again, so the checks must go on.
    private var hasBeenFar: Bool

    /// The interval between two checks, and the time limit for a response on a busy network.
    private static let (pace, patience): (Duration, Duration) = (.seconds(30), .seconds(5))

    /// Calls `changed` with the folders that stopped or resumed responding, and with whether one of them was unmounted while it did
    /// not respond. An access that began before the unmounting may hang as long as the folder's server does.
    package init(
        _ configuration: Configuration, _ reach: Reach, clock: any TimeKeeper, log: Log,
        changed: @escaping @LoopActor (_ folders: Set<String>, _ areUnmounted: Bool) -> Void
    ) {
        (self.configuration, self.reach, self.log, self.changed) = (configuration, reach, log, changed)
        alarm = Alarm(clock)
        silent = configuration.silent
        hasBeenFar = !silent.isEmpty
        for folder in silent.sorted() { log.warning(Self.word(folder)) }
    }

    package static func word(_ folder: String) -> String {
        "\(folder) does not answer, so what is there is left alone until it does; all else goes on. Check its disk or network"
    }

    /// Checks now, and regularly afterwards, if any folder is or was on a network.
    package func check() {
        alarm.cancel()
        guard !isOver, !isAsking, hasBeenFar || !reach.remote(configuration.foldersThatMayBeFar).isEmpty else { return }
        (isAsking, hasBeenFar) = (true, true)
        spawn { [self] in
            let now = await reach.silent(configuration.foldersThatMayBeFar, within: Self.patience)
            isAsking = false
            guard !isOver else { return }
            for folder in now.subtracting(silent).sorted() { log.warning(Self.word(folder)) }
            for folder in silent.subtracting(now).sorted() { log.info("\(folder) answers again") }
            let others = now.symmetricDifference(silent)
            let areUnmounted = !silent.isSubset(of: reach.remote(configuration.foldersThatMayBeFar))
            silent = now
            alarm.set(in: Self.pace) { [weak self] in self?.check() }
            if !others.isEmpty { changed(others, areUnmounted) }
        }
    }

    /// How long the next agent waits for this one's work: only briefly if that work may hang on a network folder.
    package var patience: Duration { hasBeenFar ? .milliseconds(1500) : .seconds(60) }

    package func end() {
        isOver = true
        alarm.cancel()
    }
}
