import Glibc

/// The mounts that the kernel lists. Reading the list touches no mount: touching a mount may block for ever if its server is gone.
public struct Mounts: Sendable {
    /// The kinds of file systems, keyed by their mount points.
    private let kinds: [String: String]

    /// Parses lines in the format of `/proc/self/mountinfo`.
    public init(reading text: String) {
        var kinds: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 4, let end = fields.firstIndex(of: "-"), end + 1 < fields.count else { continue }
            // If several file systems are mounted at one folder, the last one is visible.
            let folder = Self.plain(fields[4])
            kinds[folder == "/" ? "" : folder] = String(fields[end + 1])
        }
        self.kinds = kinds
    }

    public static var present: Mounts {
        let bytes = (try? Descriptor.openFile("/proc/self/mountinfo", 0).readAll(limit: 16 << 20, path: "/proc/self/mountinfo")) ?? []
        return Mounts(reading: String(decoding: bytes, as: UTF8.self))
    }

    /// Decodes a field, in which a blank is written as `\040`.
    private static func plain(_ field: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(field.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3).map { Int($0) - 0x30 }
            if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy((0..<8).contains) {
                bytes.append(UInt8(truncatingIfNeeded: digits[0] << 6 | digits[1] << 3 | digits[2]))
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a path leads to a network file system, or to one that a program provides, such as sshfs: such a file system may
    /// not respond, and changes there may cause no events here. For a missing folder, its nearest parent decides.
    public func isOnNetwork(_ path: String) -> Bool { place(of: path) == nil }

    /// The real path, resolved as far as it exists; `nil` if it is on a network.
    private func place(of path: String) -> String? {
        guard !isNetwork(at: "") else { return nil }
        var (folder, links) = ("", 0)
        var rest = [Substring](Self.absolute(path).split(separator: "/").reversed())
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                folder = folder.isEmpty ? "" : Folder.parent(of: folder)
                if folder == "/" { folder = "" }
                continue
            }
            folder += "/" + name
            if isNetwork(at: folder) { return nil }
            // Only paths on this machine's disks get this far, so reading the link cannot block.
            guard kinds[folder] == nil, let target = Folder.target(ofLink: folder), links < Self.mostLinks else { continue }
            links += 1
            folder = target.hasPrefix("/") ? "" : folder == "/" + name ? "" : Folder.parent(of: folder)
            rest += target.split(separator: "/").reversed()
        }
        return folder
    }

    /// The elements with folders that are not on a network, so that touching these does not block.
    public func near<Element>(_ all: [Element], in folder: (Element) -> String) -> [Element] {
        var known: [String: Bool] = [:]
        return all.filter { element in
            let folder = folder(element)
            let isNear = known[folder] ?? !isOnNetwork(folder)
            known[folder] = isNear
            return isNear
        }
    }

    /// The mount points of network file systems inside a folder, as paths below it; empty if the folder itself is on a network.
    public func networkFolders(in folder: String) -> Set<String> {
        guard let real = place(of: folder) else { return [] }
        let inside = kinds.keys.filter { $0.utf8.starts(with: (real + "/").utf8) && isNetwork(at: $0) }
        return Set(inside.map { folder + String(Substring($0.utf8.dropFirst(real.utf8.count))) })
    }

    private func isNetwork(at folder: String) -> Bool { kinds[folder].map(Self.isNetwork) ?? false }

    /// Whether this kind of file system uses a network, or is provided by a program.
    static func isNetwork(_ kind: String) -> Bool { kind.hasPrefix("fuse") && kind != "fusectl" || networks.contains(kind) }

    /// The kinds of network file systems, including kinds that mount something as soon as they are touched.
    private static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "ncpfs", "virtiofs", "lustre", "beegfs", "orangefs", "autofs",
    ]

    /// The greatest number of links to follow, the same as the kernel's.
    private static let mostLinks = 40

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}

extension Folder {
    /// `Mounts.isOnNetwork` for the present mounts.
    public static func isOnNetwork(_ path: String) -> Bool { Mounts.present.isOnNetwork(path) }

    /// The target of a link; `nil` if there is none, with the reason in `errno`: `EINVAL` for a path that is not a link.
    package static func target(ofLink path: String) -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &characters, characters.count)
        return count < 0 ? nil : String(decoding: characters.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The link at `path` or above it that leads nowhere, as when its disk is away, and what it names; `nil` if there is none.
    public static func deadLink(onWayTo path: String) -> (path: String, target: String)? {
        var place = path
        var status = stat()
        while stat(place, &status) != 0, [ENOENT, ENOTDIR, ELOOP].contains(errno) {
            if let target = target(ofLink: place) { return (place, target) }
            let parent = parent(of: place)
            guard parent != place else { return nil }
            place = parent
        }
        return nil
    }
}
