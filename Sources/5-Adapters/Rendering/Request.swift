import Platform

/// One caller who waits for an order.
@LoopActor
final class Request {
    /// Where this caller wants the images.
    let outputs: [Int32]
    /// Whether the worker writes to this caller's files; otherwise they get copies.
    var broughtFiles = false
    /// The order that it became part of.
    weak var order: Order?
    private var waiter: CheckedContinuation<Result<ReplyMessage, RenderFailure>, Never>?

    init(outputs: [Int32], waiter: CheckedContinuation<Result<ReplyMessage, RenderFailure>, Never>) {
        self.outputs = outputs
        self.waiter = waiter
    }

    /// Answers the caller; only the first result counts.
    func finish(_ result: Result<ReplyMessage, RenderFailure>) {
        waiter?.resume(returning: result)
        waiter = nil
    }
}
