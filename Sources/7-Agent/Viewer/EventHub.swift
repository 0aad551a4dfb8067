import LocalHTTP
import Platform

/// Tells every open page what changed, and once a second that it is there: a page on the stand has to notice an agent that hangs, or a
/// network that is gone. While no page is looked at, nothing is sent.
@LoopActor
final class EventHub {
    private let current: CurrentSource
    private var source: (any ViewerSource)?
    private var streams: [EventStream] = []
    private let beat: Alarm

    nonisolated init(_ current: CurrentSource, clock: any TimeKeeper) { (self.current, beat) = (current, Alarm(clock)) }

    /// Passes on this source's news from now on. Every open page connects again and asks for everything.
    func listen(to new: (any ViewerSource)?) {
        source?.setNewsHandler(nil)
        close()
        source = new
        new?.setNewsHandler { [weak self] in self?.tell($0) }
    }

    /// A stream for another page. It is answered only once it receives all news, so that a page that asks for everything
    /// after its stream has begun misses nothing.
    nonisolated func stream() -> WebReply {
        .later { [weak self] responder in
            spawn { [weak self] in
                // A responder that is dropped without an answer tells the browser that there is none.
                guard let self, await current.current() != nil else { return }
                let stream = EventStream()
                add(stream)
                stream.onClose { [weak self] in
                    spawn { [weak self] in self?.remove(stream) }
                }
                // How long (ms) to wait before connecting again: an agent that was restarted is found within a second, whenever it began.
                stream.send(Array("retry: 500\n\n".utf8))
                responder.answer(WebReply.events(stream).fenced)
            }
        }
    }

    func tell(_ news: ViewerNews) {
        guard !streams.isEmpty else { return }
        let event = news.event
        // A stream whose browser reads too slowly cuts it off; the browser asks for everything when it connects again.
        for stream in streams { stream.send(event) }
    }

    /// Has every open page connect again, which one that is locked out by now cannot.
    func connectAnew() { close() }

    private func close() {
        guard !streams.isEmpty else { return }
        for stream in streams { stream.close() }
        streams = []
        source?.setLookedAt(false)
    }

    private func add(_ stream: EventStream) {
        streams.append(stream)
        guard streams.count == 1 else { return }
        source?.setLookedAt(true)
        if !beat.isSet { scheduleBeat() }
    }

    private func scheduleBeat() {
        beat.set(in: .seconds(1)) { [weak self] in
            guard let self, !streams.isEmpty else { return }
            for stream in streams { stream.send(Array("event: beat\ndata:\n\n".utf8)) }
            scheduleBeat()
        }
    }

    private func remove(_ stream: EventStream) {
        guard let place = streams.firstIndex(where: { $0 === stream }) else { return }
        streams.remove(at: place)
        if streams.isEmpty { source?.setLookedAt(false) }
    }
}
