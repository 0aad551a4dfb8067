import Synchronization

/// Bytes for one client, sent as they are produced, such as Server-Sent Events in their final form.
///
/// Bytes that the client has not read wait here. A client that reads too slowly is cut off; it then connects again and asks for everything.
public final class EventStream: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isClosed = false
        /// True if the client is sent nothing more, not even the bytes that are waiting.
        var isCut = false
        var isOver = false
        var onClose: (@Sendable () -> Void)?
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Makes a stream that holds at most `limit` bytes for a client that does not read.
    public init(limit: Int = 256 << 10) { self.limit = limit }

    /// Sends bytes, from any thread. Returns `false` if the client is gone, if the stream was closed, or if too many bytes wait; in
    /// the last case, the client is cut off.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        let (isTaken, wake) = state.withLock { state in
            guard !state.isClosed, !state.isOver else { return (false, nil as (@Sendable () -> Void)?) }
            let wasEmpty = state.pending.isEmpty
            guard state.pending.count + bytes.count <= limit else {
                state.isClosed = true
                state.isCut = true
                state.pending = []
                return (false, state.wake)
            }
            state.pending += bytes
            return (true, wasEmpty ? state.wake : nil)
        }
        wake?()
        return isTaken
    }

    /// Ends the stream once the client has everything that was sent. Works from any thread.
    public func close() {
        let wake = state.withLock { state in
            state.isClosed = true
            return state.wake
        }
        wake?()
    }

    /// Sets an action to call once, when the client is gone, cut off or has everything, or the server stops. If one of these has
    /// already happened, calls the action immediately.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.onClose = action }
            return state.isOver
        }
        if isOver { action() }
    }

    // MARK: - The server's side

    /// The next piece for the client.
    enum Piece {
        case bytes(Int)
        case nothing
        case end
        case cut
    }

    /// Sets `wake` to be called when there is something to do; returns `false` if the stream is over or already answers another request.
    func begin(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.wake == nil, !state.isOver else { return false }
            state.wake = wake
            return true
        }
    }

    var isCut: Bool { state.withLock(\.isCut) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece {
        state.withLock { state in
            if state.isCut { return .cut }
            if state.pending.isEmpty { return state.isClosed ? .end : .nothing }
            let count = min(buffer.count, state.pending.count)
            state.pending.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.pending.removeFirst(count)
            return .bytes(count)
        }
    }

    /// Ends the stream, because nothing reads it any more.
    func end() {
        let action = state.withLock { state in
            state.isOver = true
            state.pending = []
            state.wake = nil
            defer { state.onClose = nil }
            return state.onClose
        }
        action?()
    }
}

/// Passes a stream of events to libmicrohttpd. Only the server's thread uses it.
final class EventBody: PieceSource {
    private let stream: EventStream
    private let visitor: Visitor

    init(_ stream: EventStream, for visitor: Visitor) {
        (self.stream, self.visitor) = (stream, visitor)
        super.init(announced: PieceEnd.unknown)
    }

    override func read(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !visitor.isCut else { return PieceEnd.brokenOff }
        switch stream.read(into: buffer) {
        case .bytes(let count): return count
        case .end: return PieceEnd.whole
        case .cut: return PieceEnd.brokenOff
        case .nothing:
            // If bytes arrive at this moment, the letter about them is read after this call, and resumes the visitor.
            visitor.suspend()
            return 0
        }
    }
}
