import Freshness
import Model

/// What a page looks like now: the image that shows it.
struct PageView {
    let image: WantedImage
    /// The images of the pages that come next.
    let next: [WantedImage]
}
