extension Mark {
    /// The same mark for another page than it was made on: at the same place in points from the top left, and at its original size.
    public func laid(on page: PageGeometry, madeOn sheet: PageGeometry) -> Mark {
        guard page != sheet else { return self }
        let (across, down) = (sheet.width / page.width, sheet.height / page.height)
        guard across.isFinite, down.isFinite else { return self }
        var mark = self
        mark.points = points.map { Point(x: $0.x * across, y: $0.y * down, width: $0.width.map { $0 * across }) }
        mark.width *= across
        mark.dash = dash.map { $0 * across }
        mark.size = size.map { $0 * across }
        mark.setting.point = setting.point.map { $0 * across }
        mark.setting.wrap = setting.wrap.map { $0 * across }
        return mark
    }
}
