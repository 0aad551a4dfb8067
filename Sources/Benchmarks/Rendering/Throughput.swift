import BenchmarkCorpus
import Model
import Platform
import Rendering

/// How many pages per second a pool makes when it is never short of work.
@LoopActor
final class Throughput {
    private let renderer: MeasuredRenderer
    private let width: Int
    private let pages: [CorpusPage]

    /// A single pass over few pages would be over too quickly to be measured.
    private static let fewestPages = 60

    /// Draws `pages`, as often as a measurement needs, with `width` workers.
    init(_ pages: [CorpusPage], width: Int, folder: String) async throws {
        renderer = try await MeasuredRenderer(width: width, folder: folder)
        self.width = width
        let rounds = max(1, (Self.fewestPages + pages.count - 1) / pages.count)
        self.pages = (0..<rounds).flatMap { _ in pages }
        // All workers are started and warm before anything is measured.
        _ = try await pagesPerSecond()
    }

    /// Makes the plain images and thumbnails of all pages once.
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

    /// The pages that wait for a worker.
    @LoopActor
    private final class Queue {
        private var rest: ArraySlice<CorpusPage>

        init(_ pages: [CorpusPage]) {
            rest = pages[...]
        }

        func next() -> CorpusPage? { rest.popFirst() }
    }
}
