/// What an XML stream tells of, in the order of the text. A fault that it throws ends the stream, at the place it was thrown.
protocol XMLTarget: AnyObject {
    func begin(_ element: String, _ attributes: XMLAttributes) throws(MarkFileFault)
    /// A piece of text, in UTF-8; one text may come in many.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(MarkFileFault)
    func end(_ element: String) throws(MarkFileFault)
}
