import Model

/// Selects the service's attachments instead of those of the testing library.
typealias Attachment = Model.Attachment
