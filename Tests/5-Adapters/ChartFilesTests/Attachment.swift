import Model

/// The service's, not the testing library's.
typealias Attachment = Model.Attachment
