import BandLayout
import Model
import Platform

/// The way to the other agents of a band on one network: one POST of the whole state to each, at every change and with every sign of
/// life of the leader.
///
/// There is no connection to keep, and nothing to catch up on: what does not arrive is replaced by the next word. An agent that is slow
/// or away gets only the newest one, and keeps nobody waiting.
@LoopActor
final class TogetherLine {
    /// A device of the band, and where its agent can be reached.
    struct Peer: Hashable, Sendable {
        let device: BandDevice
        /// Hosts with their ports, such as `192.168.1.5:8737`.
        let addresses: [String]
    }

    /// What is known of the band at a moment.
    struct Band {
        let team: BandDevice
        let key: SigningKey
        /// Those whose words count.
        let members: [Peer]
    }

    /// The musician's name in the band.
    let person: String
    private let read: @LoopActor () -> Band?
    private let transport: any HTTPTransport
    private let time: any TimeKeeper
    private let log: Log
    private var sendings: [BandDevice: Sending] = [:]
    private var known: (band: Band?, at: Moment)?
    private var hasEnded = false

    private struct Sending {
        var isUnderWay = false
        /// The word to send next.
        var due: TogetherWord?
        /// How often sending failed, which chooses among the addresses.
        var failures = 0
        /// Whether an address of this device was refused before it was tried, which the log says once.
        var isRefused = false
    }

    /// `read` returns what is known of the band; `nil` while nothing is.
    init(
        person: String, transport: any HTTPTransport, time: any TimeKeeper, log: Log = .silent, _ read: @escaping @LoopActor () -> Band?
    ) {
        (self.person, self.transport, self.time, self.log, self.read) = (person, transport, time, log, read)
    }

    /// This device's name; `nil` if nothing is known of the band.
    var device: String? { band?.key.verifier.name }

    /// The state as this device sends it; `nil` if it is led by another one.
    func word(of state: Together) -> TogetherWord? {
        band.flatMap { TogetherWord(state, team: $0.team.text, signedBy: $0.key) }
    }

    /// Whether a word is of another member of this band.
    func believes(_ word: TogetherWord) -> Bool {
        guard let band, word.team == band.team.text else { return false }
        return word.state.leader.device != device && band.members.contains { $0.device.text == word.state.leader.device }
    }

    /// Whether a word is of this device itself, which forgets what it said when its agent is restarted.
    private func isOwn(_ word: TogetherWord) -> Bool { word.team == band?.team.text && word.state.leader.device == device }

    /// Sends a word to all members. `onAnswer` gets what a member knows better, and the state that was sent.
    func send(_ word: TogetherWord, onAnswer: @escaping @LoopActor (TogetherWord, Together) -> Void) {
        guard !hasEnded, let band else { return }
        for peer in band.members where !peer.addresses.isEmpty && peer.device.text != device {
            sendings[peer.device, default: Sending()].due = word
            guard sendings[peer.device]?.isUnderWay != true else { continue }
            sendings[peer.device]?.isUnderWay = true
            spawn { [weak self] in await self?.sendAll(to: peer, onAnswer: onAnswer) }
        }
    }

    private func sendAll(to peer: Peer, onAnswer: @LoopActor (TogetherWord, Together) -> Void) async {
        while !hasEnded, let word = sendings[peer.device]?.due, let failures = sendings[peer.device]?.failures {
            sendings[peer.device]?.due = nil
            var request = HTTPRequest(
                .post, "http://\(peer.addresses[failures % peer.addresses.count])\(Self.path)",
                headers: [("Content-Type", "application/json")], body: word.bytes, maximumBytes: TogetherWord.limit, timeout: Self.patience)
            request.isPlainAtHome = true
            do throws(HTTPFailure) {
                let answer = try await transport.send(request)
                if answer.status == 409, let better = TogetherWord(reading: answer.body), believes(better) || isOwn(better) {
                    onAnswer(better, word.state)
                }
            } catch {
                sendings[peer.device]?.failures = (failures + 1) % peer.addresses.count
                guard error.kind == .refused, sendings[peer.device]?.isRefused == false else { continue }
                sendings[peer.device]?.isRefused = true
                log.warning(
                    "pages are not turned together with the device \(peer.device) of the band, which is at "
                        + "\(peer.addresses.joined(separator: ", ")): that takes an address of a private network, such as 192.168.1.5")
            }
        }
        sendings[peer.device]?.isUnderWay = false
    }

    /// Read again from time to time only, since each word asks for it.
    private var band: Band? {
        if let known, time.now - known.at < Self.freshness { return known.band }
        let band = read()
        known = (band, time.now)
        return band
    }

    func end() { hasEnded = true }

    static let path = "/api/band"
    /// How long an agent on the same network may take to answer.
    private static let patience: Duration = .seconds(2)
    private static let freshness: Duration = .seconds(5)
}
