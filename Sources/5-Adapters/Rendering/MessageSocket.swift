import CShims
import Glibc
package import Platform

/// Sends and receives whole messages with descriptors attached, over a socket between us and a worker.
package enum MessageSocket {
    /// Sends one message.
    package static func send(_ bytes: [UInt8], descriptors: [Int32], over socket: Int32) throws(SystemError) {
        while true {
            let sent = bytes.withUnsafeBytes {
                woodshed_send_message(socket, $0.baseAddress, $0.count, descriptors, Int32(descriptors.count))
            }
            if sent == bytes.count { return }
            if sent < 0, errno == EINTR { continue }
            throw SystemError("send a message to the renderer", code: sent < 0 ? errno : EMSGSIZE)
        }
    }

    /// Receives one message, or `nil` if the other side is gone.
    package static func receive(from socket: Int32) throws(SystemError) -> (bytes: [UInt8], files: OwnedDescriptors)? {
        var descriptors = [Int32](repeating: -1, count: 16)
        while true {
            var received = 0
            var count = Int32(descriptors.count)
            let bytes = [UInt8](unsafeUninitializedCapacity: JobMessage.mostBytes) { buffer, initialized in
                received = woodshed_receive_message(socket, buffer.baseAddress, buffer.count, &descriptors, &count)
                initialized = max(received, 0)
            }
            if received > 0 { return (bytes, OwnedDescriptors(Array(descriptors[..<Int(count)]))) }
            if received == 0 { return nil }
            if errno != EINTR { throw SystemError("receive a message") }
        }
    }
}
