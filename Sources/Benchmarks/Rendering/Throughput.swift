import BenchmarkCorpus
import Model
import Platform
import Rendering

/// How many pages a second a pool makes when it is never short of work.
@LoopActor
final class Throughput {
    private let renderer: MeasuredRenderer
    private let width: Int
    private let pages: [CorpusPage]

    /// One pass over few pages is over before the clock says anything.
    private static let fewestPages = 60

    /// Draws `pages`, as often as needed for a measurement, by `width` workers.
    init(_ pages: [CorpusPage], width: Int, folder: String) async throws {
        renderer = try await MeasuredRenderer(width: width, folder: folder)
        self.width = width
        let rounds = max(1, (Self.fewestPages + pages.count - 1) / pages.count)
        self.pages = (0..<rounds).flatMap { _ in pages }
        // Every worker is started and warm before anything is measured.
        _ = try await pagesPerSecond()
    }

    /// Plain images and thumbnails of all the pages once.
    func pagesPerSecond() async throws -> Double {
        let start = ProcessFigures.wallMilliseconds
        let queue = Queue(pages)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask { [renderer] in
                    while let page = await queue.next() { _ = try await renderer.render(page, [.plain, .thumbnail]) }
                }
            }
            try await group.waitForAll()
        }
        let elapsed = ProcessFigures.wallMilliseconds - start
        try renderer.clear()
        return Double(pages.count) / elapsed * 1000
    }

    func stop() async {
        await renderer.pool.stop()
    }

    /// Pages that wait for a worker.
    @LoopActor
    private final class Queue {
        private var rest: ArraySlice<CorpusPage>

        init(_ pages: [CorpusPage]) {
            rest = pages[...]
        }

        func next() -> CorpusPage? { rest.popFirst() }
    }
}
