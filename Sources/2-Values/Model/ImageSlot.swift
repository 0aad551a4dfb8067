/// A variant of a page, whatever its image is made from at the moment.
public struct ImageSlot: Hashable, Sendable {
    let chart: ShortDigest
    let page: PageIndex
    let variant: Variant
}
