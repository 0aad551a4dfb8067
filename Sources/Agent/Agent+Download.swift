import Library
import Model

extension Agent {
    /// The part that has charts come, told what this agent does with them.
    func makeDownloads() -> ChartDownloads {
        let succession = Succession(
            library: parts.library, renderer: parts.renderer, settings: settings.render, work: odds, time: parts.time)
        return ChartDownloads(
            ChartDownloads.Parts(
                library: parts.library, service: parts.service, succession: succession, time: parts.time, log: parts.log, gate: gate,
                width: settings.downloads),
            telling: ChartDownloads.Listener(
                progressed: { [weak self] in self?.tellProgress() },
                described: { [weak self] description, hash in try self?.note(description.pages, of: hash, by: description.tag) },
                arrived: { [weak self] changes in
                    guard let self else { return }
                    _ = tell(changes)
                    // Files of marks may name it by what it holds.
                    markKeeper.matchAgain()
                    reconcilePatiently()
                }))
    }

    /// Downloads what is new of the plans that a poll is about.
    func download(_ contents: [PlanContents], _ scope: PollScope) async -> (changes: [LibraryChange], setbacks: [Setback]) {
        do {
            let contents = settings.scope.narrowed(contents, gone: Set(try parts.library.gonePlans().keys), at: now)
            return await downloads.run(contents.map { $0.narrowed(to: scope) }, isRequested: scope.isRequested)
        } catch {
            return ([], [Setback("library", "\(error)")])
        }
    }
}

extension PlanContents {
    /// With those charts only that a poll is about.
    fileprivate func narrowed(to scope: PollScope) -> PlanContents {
        guard let isWanted = scope.charts else { return self }
        var narrow = self
        for index in narrow.items.indices {
            let item = items[index]
            narrow.items[index].attachments.removeAll { !isWanted($0, item) }
        }
        return narrow
    }
}
