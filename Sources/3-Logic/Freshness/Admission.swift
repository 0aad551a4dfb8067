public import Model

/// Which wanted images the limits leave room for: what does not fit is not rendered at all, rather than rendered,
/// trimmed, and rendered again.
///
/// The images most worth keeping go first, and the first one without room ends it. Trimming starts with those least worth keeping
/// and stops at the same point, so it never removes what is admitted here, provided that the sizes are known. Where they are
/// guesses, every image that turns out larger than guessed is known from then on, so the guessing comes to an end.
public struct Admission: Hashable, Sendable {
    /// All images that may be in the cache, whether they are there or not.
    public let admitted: Set<ImageName>
    /// The images to be rendered: admitted but not in the cache; in the order of rendering.
    public let missing: [WantedImage]
    /// The images that are not in the cache and stay out for want of room; in the order of rendering.
    public let withheld: [WantedImage]

    /// Decides for all images that are wanted.
    ///
    /// `present` names the images in the cache, and `held` is the space that they take. Unwanted images may be among them. They count as
    /// room, like everything that is not admitted, since they are trimmed before anything that is; but those of charts that are away stay.
    /// `size` answers how much an image takes if it is present, else how much it took when it was last there or, failing that, how much the
    /// same variant of the same page took; `nil` if that is not known. It must not forget an image because it was trimmed.
    public init(
        _ wanted: WantedSet, present: Set<ImageName>, held: ByteCount, limits: CacheLimits, disk: DiskSpace,
        size: (ImageName) -> ByteCount?
    ) {
        let images = wanted.images
        let sizes = Self.sizes(of: images, known: images.map { size($0.name)?.bytes })
        let staying =
            wanted.away.isEmpty
            ? 0 : present.lazy.filter { wanted.away[$0.folder] != nil }.reduce(0) { $0 + (size($1)?.bytes ?? 0) }
        var room = min(limits.targetBytes, Self.roomOnDisk(held: held, limits: limits, disk: disk)) - staying

        var fits = Array(repeating: true, count: images.count)
        if sizes.reduce(0, +) > room {
            let worths = images.map(wanted.worth)
            let order = images.indices.sorted { left, right in
                worths[left] == worths[right] ? images[left].name > images[right].name : worths[left] > worths[right]
            }
            for index in order {
                room -= sizes[index]
                // Nor is a smaller one admitted after that: it would be trimmed first.
                fits[index] = room >= 0
                if room < 0 { room = -1 }
            }
        }
        let (admitted, others) = (images.indices.filter { fits[$0] }, images.indices.filter { !fits[$0] })
        self.admitted = Set(admitted.map { images[$0].name })
        missing = admitted.lazy.map { images[$0] }.filter { !present.contains($0.name) }
        withheld = others.lazy.map { images[$0] }.filter { !present.contains($0.name) }
    }

    /// True if the disk leaves less room than the limit of the cache itself.
    public static func isDiskTighter(held: ByteCount, limits: CacheLimits, disk: DiskSpace) -> Bool {
        roomOnDisk(held: held, limits: limits, disk: disk) < limits.targetBytes
    }

    private static func roomOnDisk(held: ByteCount, limits: CacheLimits, disk: DiskSpace) -> Int {
        // Some disks claim more space than can be counted.
        held.bytes + min(disk.free.bytes, .max / 4) - limits.targetFree
    }

    /// Guesses unknown sizes from known ones. Only from images that are wanted: everything else in the cache disappears over
    /// time, and the guesses would go up and down with it.
    private static func sizes(of images: [WantedImage], known: [Int?]) -> [Int] {
        var full = (sum: 0, count: 0)
        var thumbnails = (sum: 0, count: 0)
        for (image, size) in zip(images, known) {
            guard let size else { continue }
            if image.inputs.variant == .thumbnail {
                thumbnails = (thumbnails.sum + size, thumbnails.count + 1)
            } else {
                full = (full.sum + size, full.count + 1)
            }
        }
        let usualFull = full.count > 0 ? full.sum / full.count : 300_000
        let usualThumbnail = thumbnails.count > 0 ? thumbnails.sum / thumbnails.count : 12_000
        return zip(images, known).map { image, size in
            size ?? (image.inputs.variant == .thumbnail ? usualThumbnail : usualFull)
        }
    }
}
