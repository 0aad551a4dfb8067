import CPango
import CPoppler
import CScans
public import Model

extension RendererTag {
    /// The version of our raster and those of the libraries that affect pixels. The number goes up with every change of ours that affects
    /// pixels.
    public static var raster: RendererTag {
        let poppler = poppler_get_version().map { String(cString: $0) } ?? "?"
        let cairo = cairo_version_string().map { String(cString: $0) } ?? "?"
        let pango = pango_version_string().map { String(cString: $0) } ?? "?"
        let limit = woodshed_scans_are_known() != 0 ? "" : glibAlone
        return RendererTag("raster-6 poppler-\(poppler) cairo-\(cairo) pango-\(pango)\(limit)")
    }

    /// What a build says of itself that does not know the classes of its version of poppler.
    private static let glibAlone = " poppler-glib-alone"
}
