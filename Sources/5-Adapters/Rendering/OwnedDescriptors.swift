import Glibc
package import Platform

/// Open descriptors that travel with a message; they are closed along with this object.
package final class OwnedDescriptors {
    package let numbers: [Int32]

    package init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    /// Copies descriptors that somebody else owns.
    package init(copying others: [Int32]) throws(SystemError) {
        numbers = others.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard numbers.allSatisfy({ $0 >= 0 }) else { throw SystemError("hand a file over") }
    }

    deinit {
        for number in numbers where number >= 0 { close(number) }
    }
}
