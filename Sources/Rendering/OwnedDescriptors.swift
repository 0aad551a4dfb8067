import Glibc

/// Open descriptors that travel with a message; closed when it goes.
package final class OwnedDescriptors {
    package let numbers: [Int32]

    package init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    deinit {
        for number in numbers { close(number) }
    }
}
