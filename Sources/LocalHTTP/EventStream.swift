import Synchronization

/// Bytes for one client, as they come: Server-Sent Events, already written as such.
///
/// What the client has not read waits here. One that reads too slowly is cut: it will connect again and ask for the whole.
public final class EventStream: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isClosed = false
        /// The client is not to get any more of it, not even what waits.
        var isCut = false
        var isOver = false
        var onClose: (@Sendable () -> Void)?
        var tell: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Makes a stream that keeps at most `limit` bytes for a client that does not read.
    public init(limit: Int = 256 << 10) {
        self.limit = limit
    }

    /// Sends bytes, from any thread; `false` when there is nobody to send them to any more.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        let (isTaken, tell) = state.withLock { state in
            guard !state.isClosed, !state.isOver else { return (false, nil as (@Sendable () -> Void)?) }
            let wasEmpty = state.pending.isEmpty
            guard state.pending.count + bytes.count <= limit else {
                state.isClosed = true
                state.isCut = true
                state.pending = []
                return (false, state.tell)
            }
            state.pending += bytes
            return (true, wasEmpty ? state.tell : nil)
        }
        tell?()
        return isTaken
    }

    /// Ends the stream after what was sent, from any thread.
    public func close() {
        let tell = state.withLock { state in
            state.isClosed = true
            return state.tell
        }
        tell?()
    }

    /// Sets what is called, once, when the client is gone, was cut, has everything, or the server stops; at once if that has been.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.onClose = action }
            return state.isOver
        }
        if isOver { action() }
    }

    // MARK: - The server's side

    /// What there is for the client just now.
    enum Piece {
        case bytes(Int)
        case nothing
        case end
        case cut
    }

    /// Has `tell` called when there is something to do; `false` for a stream that has been somebody's answer.
    func begin(_ tell: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.tell == nil, !state.isOver else { return false }
            state.tell = tell
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

    /// Nobody reads any more.
    func end() {
        let action = state.withLock { state in
            state.isOver = true
            state.pending = []
            state.tell = nil
            defer { state.onClose = nil }
            return state.onClose
        }
        action?()
    }
}
