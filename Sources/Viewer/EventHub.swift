import LocalHTTP
import Platform

/// Tells every page that is open what changed. Nothing is sent while nothing changes: on this machine the system tells at
/// once of a browser that goes.
@LoopActor
final class EventHub {
    private let current: CurrentSource
    private var source: (any ViewerSource)?
    private var streams: [EventStream] = []

    nonisolated init(_ current: CurrentSource) {
        self.current = current
    }

    /// Passes on what this one tells from now on. Every page that is open connects again and asks for the whole.
    func listen(to new: (any ViewerSource)?) {
        source?.setNewsHandler(nil)
        close()
        source = new
        new?.setNewsHandler { [weak self] in self?.tell($0) }
    }

    /// A stream for one more page. It is answered only once it hears of everything, so that a page that asks for the whole
    /// after its stream has begun misses nothing.
    nonisolated func stream() -> WebReply {
        .later { [weak self] responder in
            spawn { [weak self] in
                // One that is dropped without an answer is told that there is none.
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
        // One that reads too slowly is cut by its stream, and asks for the whole when it comes again.
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
