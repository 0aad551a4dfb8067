public import Model

/// Decides which wanted images fit within the limits. An image that does not fit is not rendered; otherwise, it would be rendered,
/// trimmed and rendered again.
///
/// Images are admitted in the order of their worth, until the first one that does not fit. Trimming starts with the least worth and stops
/// at the same point, so it never removes an admitted image if all sizes are known. If the size of an image was guessed too small,
/// rendering the image corrects it, so wrong guesses come to an end.
public struct Admission: Hashable, Sendable {
    /// All images that may be in the cache, whether or not they are there.
    public let admitted: Set<ImageName>
    /// The images to render, in the order of rendering: those that are admitted but not in the cache.
    public let missing: [WantedImage]
    /// The images that are neither in the cache nor admitted, in the order of rendering.
    public let withheld: [WantedImage]

    /// Decides about all wanted images.
    ///
    /// `present` names the images in the cache, including unwanted ones, and `held` is the space that they take. The space of all
    /// images that are not admitted counts as free, since they are trimmed first; only images of charts that are away stay. `size`
    /// returns the size of an image that is present, otherwise its size when it was last present, otherwise the size of the same
    /// variant of the same page; `nil` if none is known. `size` must remember the sizes of trimmed images.
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
                // After the first image that does not fit, admit no smaller one either: it would be trimmed before the first.
                fits[index] = room >= 0
                if room < 0 { room = -1 }
            }
        }
        let (admitted, others) = (images.indices.filter { fits[$0] }, images.indices.filter { !fits[$0] })
        self.admitted = Set(admitted.map { images[$0].name })
        missing = admitted.lazy.map { images[$0] }.filter { !present.contains($0.name) }
        withheld = others.lazy.map { images[$0] }.filter { !present.contains($0.name) }
    }

    /// True if the free space on the disk leaves less room than the cache's own limit.
    public static func isDiskTighter(held: ByteCount, limits: CacheLimits, disk: DiskSpace) -> Bool {
        roomOnDisk(held: held, limits: limits, disk: disk) < limits.targetBytes
    }

    private static func roomOnDisk(held: ByteCount, limits: CacheLimits, disk: DiskSpace) -> Int {
        // Some disks claim so much free space that the sum would overflow.
        held.bytes + min(disk.free.bytes, .max / 4) - limits.targetFree
    }

    /// Guesses unknown sizes from the known sizes of wanted images: their mean, or a usual size if none is known. Other images in
    /// the cache disappear over time, and would make the guesses rise and fall.
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
