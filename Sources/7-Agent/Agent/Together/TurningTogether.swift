public import Model
public import Platform

/// Who leads those who turn together, as this agent knows it: from its own browsers, and from the other agents of the band.
///
/// It has no clock of its own. The leading window says every two seconds that it is still there, and each word of it goes on to all
/// browsers and agents; whoever receives none sees that by itself. While nobody leads, nothing is sent and nothing wakes up.
@LoopActor
public final class TurningTogether {
    /// The state, unless its leader has been silent for so long that it is forgotten.
    public var state: Together? {
        guard let known else { return nil }
        return time.now - known.receivedAt < (known.state.isBeyondHonestClaims ? Self.doubted : Self.forgotten) ? known.state : nil
    }

    /// How long ago the last word of the leader came.
    public var silence: Duration { known.map { time.now - $0.receivedAt } ?? .zero }

    private var known: (state: Together, receivedAt: Moment)?
    /// The signed word with the state, if it came from another agent, for those who know less.
    private var word: TogetherWord?
    /// The window of this agent that leads, and the browser that it belongs to.
    private var leading: (browser: String, window: String)?
    /// The last claim of this agent's: the others may know a higher epoch than this agent did.
    private var claim: (epoch: Int, after: Together?, at: Moment)?
    private var lastSent: Moment?
    private let time: any TimeKeeper
    private let sending: Alarm
    private let line: TogetherLine?
    private let onChange: @LoopActor () -> Void

    /// `line` leads to the other agents of the band; `onChange` is called whenever there is something to send to browsers.
    init(time: any TimeKeeper, line: TogetherLine? = nil, onChange: @escaping @LoopActor () -> Void) {
        (self.time, self.line, self.onChange) = (time, line, onChange)
        sending = Alarm(time)
    }

    /// Does what a window asks. `browser` identifies its browser, and `name` is its name for people, which the musician's name in the
    /// band replaces. Throws `gone` if another window leads, and `unknown` if none does.
    public func take(_ wish: Together.Wish, from browser: String, named name: String) throws(Trouble) {
        switch wish.act {
        case .claim:
            guard
                let leader = Together.Leader(
                    window: wish.window, device: line?.device ?? "", name: line?.person ?? name),
                let claimed = Together(claimedBy: leader, after: state, atLeast: wish.epoch, place: wish.place, message: wish.message)
            else { throw Trouble("The lead cannot be taken: this window has no name.") }
            (leading, word) = ((browser, wish.window), nil)
            claim = (claimed.epoch, state, time.now)
            keep(claimed)
        case .tell, .end:
            guard var state = self.state else { throw Trouble(.unknown, "Nobody leads.") }
            guard let leading, leading == (browser, wish.window), state.leader.window == wish.window else {
                throw Trouble(.gone, "Somebody else leads by now.")
            }
            if wish.act == .end {
                state.giveUp()
                self.leading = nil
            } else {
                state.say(wish.place, wish.message)
            }
            keep(state)
        }
        sendSoon()
    }

    /// Takes what another agent sent. Returns the word that counts instead of it, if that is another one.
    public func receive(_ other: TogetherWord) throws(Trouble) -> TogetherWord? {
        guard let line else { throw Trouble(.unknown, "This agent does not turn together with others: band.together is not set.") }
        guard line.believes(other) else { throw Trouble(.refused, "This is not of a device of the band.") }
        // Anybody on the network can repeat a word, so a repeated one is no sign of life.
        guard other.state != state else { return nil }
        guard other.state.isBelieved(after: state) else { return word ?? state.flatMap(line.word) }
        (leading, claim) = (nil, nil)
        word = other
        keep(other.state)
        sendSoon()
        return nil
    }

    /// Takes the answer of an agent that knows better than what this one sent.
    private func learn(_ better: TogetherWord, insteadOf sent: Together) {
        let former = claim
        claim = nil
        // Who took the lead just now did so to have it: this agent only did not know how often others had done so before.
        if let former, let state, state.leader == sent.leader, state.epoch == former.epoch, better.state.epoch > state.epoch,
            time.now - former.at < Self.recent, better.state.isBelieved(after: former.after),
            let higher = Together(claimedBy: state.leader, after: better.state, place: state.place, message: state.message)
        {
            keep(higher)
            return sendSoon()
        }
        _ = try? receive(better)
    }

    private func keep(_ state: Together) { known = (state, time.now) }

    /// Sends the state at once or, if another one was sent a moment ago, after a pause: then the present state is sent.
    private func sendSoon() {
        let wait = lastSent.map { $0 + Self.pause - time.now } ?? .zero
        guard wait > .zero else { return send() }
        if !sending.isSet { sending.set(in: wait) { [weak self] in self?.send() } }
    }

    /// Reports the state to this agent's browsers, and sends it to the other agents if the lead is here.
    private func send() {
        lastSent = time.now
        onChange()
        guard word == nil, let state, let own = line?.word(of: state) else { return }
        line?.send(own) { [weak self] in self?.learn($0, insteadOf: $1) }
    }

    func end() {
        sending.cancel()
        line?.end()
    }

    /// The shortest time between two words: a musician turns more slowly, and a window that does not is not followed turn by turn.
    private static let pause: Duration = .milliseconds(50)
    /// How long a claim may take to reach the others.
    private static let recent: Duration = .seconds(1)
    /// How long a silent leader is remembered: longer than any break, and not until the next rehearsal.
    static let forgotten: Duration = .seconds(3600)
    /// How long a silent leader is remembered whose epoch is beyond all honest claims: several signs of life. Nobody is kept for longer from
    /// following those who know nothing of that epoch.
    static let doubted: Duration = .seconds(10)
}
