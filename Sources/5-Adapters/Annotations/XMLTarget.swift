/// What an XML stream reports, in the order of the text. A fault that it throws ends the stream, at the place where it was thrown.
protocol XMLTarget: AnyObject {
    func begin(_ element: String, _ attributes: XMLAttributes) throws(MarkFileFault)
    /// A piece of text, in UTF-8; one text may come in many pieces.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(MarkFileFault)
    func end(_ element: String) throws(MarkFileFault)
}
