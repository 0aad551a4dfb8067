import Agent
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct DueImagesTests {
    /// After every check of the wanted images, a viewer asks for each page of its chart whether the image is due, so the answer
    /// must not need the disk.
    @Test @LoopActor func askingWhetherAnImageIsDueReadsNothing() async throws {
        let stage = try Stage([.sunday])
        await stage.sync()
        let names = stage.cache.present()
        #expect(!names.isEmpty)
        let file = try #require(names.first).file
        let stranger = try #require(ImageName(folder: String(repeating: "0", count: 32), file: file))
        // From now on, neither the library nor the cache can answer.
        stage.library.close()
        #expect(rename(stage.folder.path("cache"), stage.folder.path("cache, moved away")) == 0)
        #expect(names.allSatisfy(stage.agent.isDue))
        #expect(!stage.agent.isDue(stranger))
        stage.agent.pause()
        #expect(!names.contains(where: stage.agent.isDue), "nothing is made ahead now")
    }
}
