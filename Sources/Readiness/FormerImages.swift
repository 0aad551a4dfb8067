import Freshness
import Library
import Model
import Platform

/// The images that are there under other names than those that are wanted: what another renderer drew, or in another size or on
/// another paper.
///
/// Nothing that is shown may be stale. Plain images and thumbnails of a chart's bytes show that page whoever drew them; an
/// annotated image shows the present marks only if its name follows from them.
struct FormerImages {
    private let present: Set<ImageName>
    private let slots: [ImageSlot: [ImageName]]
    /// What is remembered of the image that was made last in the place of one.
    private let record: @LoopActor (ImageName) throws(LibraryError) -> ImageRecord?

    @LoopActor
    init(_ present: Set<ImageName>, _ library: Library) {
        self.init(present) { name throws(LibraryError) in try library.images.record(besides: name) }
    }

    init(_ present: Set<ImageName>, record: @escaping @LoopActor (ImageName) throws(LibraryError) -> ImageRecord?) {
        self.present = present
        slots = Dictionary(grouping: present, by: \.slot)
        self.record = record
    }

    /// Those that show what `image` would, if they are whole.
    @LoopActor
    func showing(_ image: WantedImage) throws(LibraryError) -> [ImageName] {
        guard let names = slots[image.name.slot] else { return [] }
        guard image.inputs.variant == .annotated else { return names }
        // Its name is told again as it was then: with the present marks, as that renderer would have drawn them, in that size.
        guard let record = try record(image.name), let name = image.inputs.name(madeAs: record) else { return [] }
        return present.contains(name) ? [name] : []
    }
}

extension ImageInputs {
    /// What the image would be called that was made of the same chart and marks as another was; `nil` where that cannot be told.
    fileprivate func name(madeAs other: ImageRecord) -> ImageName? {
        var tag = other.renderer
        if let fonts {
            // Of other fonts only the beginning of their digest is remembered.
            let ending = " fonts-\(fonts)"
            guard tag.hasSuffix(ending) else { return nil }
            tag = String(tag.dropLast(ending.count))
        }
        let inputs = drawn(by: RendererTag(tag))
        return ImageName(other.origin.map { inputs.made(as: $0.makings) } ?? inputs)
    }
}
