package import Configuration
import BandStorage
import Model
package import Platform

extension Configuration {
    /// Folders that may be on a network.
    var foldersThatMayBeFar: [String] {
        let band = [options.band.place].compactMap(\.self).filter { !StorageAddress.isOne($0) }
        return Array(Set([paths.music] + options.annotations.folders + [options.export.folder].compactMap(\.self) + band)).sorted()
    }

    /// The configuration, with a note of the folders that did not answer the last time, or do not within `limit` if they were never asked.
    @LoopActor
    package func asking(_ reach: Reach, within limit: Duration) async -> Configuration {
        var asked = self
        asked.silent = await reach.silent(foldersThatMayBeFar, within: limit, again: false)
        return asked
    }

    /// As above, for a command, which gets no news later.
    @LoopActor
    package func asking(by clock: any TimeKeeper) async -> Configuration { await asking(Reach(clock), within: .seconds(2)) }
}

/// Notices when a folder on a network stops answering, and when it answers again.
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
    /// Whether any folder was ever on a network: then one may be again.
    private var hasBeenFar: Bool

    /// The time between two questions, and how long an answer may take on a busy network.
    private static let (pace, patience): (Duration, Duration) = (.seconds(30), .seconds(5))

    /// `changed` is called with the folders that became silent, or answer again, compared with the configuration; and whether one of them
    /// was unmounted instead: any wait for something in it may last as long as its server hangs.
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

    /// Looks now, and now and then from then on, as long as anything is on a network.
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

    /// How long the next agent waits for this one's work: briefly if that may wait for a folder.
    package var patience: Duration { hasBeenFar ? .milliseconds(1500) : .seconds(60) }

    package func end() {
        isOver = true
        alarm.cancel()
    }
}
