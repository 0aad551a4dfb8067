/// Where the CPU time of one page's plain image and thumbnail goes, in milliseconds.
struct StageCosts: Hashable, Sendable {
    var raster = 0.0
    var downscale = 0.0
    var encode = 0.0
    var write = 0.0

    var total: Double { raster + downscale + encode + write }

    /// The stages, by their names in figures and tables.
    var named: [(name: String, milliseconds: Double)] {
        [("raster", raster), ("downscale", downscale), ("encode", encode), ("write", write)]
    }
}
