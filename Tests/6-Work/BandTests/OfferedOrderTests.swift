import Band
import BandLayout
import Library
import Model
import Platform
import TestSupport
import Testing

/// Tonight's sets that members of a band offer to each other.
@Suite(.onLoop)
struct OfferedOrderTests {
    private let plan = PlanID("1")

    @LoopActor private func change(_ edit: TonightEdit, by player: Player) throws {
        let number = try player.library.plans.tonightSet(of: plan)?.number ?? 0
        let outcome = try player.library.plans.change(edit, of: plan, at: number, now: player.clock.timestamp)
        #expect(outcome == .kept)
    }

    /// What Anna offers, in words, as Ben sees it.
    @LoopActor private func seen(_ duo: Duo) throws -> [String] {
        let heads = try duo.ben.writer.word.words()
        return try duo.ben.library.offers(of: plan, in: heads, at: duo.ben.clock.timestamp).map { "\($0.name): \($0.tonight.words ?? "")" }
    }

    /// Two members, of whom Anna leaves a song out tonight and says so.
    @LoopActor private func duo() async throws -> Duo {
        let duo = try Duo()
        try change(.leaveOut(ItemID("1-0"), true), by: duo.anna)
        try await duo.look()
        #expect(try duo.said.offers == [] && seen(duo) == [], "nothing is offered unasked")
        try change(.offer(true), by: duo.anna)
        try await duo.look()
        return duo
    }

    @Test @LoopActor func anOrderIsSeenUntilItIsWithdrawn() async throws {
        let duo = try await duo()
        defer { duo.end() }
        #expect(try seen(duo) == ["Anna: 1 left out"])
        #expect(try duo.ben.library.plans.plan(plan)?.items.count == 3, "nobody's set changes by itself")
        let heads = try duo.anna.writer.word.words()
        #expect(try duo.anna.library.offers(of: plan, in: heads, at: duo.anna.clock.timestamp) == [])
        let written = duo.written.count
        try await duo.look()
        #expect(duo.written.count == written, "what is the same is not written again")
        try change(.remark(ItemID("1-1"), "slowly"), by: duo.anna)
        try await duo.look()
        #expect(try seen(duo) == ["Anna: 1 left out, 1 with a remark"])
        try change(.offer(false), by: duo.anna)
        try await duo.look()
        #expect(try duo.said.offers == [] && seen(duo) == [])
        #expect(try duo.anna.library.plans.plan(plan)?.items.count == 2, "the set itself stays")
    }

    @Test @LoopActor func whatIsTakenBackIsNotOffered() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try change(.asPlanned, by: duo.anna)
        try await duo.look()
        #expect(try duo.said.offers == [] && seen(duo) == [])
    }

    @Test @LoopActor func anOfferEndsWithItsPlan() async throws {
        let duo = try await duo()
        defer { duo.end() }
        duo.anna.clock.wallTimeAtStart += .seconds(10 * 86_400)
        try await duo.look()
        #expect(try duo.said.offers == [] && seen(duo) == [])
    }

    @Test @LoopActor func whoIsLeftOutOffersNothing() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.ben.library.band.setLeftOut(true, .person("Anna"))
        #expect(try seen(duo) == [])
    }
}
