import Model
import PageRaster
import Rendering

/// Runs drawing code, and translates its failures into those of jobs.
func translated<Result>(_ body: () throws(RasterFailure) -> Result) throws(RenderFailure) -> Result {
    do {
        return try body()
    } catch {
        switch error {
        case .encrypted: throw .encrypted
        case .unreadable(let reason): throw .unreadable(reason)
        case .noPages: throw .noPages
        case .noSuchPage(let page): throw .noSuchPage(PageIndex(page))
        case .tooLarge(let width, let height): throw .tooLarge(width: width, height: height)
        case .damaged: throw .damagedImage
        case .drawing(let reason): throw .drawing(reason)
        }
    }
}
