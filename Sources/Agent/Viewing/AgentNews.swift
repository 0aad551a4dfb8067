public import Model

/// Something that those want to know who show what the agent keeps ready.
public enum AgentNews: Hashable, Sendable {
    /// Library and cache were looked at anew: what is wanted and what is there may be different, and these charts or their marks are.
    case reconciled(changed: Set<AttachmentID>)
    /// This image was made.
    case published(ImageName)
    /// This image could not be made, for now or for good.
    case failed(ImageName)
    /// The service was asked, whatever came of it.
    case polled
    /// A pause began or ended.
    case paused
}
