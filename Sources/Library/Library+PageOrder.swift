public import Model

extension Library {
    /// The order in which an attachment's pages are to be shown, in the service's own words; `nil` for one that is not known.
    public func pageOrder(of attachment: AttachmentID) throws(LibraryError) -> String? {
        try database.row("SELECT page_order FROM attachments WHERE id = ?", [.id(attachment)]) { $0.text(0) }
    }
}
