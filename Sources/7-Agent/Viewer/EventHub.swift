import LocalHTTP
import Platform

/// Tells every open page what changed. While nothing changes, nothing is sent: on this machine, the system reports at once when
/// a browser goes away.
@LoopActor
final class EventHub {
    private let current: CurrentSource
    private var source: (any ViewerSource)?
    private var streams: [EventStream] = []

    nonisolated init(_ current: CurrentSource) { self.current = current }

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
                // How long to wait before connecting again, in milliseconds.
                stream.send(Array("retry: 1000\n\n".utf8))
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

    private func close() {
        guard !streams.isEmpty else { return }
        for stream in streams { stream.close() }
        streams = []
        source?.setLookedAt(false)
    }

    private func add(_ stream: EventStream) {
        streams.append(stream)
        if streams.count == 1 { source?.setLookedAt(true) }
    }

    private func remove(_ stream: EventStream) {
        guard let place = streams.firstIndex(where: { $0 === stream }) else { return }
        streams.remove(at: place)
        if streams.isEmpty { source?.setLookedAt(false) }
    }
}
