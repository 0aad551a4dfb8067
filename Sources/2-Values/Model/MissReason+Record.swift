extension MissReason {
    /// Why the image `name`, to be drawn by `renderer`, is not in the cache, judging by the record of its page and variant.
    ///
    /// If the record's renderer is empty, it is not known, and does not count as another one.
    public init(of name: ImageName, renderer: String, record: ImageRecord?) {
        guard let record else {
            self = .neverMade
            return
        }
        guard record.name == name else {
            // The same renderer gives an image a new name for new marks, another size or another paper.
            self = record.renderer.isEmpty || record.renderer == renderer ? .neverMade : .rendererChanged
            return
        }
        self = record.fate.missReason
    }
}
