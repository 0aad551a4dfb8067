public import Model

extension LibraryChange {
    /// The change in plain words. Times are in UTC, so tests get the same text on every machine.
    public var sentence: String { sentence(in: .utc) }
}
