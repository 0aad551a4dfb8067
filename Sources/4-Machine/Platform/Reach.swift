/// Checks whether folders on a network respond, each on a thread of its own, because a check may block for any time.
///
/// A folder may stop responding at any moment; so even after a check, never touch one on the loop.
@LoopActor
public final class Reach {
    private let time: any TimeKeeper
    private let mounts: @Sendable () -> Mounts
    private let ask: @Sendable (String) -> Void
    private var sides: [String: SideThread] = [:]
    /// Whether each folder responded to its last check.
    private var answered: [String: Bool] = [:]

    public convenience nonisolated init(_ time: any TimeKeeper) {
        self.init(time, mounts: { Mounts.present }, ask: { Folder.ask($0) })
    }

    nonisolated init(_ time: any TimeKeeper, mounts: @escaping @Sendable () -> Mounts, ask: @escaping @Sendable (String) -> Void) {
        (self.time, self.mounts, self.ask) = (time, mounts, ask)
    }

    /// The folders that are on a network, and the network mounts inside the other folders.
    public func remote(_ folders: [String]) -> [String] {
        let mounts = mounts()
        return folders.flatMap { mounts.isOnNetwork($0) ? [$0] : mounts.networkFolders(in: $0).sorted() }
    }

    /// Whether a folder responds within `limit`; true for every folder that is not on a network.
    public func answers(_ folder: String, within limit: Duration) async -> Bool { await silent([folder], within: limit).isEmpty }

    /// The folders on a network, among `folders` or inside them, that do not respond within `limit`. Unless `again`, folders that were
    /// checked before are not checked again: the result of their last check counts.
    public func silent(_ folders: [String], within limit: Duration, again: Bool = true) async -> Set<String> {
        let remote = remote(folders)
        var silent = Set(again ? [] : remote.filter { answered[$0] == false })
        let asked = remote.filter { again || answered[$0] == nil }.map { folder in
            let side = sides[folder] ?? SideThread()
            sides[folder] = side
            return (folder, spawn { [time, ask] in await side.run(within: limit, time) { ask(folder) } != nil })
        }
        for (folder, answers) in asked {
            let isAnswer = await answers.value
            answered[folder] = isAnswer
            if !isAnswer { silent.insert(folder) }
        }
        return silent
    }
}
