extension Migration {
    /// What images were made from and why, as JSON; NULL for those of which nobody wrote it down.
    static let ninth = Migration(name: "9 origins of images", sql: "ALTER TABLE image_records ADD COLUMN origin TEXT;")
}
