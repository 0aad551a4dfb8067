import Model

/// Facts about the images on disk. An image takes few bytes here, because there may be a hundred thousand.
struct ImageLedger {
    private struct Facts {
        /// The number of disk blocks that the image takes, or `unmeasured`.
        var blocks = Self.unmeasured
        /// The number of the last listing with this image, shifted left by one bit. The lowest bit is set if the image was found intact.
        var mark: UInt32 = 0
        /// Where the image has ink; `nil` if the file was not checked, or does not state where.
        var ink: PageInk?

        static let unmeasured = UInt32.max
        var isIntact: Bool { mark & 1 == 1 }
        var round: UInt32 { mark >> 1 }
        var doubted: Facts { Facts(blocks: blocks, mark: mark & ~1, ink: ink) }

        /// Records facts; returns by how many blocks the total changes.
        mutating func note(round: UInt32, size: ByteCount?, isIntact: Bool, ink: PageInk?) -> Int {
            mark = round << 1 | (isIntact || self.isIntact ? 1 : 0)
            if let ink { self.ink = ink }
            guard let size else { return 0 }
            let former = blocks == Self.unmeasured ? 0 : Int(blocks)
            blocks = UInt32(clamping: min(size.bytes / 512, Int(Self.unmeasured) - 1))
            return Int(blocks) - former
        }
    }

    /// Grouped by folder, since folders appear and vanish as a whole.
    private var folders: [ImageFolder: [ImageName: Facts]] = [:]
    private var blocks = 0
    private(set) var round: UInt32 = 0

    var names: [ImageName] { folders.values.flatMap(\.keys) }

    /// The images of one folder.
    func names(in folder: ImageFolder) -> [ImageName] { folders[folder].map { Array($0.keys) } ?? [] }

    private func facts(_ name: ImageName) -> Facts? { folders[name.folder]?[name] }

    /// The disk space of all images that were measured.
    var bytes: ByteCount { ByteCount(blocks * 512) }

    func contains(_ name: ImageName) -> Bool { facts(name) != nil }

    func ink(of name: ImageName) -> PageInk? { facts(name)?.ink }

    func isIntact(_ name: ImageName) -> Bool { facts(name)?.isIntact == true }

    /// The disk space that an image takes, if it was measured.
    func size(of name: ImageName) -> ByteCount? {
        facts(name).flatMap { $0.blocks == Facts.unmeasured ? nil : ByteCount(Int($0.blocks) * 512) }
    }

    func isMeasured(_ name: ImageName) -> Bool { facts(name).map { $0.blocks != Facts.unmeasured } ?? false }

    /// Begins a listing. Images that are not noted before its end no longer exist.
    mutating func beginRound() -> UInt32 {
        round += 1
        return round
    }

    /// Records that an image exists. Facts that are not given stay unchanged.
    mutating func note(_ name: ImageName, size: ByteCount? = nil, isIntact: Bool = false, ink: PageInk? = nil) {
        let round = round
        blocks += folders[name.folder, default: [:]][name, default: Facts()].note(
            round: round, size: size, isIntact: isIntact, ink: ink)
    }

    /// Removes an image; returns its size (zero if it was not measured), or `nil` if the image was unknown.
    @discardableResult
    mutating func remove(_ name: ImageName) -> ByteCount? {
        let folder = name.folder
        guard let former = folders[folder]?.removeValue(forKey: name) else { return nil }
        if folders[folder]?.isEmpty == true { folders[folder] = nil }
        guard former.blocks != Facts.unmeasured else { return ByteCount(0) }
        blocks -= Int(former.blocks)
        return ByteCount(Int(former.blocks) * 512)
    }

    /// Counts no image as intact any more, so each is checked again when it is needed.
    mutating func doubtAll() {
        for folder in folders.keys { folders[folder] = folders[folder]?.mapValues { $0.doubted } }
    }

    /// The images that are missing from the listing with the number `round` and from all later ones.
    func unseen(since round: UInt32) -> [ImageName] {
        folders.values.flatMap { $0.compactMap { $1.round < round ? $0 : nil } }
    }
}
