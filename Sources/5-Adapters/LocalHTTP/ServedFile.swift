import Platform
import Synchronization

/// An open file that is handed over once.
final class ServedFile: Sendable {
    let size: Int
    private let descriptor: Mutex<Descriptor?>

    init(_ descriptor: consuming Descriptor, size: Int) {
        self.size = size
        self.descriptor = Mutex(descriptor)
    }

    /// Its descriptor, which the caller owns from then on; `nil` the second time.
    func take() -> Int32? {
        descriptor.withLock { $0.take()?.release() }
    }
}
