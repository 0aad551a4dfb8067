import Model
import PageRaster

extension RendererIdentity {
    /// What this process draws with. The fonts are looked at once: fontconfig, too, keeps what it found first.
    static let thisProcess = RendererIdentity(tag: .raster, fonts: .machine())
}
