import BandLayout
import Model
import Platform
import TestSupport

@testable import Agent

/// Agents of one band on a network that delays and loses, with what each has shown to its browsers.
@LoopActor
final class Rehearsal {
    /// One agent, with the moments at which its browsers were sent each page.
    @LoopActor
    final class Player {
        let key = SigningKey.random()
        fileprivate(set) var together: TurningTogether!
        fileprivate(set) var reported: [(page: Int, at: Moment)] = []
        var isOnline = true
        /// What this player's head would say: nobody believes whom they do not know.
        var device: BandDevice { BandDevice(key.verifier.name) }

        var page: Int? { together.state?.place?.page.value }
        var leader: String? { together.state.flatMap { $0.isLed ? $0.leader.window : nil } }

        func ask(_ act: Together.Wish.Act, window: String, page: Int = 0, message: String? = nil) throws(Trouble) {
            try together.take(
                Together.Wish(act, window: window, place: Rehearsal.place(page), message: message), from: "browser", named: "Firefox")
        }
    }

    /// Carries requests to the player whose number is the host.
    @LoopActor
    private final class Wire: HTTPTransport {
        /// Gone once the test has ended, while a word may still be under way.
        private weak var rehearsal: Rehearsal?
        private let from: Int

        init(_ rehearsal: Rehearsal, from: Int) { (self.rehearsal, self.from) = (rehearsal, from) }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            guard let rehearsal else { throw HTTPFailure(.interrupted, "the test has ended") }
            return try await rehearsal.carry(request, from: from)
        }

        func send(
            _ request: HTTPRequest, body sink: @escaping @LoopActor (UnsafeRawBufferPointer) -> Bool
        ) async throws(HTTPFailure) -> HTTPResponse { throw HTTPFailure(.refused, "nobody asks for this") }
    }

    let clock = SimulatedClock()
    private(set) var players: [Player] = []
    private(set) var requests = 0
    private let team = BandDevice("abcdefghijklmnop")
    private let delay: Duration
    /// In percent.
    private let loss: Int
    private var generator: SeededGenerator
    /// The clock of the room; a moment at its start.
    private var random: Int { Int.random(in: 0..<100, using: &generator) }

    init(_ count: Int, delay: Duration = .milliseconds(30), loss: Int = 2, seed: UInt64 = 1) {
        (self.delay, self.loss, generator) = (delay, loss, SeededGenerator(seed: seed))
        for _ in 0..<count { players.append(Player()) }
        for number in players.indices { start(number) }
    }

    /// Starts a player's agent, or starts it again: then it has forgotten everything.
    func start(_ number: Int) {
        let player = players[number]
        let line = TogetherLine(person: "player \(number)", transport: Wire(self, from: number), time: clock) { [weak self] in
            guard let self else { return nil }
            return TogetherLine.Band(
                team: team, key: player.key,
                members: players.enumerated().map { TogetherLine.Peer(device: $1.device, addresses: ["10.0.0.\($0):1"]) })
        }
        player.together = TurningTogether(time: clock, line: line) { [weak player, clock] in
            if let player, let page = player.page { player.reported.append((page, clock.now)) }
        }
    }

    func wait(_ duration: Duration) async {
        await clock.run { [clock] in try? await clock.sleep(for: duration) }
    }

    static func place(_ page: Int) -> Together.Place? {
        Together.Place(
            plan: PlanID("p1"), item: ItemID("i1"), chart: AttachmentID("a1"), hash: ChartHash(SHA256.digest(of: "chart")),
            page: PageIndex(page), down: 0)
    }

    /// A lost packet comes after the time that TCP takes to notice; a player who is away does not answer.
    private func carry(_ request: HTTPRequest, from: Int) async throws(HTTPFailure) -> HTTPResponse {
        requests += 1
        let host = Int(request.url.split(separator: "/")[1].prefix { $0 != ":" }.split(separator: ".").last ?? "") ?? 0
        guard players[from].isOnline, players[host].isOnline else {
            try? await clock.sleep(for: request.timeout)
            throw HTTPFailure(.interrupted, "no answer")
        }
        try? await clock.sleep(for: delay + (random < loss ? .milliseconds(200) : .zero))
        guard players[host].isOnline, let word = TogetherWord(reading: request.body) else { throw HTTPFailure(.interrupted, "away") }
        let answer = try? players[host].together.receive(word)
        try? await clock.sleep(for: delay + (random < loss ? .milliseconds(200) : .zero))
        return HTTPResponse(status: answer == nil ? 200 : 409, body: answer?.bytes ?? [])
    }
}
