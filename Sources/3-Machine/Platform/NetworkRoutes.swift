import CShims
import Glibc

/// Reports when there is a way out to a network that was not there before. A message from the kernel is only a hint to look.
@LoopActor
final class NetworkRoutes {
    private let folder: String
    private var socket: Descriptor?
    private var watch: DescriptorWatch?
    private var gateways: Set<String> = []

    /// Reads the routes from `folder`.
    nonisolated init(folder: String = "/proc/net") {
        self.folder = folder
    }

    func start(_ handler: @escaping @LoopActor () -> Void) {
        stop()
        let number = woodshed_route_socket()
        guard number >= 0 else { return }
        gateways = Self.gateways(in: folder)
        watch = try? Loop.shared.watch(number, for: .read) { [weak self] _ in
            Self.drain(number)
            if self?.hasNewGateway() == true { handler() }
        }
        socket = Descriptor(owning: number)
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
        socket = nil
    }

    private func hasNewGateway() -> Bool {
        let before = gateways
        gateways = Self.gateways(in: folder)
        return !gateways.isSubset(of: before)
    }

    private nonisolated static func drain(_ number: Int32) {
        var news = [UInt8](repeating: 0, count: 8192)
        // It does not matter what did not fit or was lost: the routes are read again anyway.
        while recv(number, &news, news.count, 0) > 0 || errno == ENOBUFS || errno == EINTR { errno = 0 }
    }

    /// The ways out of this machine, each as its gateway and interface.
    nonisolated static func gateways(in folder: String) -> Set<String> {
        let version4 = lines(of: folder + "/route").compactMap { fields -> String? in
            // Interface, destination, gateway, …, mask.
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else { return nil }
            return fields[0] + " " + fields[2]
        }
        let version6 = lines(of: folder + "/ipv6_route").compactMap { fields -> String? in
            // Destination and its length, source and its length, next hop, …, interface. Without a way out, `lo` rejects.
            guard fields.count > 9, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }), fields[9] != "lo" else { return nil }
            return fields[9] + " " + fields[4]
        }
        return Set(version4 + version6)
    }

    private nonisolated static func lines(of path: String) -> [[String]] {
        // A machine with more routes than this is not a practice laptop; anything beyond the limit is not read.
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(limit: 1 << 20) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        }
    }
}
