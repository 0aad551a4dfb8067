import Freshness
import Model

/// What a page looks like now: the image that shows it, and what that is made from.
struct PageView {
    let image: WantedImage
    /// What is drawn on it.
    let marks: PageMarks?
    /// The images of the pages that come next.
    let next: [WantedImage]
}
