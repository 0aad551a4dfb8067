import BandLayout
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

/// Turning pages together, on one agent and between the agents of a band.
@Suite(.onLoop)
struct TurningTogetherTests {
    // MARK: - One agent

    @LoopActor @Test func onlyTheWindowThatLeadsSaysWhereTheLeaderIs() throws {
        let together = TurningTogether(time: SimulatedClock()) {}
        #expect(throws: Trouble.self) { try together.take(Together.Wish(.tell, window: "a"), from: "one", named: "Firefox") }
        try together.take(Together.Wish(.claim, window: "a"), from: "one", named: "Firefox")
        try together.take(Together.Wish(.tell, window: "a", place: Rehearsal.place(3)), from: "one", named: "Firefox")
        // Another window of the browser, and another browser that knows the window's name.
        for (window, browser) in [("b", "one"), ("a", "two")] {
            #expect(throws: Trouble.self) {
                try together.take(Together.Wish(.tell, window: window, place: Rehearsal.place(9)), from: browser, named: "Firefox")
            }
        }
        #expect(together.state?.place?.page == PageIndex(3) && together.state?.leader.name == "Firefox")
        try together.take(Together.Wish(.claim, window: "b"), from: "two", named: "Safari")
        #expect(together.state?.epoch == 2 && together.state?.leader.name == "Safari")
        #expect(throws: Trouble.self) { try together.take(Together.Wish(.tell, window: "a"), from: "one", named: "Firefox") }
        try together.take(Together.Wish(.end, window: "b"), from: "two", named: "Safari")
        #expect(together.state?.isLed == false)
    }

    /// Has what a listener asks for its state.
    @LoopActor private final class Desk { var together: TurningTogether? }

    @LoopActor @Test func aFloodIsReportedInFewWordsThatEndWithTheLast() async throws {
        let clock = SimulatedClock()
        var reported: [Int] = []
        let desk = Desk()
        let together = TurningTogether(time: clock) { reported.append(desk.together?.state?.place?.page.value ?? -1) }
        desk.together = together
        try together.take(Together.Wish(.claim, window: "a"), from: "one", named: "")
        for page in 1...1000 { try together.take(Together.Wish(.tell, window: "a", place: Rehearsal.place(page)), from: "one", named: "") }
        await clock.run { try? await clock.sleep(for: .seconds(1)) }
        #expect(reported == [-1, 1000])
        // Five turns a second are reported at once.
        for page in 1...10 {
            try together.take(Together.Wish(.tell, window: "a", place: Rehearsal.place(page)), from: "one", named: "")
            #expect(reported.last == page)
            await clock.run { try? await clock.sleep(for: .milliseconds(200)) }
        }
    }

    @LoopActor @Test func aSilentLeaderIsForgottenAfterAnHourByTheClockThatNobodySets() async throws {
        let clock = SimulatedClock()
        let together = TurningTogether(time: clock) {}
        try together.take(Together.Wish(.claim, window: "a"), from: "one", named: "")
        clock.wallTimeAtStart += .seconds(10 * 365 * 86_400)
        #expect(together.state != nil && together.silence == .zero)
        clock.skip(.seconds(5))
        #expect(together.silence == .seconds(5))
        clock.skip(.seconds(3600))
        #expect(together.state == nil)
    }

    // MARK: - A band

    @LoopActor @Test(arguments: 1...4 as ClosedRange<UInt64>) func threeAgentsEndWhereTheLeaderEnds(seed: UInt64) async throws {
        let rehearsal = Rehearsal(3, seed: seed)
        let leader = rehearsal.players[0]
        try leader.ask(.claim, window: "anna")
        await rehearsal.wait(.seconds(1))
        var turned: [Int: Moment] = [:]
        for page in 1...200 {
            turned[page] = rehearsal.clock.now
            try leader.ask(.tell, window: "anna", page: page)
            await rehearsal.wait(.milliseconds(200))
        }
        await rehearsal.wait(.seconds(1))
        for player in rehearsal.players {
            #expect(player.page == 200)
            // No page comes after a later one.
            #expect(player.reported.map(\.page) == player.reported.map(\.page).sorted())
        }
        let late = rehearsal.players[1].reported.compactMap { report in turned[report.page].map { report.at - $0 } }.sorted()
        #expect(late.count > 190 && late[late.count * 95 / 100] <= .milliseconds(250))
    }

    @LoopActor @Test func whoComesLateSleptOrWasAwayKnowsAllWithTheNextSignOfLife() async throws {
        let rehearsal = Rehearsal(3, loss: 0)
        let (leader, sleeper, late) = (rehearsal.players[0], rehearsal.players[1], rehearsal.players[2])
        (sleeper.isOnline, late.isOnline) = (true, false)
        try leader.ask(.claim, window: "anna", page: 1)
        await rehearsal.wait(.seconds(1))
        sleeper.isOnline = false
        for page in 2...300 {
            try leader.ask(.tell, window: "anna", page: page)
            await rehearsal.wait(.milliseconds(200))
        }
        #expect(sleeper.page == 1 && late.page == nil && sleeper.together.silence > .seconds(50))
        (sleeper.isOnline, late.isOnline) = (true, true)
        await rehearsal.wait(.seconds(3))
        try leader.ask(.tell, window: "anna", page: 300)
        await rehearsal.wait(.seconds(1))
        #expect(sleeper.page == 300 && late.page == 300)
    }

    @LoopActor @Test func ofTwoWhoClaimAtOnceEverybodyFollowsTheSame() async throws {
        let rehearsal = Rehearsal(3)
        try rehearsal.players[0].ask(.claim, window: "anna", page: 1)
        try rehearsal.players[1].ask(.claim, window: "ben", page: 2)
        await rehearsal.wait(.seconds(2))
        let leaders = Set(rehearsal.players.map(\.leader))
        #expect(leaders.count == 1 && leaders.first != .some(nil))
        #expect(Set(rehearsal.players.map(\.page)).count == 1)
    }

    @LoopActor @Test func aRestartedAgentThatTakesTheLeadHasItAlthoughItKnewNothing() async throws {
        let rehearsal = Rehearsal(3, loss: 0)
        for turn in 0..<5 { try rehearsal.players[turn % 2].ask(.claim, window: "w\(turn)") }
        await rehearsal.wait(.seconds(1))
        rehearsal.start(2)
        try rehearsal.players[2].ask(.claim, window: "carl", page: 4)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players.map(\.leader) == ["carl", "carl", "carl"] && rehearsal.players.map(\.page) == [4, 4, 4])
    }

    @LoopActor @Test func aRestartedAgentThatLedLastLeadsAgainInAnotherWindow() async throws {
        let rehearsal = Rehearsal(3, loss: 0)
        for turn in 0..<5 { try rehearsal.players[0].ask(.claim, window: "w\(turn)") }
        await rehearsal.wait(.seconds(1))
        rehearsal.start(0)
        try rehearsal.players[0].ask(.claim, window: "anna", page: 4)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players.map(\.leader) == ["anna", "anna", "anna"] && rehearsal.players.map(\.page) == [4, 4, 4])
    }

    /// Has a player's agent receive words of another one that raise the epoch far beyond all honest claims, and then no more.
    @LoopActor private func raise(_ player: Rehearsal.Player, by other: Rehearsal.Player) throws {
        var state = player.together.state
        for _ in 0..<3 {
            let leader = try #require(Together.Leader(window: "mallory", device: other.device.text, name: "Mallory"))
            let next = try #require(Together(claimedBy: leader, after: state, atLeast: .max))
            let word = try #require(TogetherWord(next, team: "abcdefghijklmnop", signedBy: other.key))
            state = next
            #expect(try player.together.receive(word) == nil)
        }
    }

    @LoopActor @Test func aRestartedAgentLeadsAndFollowsHoweverHighTheEpochIs() async throws {
        let rehearsal = Rehearsal(3, loss: 0)
        try raise(rehearsal.players[0], by: rehearsal.players[1])
        rehearsal.start(2)
        try rehearsal.players[2].ask(.claim, window: "carl", page: 4)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players.map(\.leader) == ["carl", "carl", "carl"])
        rehearsal.start(1)
        try rehearsal.players[2].ask(.tell, window: "carl", page: 5)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players.map(\.page) == [5, 5, 5])
    }

    @LoopActor @Test func anEpochBeyondAllHonestClaimsCountsAsLongAsItsLeaderSpeaks() async throws {
        let rehearsal = Rehearsal(3, loss: 0)
        try raise(rehearsal.players[0], by: rehearsal.players[1])
        try rehearsal.players[2].ask(.claim, window: "carl", page: 4)
        rehearsal.players[0].isOnline = false
        await rehearsal.wait(.seconds(15))
        #expect(rehearsal.players[0].leader == nil)
        rehearsal.players[0].isOnline = true
        try rehearsal.players[2].ask(.tell, window: "carl", page: 5)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players[0].leader == "carl")
    }

    @LoopActor @Test func theLeadOfAnAgentThatDiedIsTaken() async throws {
        let rehearsal = Rehearsal(3)
        try rehearsal.players[0].ask(.claim, window: "anna", page: 7)
        await rehearsal.wait(.seconds(1))
        rehearsal.players[0].isOnline = false
        await rehearsal.wait(.seconds(60))
        #expect(
            rehearsal.players[1].leader == "anna" && rehearsal.players[1].page == 7 && rehearsal.players[1].together.silence > .seconds(50))
        try rehearsal.players[1].ask(.claim, window: "ben", page: 8)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players[2].leader == "ben")
        // Who comes back learns from the others that the lead is another's, and follows.
        rehearsal.players[0].isOnline = true
        await rehearsal.wait(.seconds(3))
        try rehearsal.players[0].ask(.tell, window: "anna", page: 9)
        await rehearsal.wait(.seconds(1))
        #expect(rehearsal.players.map(\.leader) == ["ben", "ben", "ben"])
        #expect(throws: Trouble.self) { try rehearsal.players[0].ask(.tell, window: "anna", page: 10) }
    }

    @LoopActor @Test func nobodySpeaksForAnotherAndStrangersAreNotBelieved() async throws {
        let rehearsal = Rehearsal(2, loss: 0)
        let (anna, stranger) = (rehearsal.players[0], SigningKey.random())
        func word(_ key: SigningKey, as device: String, team: String = "abcdefghijklmnop") throws -> TogetherWord? {
            let leader = try #require(Together.Leader(window: "mallory", device: device, name: "Anna"))
            let state = try #require(Together(claimedBy: leader, after: anna.together.state, atLeast: 99))
            return TogetherWord(state, team: team, signedBy: key)
        }
        #expect(try word(stranger, as: anna.device.text) == nil)
        let own = try #require(try word(stranger, as: stranger.verifier.name))
        #expect(throws: Trouble.self) { _ = try anna.together.receive(own) }
        // Of a member, but for another band.
        let elsewhere = try #require(try word(rehearsal.players[1].key, as: rehearsal.players[1].device.text, team: "qrstuvwxyzabcdef"))
        #expect(throws: Trouble.self) { _ = try anna.together.receive(elsewhere) }
        #expect(anna.together.state == nil)
        // Of a member, and then again: what is old changes nothing, and is answered with what counts.
        let first = try #require(try word(rehearsal.players[1].key, as: rehearsal.players[1].device.text))
        #expect(try anna.together.receive(first) == nil)
        // Anybody on the network can repeat it, which is no sign of the leader's life.
        await rehearsal.wait(.seconds(5))
        #expect(try anna.together.receive(first) == nil && anna.together.silence >= .seconds(5))
        try anna.ask(.claim, window: "anna", page: 2)
        #expect(try anna.together.receive(first)?.state == anna.together.state)
        #expect(anna.leader == "anna")
    }

    @LoopActor @Test func whileNobodyLeadsNothingIsSent() async throws {
        let rehearsal = Rehearsal(3)
        await rehearsal.wait(.seconds(3600))
        #expect(rehearsal.requests == 0)
        try rehearsal.players[0].ask(.claim, window: "anna")
        try rehearsal.players[0].ask(.end, window: "anna")
        await rehearsal.wait(.seconds(10))
        let sent = rehearsal.requests
        await rehearsal.wait(.seconds(3600))
        #expect(rehearsal.requests == sent && rehearsal.players[1].leader == nil)
    }

    @LoopActor @Test func anAgentWithoutABandBelievesNobody() throws {
        let together = TurningTogether(time: SimulatedClock()) {}
        let key = SigningKey.random()
        let leader = try #require(Together.Leader(window: "a", device: key.verifier.name, name: "Anna"))
        let state = try #require(Together(claimedBy: leader, after: nil))
        let word = try #require(TogetherWord(state, team: "t", signedBy: key))
        #expect(throws: Trouble.self) { _ = try together.receive(word) }
    }
}
