import LocalHTTP
import Platform

/// Sends the news to every open page, and a heartbeat each second: a page on the stand has to notice a hanging agent or a lost
/// network. While no page is open, nothing is sent.
@LoopActor
final class EventHub {
    private let current: CurrentSource
    private var source: (any ViewerSource)?
    /// Oldest first.
    private var streams: [Open] = []
    private let beat: Alarm

    /// A page that receives the news.
    private struct Open {
        let stream: EventStream
        /// Identifies its browser.
        let browser: String
        let session: Sessions.Session

        var isGuest: Bool { !session.mayChange }
        var isFar: Bool { session.seat == .network }
    }

    /// The most pages of one browser, of guests, and of the whole network: each further page replaces the oldest one, on the
    /// network first a guest's. This way, pages on this machine always find room.
    private static let (mostOfOne, mostOfGuests, mostFar) = (4, 8, 12)

    nonisolated init(_ current: CurrentSource, clock: any TimeKeeper) { (self.current, beat) = (current, Alarm(clock)) }

    /// Switches to this source's news. All open pages reconnect and request everything.
    func listen(to new: (any ViewerSource)?) {
        source?.setNewsHandler(nil)
        close()
        source = new
        new?.setNewsHandler { [weak self] in self?.send($0) }
    }

    /// A stream for another page. The stream is answered only once it receives all news: a page that requests everything after its
    /// stream has started misses nothing.
    nonisolated func stream(for guest: BrowserAccess.Guest) -> WebReply {
        .later { [weak self] responder in
            spawn { [weak self] in
                // If no agent will come, drop the responder, which tells the browser that there is no answer.
                guard let self, await current.current() != nil else { return }
                let stream = EventStream()
                add(Open(stream: stream, browser: guest.session.key, session: guest.session))
                stream.onClose { [weak self] in
                    spawn { [weak self] in self?.remove(stream) }
                }
                // The pause (ms) before reconnecting: a page finds a restarted agent within a second.
                stream.send(Array("retry: 500\n\n".utf8))
                responder.answer(WebReply.events(stream).fenced)
                // Whoever comes late, or was asleep, gets the whole state.
                if let together = source?.together { stream.send(together.event) }
            }
        }
    }

    func send(_ news: ViewerNews) {
        guard !streams.isEmpty else { return }
        let event = news.event
        // A stream whose browser reads too slowly is cut off; after reconnecting, the browser requests everything.
        for open in streams { open.stream.send(event) }
    }

    /// Makes all open pages reconnect, which is refused to pages that were signed out.
    func connectAnew() { close() }

    private func close() {
        guard !streams.isEmpty else { return }
        for open in streams { open.stream.close() }
        streams = []
        source?.setLookedAt(false)
    }

    private func add(_ page: Open) {
        makeRoom(for: page)
        streams.append(page)
        guard streams.count == 1 else { return }
        source?.setLookedAt(true)
        if !beat.isSet { scheduleBeat() }
    }

    private func makeRoom(for page: Open) {
        func close(oldest isOne: (Open) -> Bool) -> Bool {
            guard let place = streams.firstIndex(where: isOne) else { return false }
            // The page reconnects by itself, but not immediately: otherwise it would replace another page, which would do the same.
            streams[place].stream.send(Array("retry: 15000\n\n".utf8))
            streams.remove(at: place).stream.close()
            return true
        }
        if streams.count(where: { $0.browser == page.browser }) >= Self.mostOfOne { _ = close { $0.browser == page.browser } }
        if page.isGuest, streams.count(where: \.isGuest) >= Self.mostOfGuests { _ = close(oldest: \.isGuest) }
        if page.isFar, streams.count(where: \.isFar) >= Self.mostFar { _ = close(oldest: \.isGuest) || close(oldest: \.isFar) }
    }

    private func scheduleBeat() {
        beat.set(in: .seconds(1)) { [weak self] in
            guard let self, !streams.isEmpty else { return }
            for open in streams { open.stream.send(Array("event: beat\ndata:\n\n".utf8)) }
            scheduleBeat()
        }
    }

    private func remove(_ stream: EventStream) {
        guard let place = streams.firstIndex(where: { $0.stream === stream }) else { return }
        streams.remove(at: place)
        if streams.isEmpty { source?.setLookedAt(false) }
    }
}
