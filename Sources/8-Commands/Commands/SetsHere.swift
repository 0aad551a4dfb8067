import CommandLine
import Configuration
import Glibc
import Host
import Platform
import SetFolders
import Sets

/// What a command finds in one of the musician's own folders of sets.
struct SetsHere: Hashable, Sendable {
    let folder: String
    /// Whether something is at this path, even if it cannot be read.
    var isThere = true
    /// Why the folder cannot be read, in words that can follow a colon; `nil` if it can.
    var trouble: String?
    var sets = 0
    var charts = 0
    /// What is not used, and why.
    var others: [FoundSets.Other] = []

    /// For example `3 sets, 12 charts`.
    var counted: String { "\(sets.counted("set")), \(charts.counted("chart"))" }

    /// Reads the folders beside the loop. `nil` if they do not answer in time, as on a network that is gone.
    @LoopActor
    static func read(_ folders: [String], by clock: any TimeKeeper) async -> [SetsHere]? {
        guard !folders.isEmpty else { return [] }
        return await SideThread().run(within: Configuration.patience, clock) { read(folders) }
    }

    private static func read(_ folders: [String]) -> [SetsHere] {
        let found = SetFolders(folders).read()
        return folders.map { folder in
            func isInside(_ path: String) -> Bool { path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") }
            let charts = found.book.map(\.path) + found.sets.flatMap(\.files).map(\.path)
            return SetsHere(
                folder: folder, isThere: access(folder, F_OK) == 0, trouble: found.away.first { $0.path == folder }?.reason,
                sets: found.sets.count { isInside($0.path) }, charts: charts.count(where: isInside),
                others: found.others.filter { isInside($0.path) })
        }
    }
}
