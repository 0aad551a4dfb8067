import CommandLine
import ImageKeeping
import Model
import PageCache
import Platform

/// The images that were removed from the cache, the charts that were spared, and the present state of the cache.
struct CacheReport: Answer {
    /// The cache's folder, or the chart or plan that was cleared.
    let what: String
    let done: TrimReport
    /// The names of charts that keep their images because another plan that is kept ready shows them.
    let spared: [String]
    /// The names of charts that keep their images because their files are not here, so that the images could not be drawn again.
    let away: [String]
    /// `nil` if the disk cannot be checked.
    let state: CacheState?

    var code: ExitCode { done.failed.isEmpty && done.unlisted.isEmpty ? .fine : .notReady }

    func print(on output: Output) {
        output.result("\(what): removed \(done.removed.count.counted("image")), \(done.freed)".printable)
        if let state { output.result("In the cache: \(state.words)") }
        if !spared.isEmpty {
            let them = spared.count == 1 ? "it" : "them"
            output.message(
                "\(spared.count.counted("chart")) kept, since another upcoming or pinned plan shows \(them): \(spared.joined(separator: ", "))"
                    .printable)
        }
        if !away.isEmpty {
            let (them, files) = away.count == 1 ? ("it", "its file, which is") : ("them", "their files, which are")
            output.message(
                "\(away.count.counted("chart")) kept, since nobody could draw \(them) again without \(files) not here: \(away.joined(separator: ", "))"
                    .printable)
        }
        if !done.removed.isEmpty {
            output.message("The next sync or the agent draws again what upcoming and pinned plans need, as far as the limits allow.")
        }
        if let failure = done.failed.first {
            output.warning("\(done.failed.count.counted("image")) could not be removed: \(failure.error)".printable)
        }
        for error in done.unlisted {
            output.warning("\(error): the images there are not removed; make it readable, and run this again".printable)
        }
    }

    /// The JSON of `woodshed cache clear`.
    static let form = JSONForm<CacheReport>(
        schema: 2,
        [
            .init("what", "the cache's folder, or the chart or plan that was cleared", \.what),
            .init("images", "how many images were removed", \.done.removed.count), .init("bytes", "what they took up", \.done.freed),
            .init("kept_charts", "charts whose images are kept, since another plan shows them or their files are not here") {
                $0.spared + $0.away
            },
            .init("failed", "how many could not be removed", \.done.failed.count),
            .init("unlisted", "folders of images that could not be listed, with the reason") { $0.done.unlisted.map(\.description) },
            .object("cache", "how it is now; null if the disk does not say", of: CacheState.form, \.state),
        ])
}

/// How much the cache holds, and how much it may hold.
struct CacheState: Equatable {
    let images: Int
    let size: ByteCount
    let limit: ByteCount
    /// How much of the cache's disk is free, and how much should stay free.
    let free: ByteCount
    let leastFree: ByteCount

    var words: String { "\(size) of \(limit), \(images.counted("image")); \(free) free on its disk" }

    var problems: [String] { problems(isRoomTold: false) }

    /// What is wrong; without the free space, if it is said already that there is no room for images.
    func problems(isRoomTold: Bool) -> [String] {
        var problems: [String] = []
        if size > limit {
            problems.append(
                "the page images take up \(size), more than their limit of \(limit); '\(woodshed("sync"))' removes what is needed least, or says why not"
            )
        }
        if free < leastFree, !isRoomTold {
            problems.append(
                "the disk is nearly full: \(free) free, but \(leastFree) should stay free; free some space, or lower cache.least_free")
        }
        return problems
    }

    static let form = JSONForm<Self>([
        .init("images", "how many page images there are", \.images), .init("bytes", "what they take up", \.size),
        .init("limit", "what they may take up", \.limit), .init("free", "how much is free on their disk", \.free),
        .init("least_free", "how much must stay free there", \.leastFree),
    ])
}

extension CacheState {
    @LoopActor
    init(of entries: [CacheEntry], _ keeper: CacheKeeper) throws {
        let disk = try keeper.disk()
        let limits = keeper.limits(on: disk)
        self.init(
            images: entries.count, size: entries.reduce(ByteCount(0)) { $0 + $1.size }, limit: limits.bytes, free: disk.free,
            leastFree: limits.leastFree)
    }
}
