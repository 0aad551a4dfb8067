extension MissReason {
    /// Why the image `name`, to be drawn by `renderer`, is not in the cache, by what is remembered of its page and variant.
    ///
    /// A renderer that is not known, being empty, is nobody else's.
    public init(of name: ImageName, renderer: String, record: ImageRecord?) {
        guard let record else {
            self = .neverMade
            return
        }
        guard record.name == name else {
            // The same renderer names an image anew for new marks, another size or another paper.
            self = record.renderer.isEmpty || record.renderer == renderer ? .neverMade : .rendererChanged
            return
        }
        self = record.fate.missReason
    }
}
