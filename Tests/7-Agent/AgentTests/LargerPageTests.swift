import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport
import Testing

/// Pages in a larger size, for somebody who enlarges them on the screen.
@Suite(.onLoop)
struct LargerPageTests {
    private typealias Scene = SelectionScene

    @Test @LoopActor func aLargerPageIsDrawnButNotKept() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        let present = scene.stage.cache.present()
        scene.renderer.isHeld = true
        _ = scene.stage.newJobs()
        let ask = { (page: Int, viewer: String, longSide: Int) in
            spawn { () -> Result<ShownPage, Trouble> in
                do throws(Trouble) {
                    return .success(
                        try await scene.agent.showing.live(
                            chart: AttachmentID("1a"), in: Scene.folder(of: "1a"), page: PageIndex(page), isMarked: true,
                            longSide: longSide,
                            for: viewer))
                } catch {
                    return .failure(error)
                }
            }
        }
        // Each of the two former requests is superseded by a later one.
        let former = [ask(2, "tablet", 6000), ask(3, "tablet", 6000)]
        let first = ask(0, "tablet", 5000)
        await scene.rest()
        let (second, third) = (ask(1, "tablet", 6000), ask(2, "phone", 6000))
        await scene.rest()
        for former in former { #expect(await former.value == .failure(.superseded)) }
        // A request for another size of the first page cancels the former request for that page, but not one for another page.
        let larger = ask(0, "tablet", 6000)
        await scene.rest()
        #expect(await first.value == .failure(.superseded))
        scene.renderer.isHeld = false
        let shown = await scene.stage.clock.run {
            scene.renderer.finishNext()
            return (await second.value, await third.value, await larger.value)
        }
        let pages = try [shown.0, shown.1, shown.2].map { try $0.get().name.page.value }
        #expect(pages == [1, 2, 0])
        #expect(scene.stage.newJobs().allSatisfy { $0.settings.fullSize >= 5000 })
        #expect(scene.stage.cache.present() == present)
    }
    /// The screen may show another version of a chart than the library has. A larger page is drawn only of the version that the
    /// request names.
    @Test @LoopActor func aLargerPageIsOfTheBytesThatAreNamed() async throws {
        let scene = try await Scene()
        await scene.stage.settle()
        scene.stage.service.plans[0].charts[0] = SmallService.Chart(
            id: "1a", name: "Song 1a", bytes: SmallService.pdf("new"), updatedAt: "2026-11-02T10:00:00Z")
        await scene.stage.sync()
        let ask = { (text: String, page: Int) in
            spawn { () -> Result<ShownPage, Trouble> in
                do throws(Trouble) {
                    return .success(
                        try await scene.agent.showing.live(
                            chart: AttachmentID("1a"), in: Scene.folder(of: text), page: PageIndex(page), isMarked: true, longSide: 5000))
                } catch {
                    return .failure(error)
                }
            }
        }
        let former = await scene.stage.clock.run { await ask("1a", 0).value }
        #expect(former == .failure(.notWanted))
        // The new version may have fewer pages.
        let last = await scene.stage.clock.run { await ask("1a", 9).value }
        #expect(last == .failure(.notWanted))
        let new = await scene.stage.clock.run { await ask("new", 0).value }
        #expect(try new.get().name.folder == Scene.folder(of: "new"))
    }
}
