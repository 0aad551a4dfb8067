/// A stream of events, in the form that libmicrohttpd asks for. Only the server's thread uses it.
final class EventBody: PieceSource {
    let announced = PieceEnd.unknown
    private let stream: EventStream
    private let visitor: Visitor

    init(_ stream: EventStream, for visitor: Visitor) {
        self.stream = stream
        self.visitor = visitor
    }

    func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !visitor.isCut else { return PieceEnd.brokenOff }
        switch stream.read(into: buffer) {
        case .bytes(let count): return count
        case .end: return PieceEnd.whole
        case .cut: return PieceEnd.brokenOff
        case .nothing:
            // If news arrive at this moment, they come with a letter, which is read after this.
            visitor.suspend()
            return 0
        }
    }
}
