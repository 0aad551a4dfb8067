public import Model

/// News for those who show what the agent keeps ready.
public enum AgentNews: Hashable, Sendable {
    /// Library and cache were looked at again: what is wanted and what is there may have changed, and these charts or their marks have.
    case reconciled(changed: Set<AttachmentID>)
    /// This image was made.
    case published(ImageName)
    /// This image could not be made, for now or for good.
    case failed(ImageName)
    /// The service was asked, whatever the result.
    case polled
    /// A pause began or ended.
    case paused
}
