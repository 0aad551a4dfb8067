import Freshness
import Library
import Model
import Platform

/// Images that are there under other names than the wanted ones: from another renderer, or with another size or paper.
///
/// Nothing that is shown may be stale. Plain images and thumbnails of the same version of a chart show the page, whoever drew them; an
/// annotated image shows the present marks only if its name follows from them.
struct FormerImages {
    private let present: Set<ImageName>
    private let slots: [ImageSlot: [ImageName]]
    /// Looks up what is remembered of the last image that was made of the same page and variant.
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

    /// The images that show what `image` would show, if they are intact.
    @LoopActor
    func showing(_ image: WantedImage) throws(LibraryError) -> [ImageName] {
        guard let names = slots[image.name.slot] else { return [] }
        guard image.inputs.variant == .annotated else { return names }
        // The name that it would have had back then is worked out again: with the present marks, as that renderer would have drawn them,
        // in that size.
        guard let record = try record(image.name), let name = image.inputs.name(madeAs: record) else { return [] }
        return present.contains(name) ? [name] : []
    }
}

extension ImageInputs {
    /// The name that this image would have if it had been made as `other` was; `nil` if that is not known.
    fileprivate func name(madeAs other: ImageRecord) -> ImageName? {
        var tag = other.renderer
        if let fonts {
            // Of other fonts, only the beginning of their digest is remembered.
            let ending = " fonts-\(fonts)"
            guard tag.hasSuffix(ending) else { return nil }
            tag = String(tag.dropLast(ending.count))
        }
        let inputs = drawn(by: RendererTag(tag))
        return ImageName(other.format.map { inputs.made(in: $0) } ?? inputs)
    }
}
