public import Model
import Platform

/// Why a job failed.
public enum RenderFailure: Error, Hashable, Sendable, Codable {
    case encrypted
    /// The file is not a PDF, or is too damaged to be opened.
    case unreadable(String)
    case noPages
    case tooManyPages(Int)
    /// The PDF has no page with this index, or the page cannot be read.
    case noSuchPage(PageIndex)
    case tooLarge(width: Int, height: Int)
    case drawing(String)
    case timedOut(seconds: Int)
    /// The renderer's process ended during the job.
    case crashed(String)

    /// The image that the new one is made from has changed since it was written. The page can still be drawn from the PDF.
    case damagedImage
    case cannotOpen(String)
    /// The image cannot be written; the number is the system's errno.
    case cannotWrite(Int32)
    case cannotStart(String)
    /// The renderer uses another version of the messages: an upgrade is incomplete.
    case versionMismatch(ours: Int, theirs: Int)
    /// The renderer's tag is not the one that the images' keys were made for: the renderer was replaced while we were running.
    case rendererChanged(RendererTag)
    /// The renderer's fonts are not those that the images' keys were made for: fonts were installed or removed in the meantime.
    case fontsChanged
    case malformedReply(String)
    case stopped
    case cancelled
    /// The job took too long by the clock without using up its computing time: the machine was busy or asleep, or the job waited
    /// for something. This failure proves nothing about the page.
    case heldUp(seconds: Int)
}

extension RenderFailure {
    /// True if the same job would fail in the same way until its input or the renderer changes.
    public var isLasting: Bool {
        switch self {
        case .encrypted, .unreadable, .noPages, .tooManyPages, .noSuchPage, .tooLarge, .drawing: true
        case .timedOut, .crashed, .damagedImage, .cannotOpen, .cannotWrite, .cannotStart, .versionMismatch, .rendererChanged,
            .fontsChanged, .malformedReply, .stopped, .cancelled, .heldUp:
            false
        }
    }

    /// How many times a chart or page may bring down the renderer, in this run and earlier ones, before it is left alone. A single
    /// failure may be the machine's fault: it ran out of memory, or every process was killed.
    package static let mostMisfortunes = 2

    /// True if the renderer did not survive the job. The page may be the cause. But the machine may also have been short of memory,
    /// overloaded or put to sleep, so a single failure proves nothing.
    public var tookTheRendererDown: Bool {
        switch self {
        case .timedOut, .crashed, .malformedReply: true
        default: false
        }
    }

    /// True if the disk, or the user's quota, is full.
    public var isDiskFull: Bool {
        if case .cannotWrite(let code) = self { SystemError("write", code: code).isDiskFull } else { false }
    }
}

extension RenderFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .encrypted: "the PDF requires a password; save it again without one"
        case .unreadable(let reason): "not a PDF that can be opened (\(reason))"
        case .noPages: "the PDF has no pages"
        case .tooManyPages(let count): "the PDF has \(count) pages, more than a chart may have"
        case .noSuchPage(let page): "the PDF has no readable \(page)"
        case .tooLarge(let width, let height): "an image of \(width) by \(height) pixels is too large to draw; ask for a smaller size"
        case .drawing(let reason): "the page cannot be drawn (\(reason))"
        case .timedOut(let seconds): "the page took more than \(seconds) s of CPU time to draw"
        case .crashed(let how): "the renderer \(how)"
        case .damagedImage: "the image it is made from is damaged"
        case .cannotOpen(let reason): reason
        case .cannotWrite(let code): SystemError("write the image", code: code).description
        case .cannotStart(let reason): "the renderer does not start: \(reason)"
        case .versionMismatch(let ours, let theirs):
            "woodshed and woodshed-render have different versions (\(ours) and \(theirs)); install both from the same build and restart"
        case .rendererChanged(let tag): "woodshed-render was replaced while woodshed was running (now \(tag)); restart woodshed"
        case .fontsChanged: "the fonts of this machine have changed; the page is redrawn with the new ones"
        case .malformedReply(let reason): "the renderer gave an invalid answer (\(reason))"
        case .stopped: "the renderer was stopped"
        case .cancelled: "no longer wanted"
        case .heldUp(let seconds):
            "it was not done within \(seconds) s, probably because the machine was busy; it will be tried again"
        }
    }
}
