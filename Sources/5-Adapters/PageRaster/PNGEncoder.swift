public import Model
import PagePNG

/// Makes PNG files of rasters: 8-bit gray if every pixel is exactly gray, otherwise RGB; the same raster always gives the same bytes.
public final class PNGEncoder {
    private let rows = PackedRows()
    private let small = PackedRows()
    private let writer = PNGWriter()
    /// What the packed picture is on.
    private var paper = Color.white

    /// Makes an encoder.
    public init() {}

    /// The PNG of `raster`, which says that it was made under `key`.
    public func encode(_ raster: Raster, key: ImageKey, paper: Color = .white) throws(RasterFailure) -> [UInt8] {
        pack(raster, paper: paper)
        return encode(key: key)
    }

    /// Takes over a raster's picture, for several images of it; they say where on this paper there is ink.
    public func pack(_ raster: Raster, paper: Color = .white) {
        self.paper = paper
        rows.pack(raster.row(0), width: raster.width, height: raster.height)
    }

    /// The PNG of the picture that was packed.
    public func encode(key: ImageKey) -> [UInt8] {
        writer.image(of: rows, key: key, paper: paper)
    }

    /// Makes a smaller version of the picture that was packed.
    public func shrink(width: Int, height: Int) {
        small.shrink(rows, width: width, height: height)
    }

    /// The PNG of the smaller picture.
    public func encodeShrunk(key: ImageKey) -> [UInt8] {
        writer.image(of: small, key: key, paper: paper)
    }
}
