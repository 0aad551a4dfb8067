import Glibc

/// What supplies the machine with power, according to the kernel.
struct PowerSupplies: Sendable {
    private let folder: String

    /// Reads from `folder`, which holds a folder for every supply.
    init(folder: String = "/sys/class/power_supply") {
        self.folder = folder
    }

    /// Whether the machine runs on its own battery. A machine that reports nothing about power is taken to be plugged in.
    var isOnBattery: Bool {
        let supplies = (try? Folder.names(in: folder)) ?? []
        var discharges = false
        for supply in supplies {
            // A mouse has a battery, too.
            guard read("scope", of: supply) != "Device" else { continue }
            switch read("type", of: supply) {
            case "Battery": discharges = discharges || read("status", of: supply) == "Discharging"
            case "Mains", "USB": if read("online", of: supply) == "1" { return false }
            default: break
            }
        }
        return discharges
    }

    private func read(_ name: String, of supply: String) -> String? {
        guard let file = try? Descriptor.open("\(folder)/\(supply)/\(name)", O_RDONLY), let bytes = try? file.readAll(limit: 4096) else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
